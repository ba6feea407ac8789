package daemon

import (
	"context"
	"os"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/recovered"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/tables"
	"indexerd/timetrace"
)

// Status returns how far each table has come.
func (e *Engine) Status(ctx context.Context) httpapi.Status {
	s := httpapi.Status{
		Version: release.Version,
		Running: !e.started.IsZero(),
		Started: httpapi.TimeOrNull(e.started),
		Now:     httpapi.Time(time.Now()),
		Ready:   len(e.Waiting()) == 0,
		Sources: []httpapi.SourceStatus{},
	}
	if s.Running {
		s.PID = os.Getpid()
	}
	if free, size, err := datadir.Free(e.cfg.Data); err == nil {
		s.Disk = &httpapi.DiskStatus{FreeBytes: free, SizeBytes: size}
	}
	for _, src := range e.sources {
		err := src.LastError()
		s.Sources = append(s.Sources, httpapi.SourceStatus{
			Source: src.Conf.Name, Driver: src.Conf.Driver, Connected: s.Running && err == nil, Error: httpapi.ErrorText(err), PinnedBy: e.pin(src), Load: src.Load(),
		})
	}
	s.Tables = e.tableStatus(e.marks())
	s.Runs = e.runs.Running()
	s.Leader = e.shared.Status(ctx)
	return s
}

// tableStatus asks the tables at once: each may wait for its index.
func (e *Engine) tableStatus(marks timetrace.State) []httpapi.TableStatus {
	all := make([]httpapi.TableStatus, len(e.tables))
	var asking errgroup.Group
	asking.SetLimit(openedAtOnce)
	for i, t := range e.tables {
		asking.Go(func() (err error) {
			defer recovered.Into(&err)
			all[i] = t.Status(marks[t.Conf.Name])
			return nil
		})
	}
	recovered.Again([]error{asking.Wait()})
	return all
}

// marks returns those that are durable: S must not go back after a crash. Only an engine
// that is open may make noted ones durable now: the next one may have others.
func (e *Engine) marks() timetrace.State {
	if !slices.ContainsFunc(e.tables, func(t *tables.Table) bool { return t.Waits.Load() != nil }) {
		return e.trace.Durable()
	}
	marks := timetrace.State{}
	for _, t := range e.tables {
		marks[t.Conf.Name] = e.trace.DurableTable(t.Conf.Name)
	}
	return marks
}

// pin returns the session that holds back the horizon of a source, as its tables
// last read it.
func (e *Engine) pin(s *tables.Source) *httpapi.Pin {
	for _, t := range e.tables {
		if t.Source != s {
			continue
		}
		if p := t.Pin(); p != nil {
			return &httpapi.Pin{PID: p.PID, User: p.User, Application: p.Application, AgeS: p.Age.Seconds()}
		}
	}
	return nil
}

// Waiting lists why tables are not ready; empty where all are.
func (e *Engine) Waiting() []string {
	waiting := []string{}
	for _, t := range e.tables {
		if why := t.WaitsFor(); why != "" {
			waiting = append(waiting, t.Conf.Name+": "+why)
		}
	}
	return waiting
}
