package daemon

import (
	"context"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/runs"
	"indexerd/internal/state/quarantine"
	"net/http"
)

func quarantinedRow(r quarantine.Row) *httpapi.QuarantinedRow {
	s := &httpapi.QuarantinedRow{Reason: r.Reason, Since: httpapi.Time(r.Since), Tries: r.Tries, Document: string(r.Document)}
	if r.OID != "" {
		oid := r.OID.String()
		s.OID = &oid
	}
	return s
}

// Explain returns what is known about one document.
func (e *Engine) Explain(ctx context.Context, name, key string) (httpapi.Explanation, error) {
	t, oid, err := e.document(name, key)
	if err != nil {
		return httpapi.Explanation{}, err
	}
	return t.explain(ctx, oid)
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
		result, err := t.reindex(ctx, r.Progress)
		return httpapi.ReindexResult{Indexed: result.Indexed, Partial: result.Partial, Left: result.Left}, false, err
	})
}

// loaded returns a table whose passes can run.
func (e *Engine) loaded(name string) (*table, error) {
	t, err := e.searchable(name)
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
		report, err := t.sweep(ctx, sweeping{share: 1, restart: true, allow: allow, progress: r.Progress})
		return done(report), report.Held > 0, err
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
	do, ok := t.passesNow()[pass]
	if !ok {
		return httpapi.Run{}, t.noPass(pass)
	}
	return e.runs.Start(name, pass, func(ctx context.Context, r *runs.Job) (any, bool, error) {
		t.comparing.Store(r)
		defer t.comparing.Store(nil)
		report, err := t.runNow(ctx, do)
		return done(report), report.Held > 0, err
	})
}

// Verify begins to compare tables with the database.
func (e *Engine) Verify(p httpapi.VerifyRequest) (httpapi.Run, error) {
	if p.Repair {
		if err := e.writable(); err != nil {
			return httpapi.Run{}, err
		}
	}
	tables := e.tables
	name := ""
	if len(p.Tables) > 0 {
		tables = nil
		for _, name := range p.Tables {
			t, err := e.loaded(name)
			if err != nil {
				return httpapi.Run{}, err
			}
			tables = append(tables, t)
		}
	}
	if len(tables) == 1 {
		name = tables[0].Conf.Name
	}
	for _, t := range tables {
		if _, err := e.loaded(t.Conf.Name); err != nil {
			return httpapi.Run{}, err
		}
	}
	return e.runs.Start(name, "verify", func(ctx context.Context, r *runs.Job) (any, bool, error) {
		v, err := verifyTables(ctx, tables, p, !e.started.IsZero(), r)
		return v, false, err
	})
}
