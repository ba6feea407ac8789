package daemon

import (
	"context"
	"strconv"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/tables"
	"indexerd/internal/state/history"
)

// History returns what the passes of a table did.
func (e *Engine) History(name string, size int, after int64) (httpapi.History, error) {
	t, err := e.opened(name)
	if err != nil {
		return httpapi.History{}, err
	}
	runs, next := t.History.Runs(size, after)
	h := httpapi.History{Table: name, Runs: make([]httpapi.HistoryRun, len(runs))}
	for i, r := range runs {
		h.Runs[i] = historyRun(r)
	}
	if next != 0 {
		s := strconv.FormatInt(next, 10)
		h.Next = &s
	}
	return h, nil
}

func historyRun(r history.Run) httpapi.HistoryRun {
	p := r.Report
	h := httpapi.HistoryRun{
		Run: r.ID(), Pass: r.Pass, Started: httpapi.Time(r.Started), TookMS: float64(r.Took.Microseconds()) / 1000,
		Read: p.Read, Compared: p.Compared, Added: p.Added, Updated: p.Updated, Deleted: p.Deleted,
		Skipped: p.Skipped, Quarantined: p.Quarantined, LateMaxMS: float64(p.Late.Max.Microseconds()) / 1000,
	}
	if r.Pass != "compare" {
		h.Window = &httpapi.WindowStatus{From: httpapi.Time(p.Window.From), To: httpapi.Time(p.Window.To)}
	}
	if r.Tier != "" {
		h.Tier = &r.Tier
	}
	if r.Err != "" {
		h.Error = &r.Err
	}
	return h
}

// Meters counts what the engine does.
func (e *Engine) Meters() *httpapi.Meters { return e.meters }

// TableMetrics returns the sizes of what is stored.
func (e *Engine) TableMetrics() []httpapi.TableMetrics {
	var all []httpapi.TableMetrics
	for _, t := range e.tables {
		if m, ok := t.Measures(); ok {
			m.Scrubbed, m.Damaged = t.Scrubbed()
			all = append(all, m)
		}
	}
	return all
}

// Quarantine lists the rows of a table that can't be indexed.
func (e *Engine) Quarantine(name string, size int, after string) (httpapi.Quarantine, error) {
	t, err := e.opened(name)
	if err != nil {
		return httpapi.Quarantine{}, err
	}
	rows, next := t.Quarantine.List(after, size)
	q := httpapi.Quarantine{Table: name, Rows: make([]httpapi.QuarantinedRow, len(rows))}
	for i, r := range rows {
		q.Rows[i] = *tables.QuarantinedRow(r)
	}
	if next != "" {
		q.Next = &next
	}
	return q, nil
}

// Run returns one run.
func (e *Engine) Run(id string) (httpapi.Run, error) {
	one, err := e.runs.Find(id)
	if err != nil {
		return httpapi.Run{}, err
	}
	return one.Answer(), nil
}

// Cancel ends a run as soon as it can.
func (e *Engine) Cancel(id string) (httpapi.Run, error) {
	one, err := e.runs.Find(id)
	if err != nil {
		return httpapi.Run{}, err
	}
	one.Cancel()
	return one.Answer(), nil
}

// Versions returns what is kept of one document.
func (e *Engine) Versions(_ context.Context, name, key string) (search.Versions, error) {
	t, oid, err := e.document(name, key)
	if err != nil {
		return search.Versions{}, err
	}
	return t.Searcher().Versions(oid)
}
