package daemon

import (
	"context"
	"log/slog"
	"net/http"

	"indexerd/internal/base/progress"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/runs"
	"indexerd/internal/serve/tables"
)

// Explain returns what is known about one document.
func (e *Engine) Explain(ctx context.Context, name, key string) (httpapi.Explanation, error) {
	t, oid, err := e.document(name, key)
	if err != nil {
		return httpapi.Explanation{}, err
	}
	return t.Explain(ctx, oid)
}

// Reindex begins to rebuild a table's index from its pages.
func (e *Engine) Reindex(name string) (httpapi.Run, error) {
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	t, err := e.loaded(name)
	if err != nil {
		return httpapi.Run{}, err
	}
	return e.runs.Start(name, "reindex", func(ctx context.Context, r *runs.Job) (any, bool, error) {
		r.Meter.Step("", "documents", 0, progress.Unknown)
		result, err := t.Reindex(ctx, r.Meter.Set)
		return httpapi.ReindexResult{Indexed: result.Indexed, Partial: result.Partial, Left: result.Left}, false, err
	})
}

// upgrade begins to rebuild the index of a table that was built with an earlier analysis.
// Searches go on in it. A daemon that may not write leaves it to the one that may.
func (e *Engine) upgrade(name string, log *slog.Logger) {
	if e.writable() != nil {
		return
	}
	if _, err := e.Reindex(name); err != nil {
		log.Warn("reindex of an earlier analysis did not begin", "table", name, "error", err)
		return
	}
	log.Info("reindex of an earlier analysis begins: searches go on in the old index", "table", name)
}

// loaded returns a table whose passes can run.
func (e *Engine) loaded(name string) (*tables.Table, error) {
	t, err := e.opened(name)
	if err != nil {
		return nil, err
	}
	if marks, _ := e.trace.Table(name); !marks.Loaded {
		return nil, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: name + " is still being loaded", Hint: "see status"}
	}
	return t, nil
}

// Sweep begins a full sweep.
func (e *Engine) Sweep(name string, allow int) (httpapi.Run, error) {
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	t, err := e.loaded(name)
	if err != nil {
		return httpapi.Run{}, err
	}
	return e.runs.Start(name, "deletecheck", func(ctx context.Context, r *runs.Job) (any, bool, error) {
		r.Meter.Step("", "rows", 0, progress.Unknown)
		report, err := t.Sweep(ctx, tables.Sweeping{Share: 1, Restart: true, Allow: allow, Progress: r.Meter.Set})
		return tables.Done(report), report.Held > 0, err
	})
}

// RunPass runs one pass now.
func (e *Engine) RunPass(name, pass string) (httpapi.Run, error) {
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	t, err := e.loaded(name)
	if err != nil {
		return httpapi.Run{}, err
	}
	if pass == "deletecheck" {
		return e.Sweep(name, 0)
	}
	do, ok := t.PassesNow()[pass]
	if !ok {
		return httpapi.Run{}, t.NoPass(pass)
	}
	return e.runs.Start(name, pass, func(ctx context.Context, r *runs.Job) (any, bool, error) {
		r.Meter.Step("", "rows", 0, progress.Unknown)
		t.Comparing.Store(r)
		defer t.Comparing.Store(nil)
		report, err := t.RunNow(ctx, do)
		return tables.Done(report), report.Held > 0, err
	})
}

// Verify begins to compare tables with the database.
func (e *Engine) Verify(p httpapi.VerifyRequest) (httpapi.Run, error) {
	if p.Repair {
		if err := e.writable(); err != nil {
			return httpapi.Run{}, err
		}
	}
	all := e.tables
	name := ""
	if len(p.Tables) > 0 {
		all = nil
		for _, name := range p.Tables {
			t, err := e.loaded(name)
			if err != nil {
				return httpapi.Run{}, err
			}
			all = append(all, t)
		}
	}
	if len(all) == 1 {
		name = all[0].Conf.Name
	}
	for _, t := range all {
		if _, err := e.loaded(t.Conf.Name); err != nil {
			return httpapi.Run{}, err
		}
	}
	return e.runs.Start(name, "verify", func(ctx context.Context, r *runs.Job) (any, bool, error) {
		v, err := tables.VerifyTables(ctx, all, p, !e.started.IsZero(), r)
		return v, false, err
	})
}
