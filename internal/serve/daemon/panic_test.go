package daemon

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
)

// A buggy is a database with a bug: reading one of its tables panics.
type buggy struct {
	database.Database
	which  string
	broken atomic.Pointer[string] // the method that panics
	spared atomic.Int32           // so many calls of it do not
}

func (f *buggy) Table(ctx context.Context, conf configs.Table, n database.Numbers, u database.Units) (database.Rows, error) {
	r, err := f.Database.Table(ctx, conf, n, u)
	if err != nil || conf.Name != f.which {
		return r, err
	}
	return &buggyRows{r, f}, nil
}

func (f *buggy) fall(method string) {
	if at := f.broken.Load(); at != nil && *at == method && f.spared.Add(-1) < 0 {
		var rows []string
		_ = rows[3]
	}
}

type buggyRows struct {
	database.Rows
	of *buggy
}

func (r *buggyRows) Range(ctx context.Context, span doc.Range) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		r.of.fall("Range")
		r.Rows.Range(ctx, span)(yield)
	}
}

func (r *buggyRows) Docs(ctx context.Context, oids []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		r.of.fall("Docs")
		r.Rows.Docs(ctx, oids)(yield)
	}
}

func (r *buggyRows) Stamps(ctx context.Context, w doc.Window) iter.Seq2[[]doc.Stamp, error] {
	r.of.fall("Stamps")
	return r.Rows.Stamps(ctx, w)
}

func (r *buggyRows) StampsInRange(ctx context.Context, span doc.Range) iter.Seq2[[]doc.Stamp, error] {
	r.of.fall("StampsInRange")
	return r.Rows.StampsInRange(ctx, span)
}

func (r *buggyRows) StampsOf(ctx context.Context, oids []doc.OID) ([]doc.Stamp, error) {
	r.of.fall("StampsOf")
	return r.Rows.StampsOf(ctx, oids)
}

// A panic in a pass of one table, wherever in it, is a failure of this pass: no
// mark moves, the stack is in the log once, the process and the other tables go
// on, and so does the table once the cause is gone.
func TestPanicEndsOnePass(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	for _, name := range []string{"bad", "good"} {
		execSQLite(t, path, "CREATE TABLE "+name+" (id INTEGER PRIMARY KEY, u TEXT DEFAULT CURRENT_TIMESTAMP, body TEXT)",
			"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO "+name+" (id, body) SELECT i, 'word0' FROM n")
	}
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("bad", ", incremental: {every: 100ms}")+bodyTable("good", ", incremental: {every: 100ms}")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	var text syncBuffer
	f := &buggy{which: "bad"}
	load := "Range"
	f.broken.Store(&load)
	e := serveBuggy(t, cfg, f, slog.New(slog.NewTextHandler(&text, nil)))
	bad := e.table("bad")
	stacks := func() int { return strings.Count(text.String(), " stack=") }
	fails := func(method string) {
		t.Helper()
		f.broken.Store(&method)
		before := stacks()
		eventually(t, soon, "a pass fails at "+method, func() error {
			s := bad.Status(e.trace.Tables()["bad"])
			if s.LastError == nil || !strings.Contains(s.LastError.What, "panic: ") || !strings.Contains(s.LastError.What, "index out of range [3]") || stacks() == before {
				return fmt.Errorf("%d stacks, %+v", stacks()-before, s.LastError)
			}
			return nil
		})
	}
	finds := func(table, word string) {
		t.Helper()
		eventually(t, soon, table+" finds "+word, func() error {
			a, err := e.Search(t.Context(), table, search.Params{Query: word, Caller: search.Caller{Admin: true}})
			if err != nil || a.Total != 50 {
				return fmt.Errorf("got %d, %v, want 50", a.Total, err)
			}
			return nil
		})
	}
	fails("Range") // in a load
	finds("good", "word0")
	f.broken.Store(nil)
	finds("bad", "word0")

	for i, method := range []string{"Stamps", "Docs"} { // in the pass itself, and in what it starts
		word := fmt.Sprintf("word%d", i+1)
		for _, table := range []string{"bad", "good"} {
			f.broken.Store(&method)
			execSQLite(t, path, "UPDATE "+table+" SET body = '"+word+"', u = strftime('%Y-%m-%d %H:%M:%f', 'now')")
		}
		fails(method)
		mark := e.trace.Tables()["bad"].Incremental
		finds("good", word)
		if got := e.trace.Tables()["bad"].Incremental; !got.Equal(mark) {
			t.Errorf("%s: the mark moved from %v to %v", method, mark, got)
		}
		f.broken.Store(nil)
		finds("bad", word)
	}

	inRange, of := "StampsInRange", "StampsOf"
	f.broken.Store(&inRange)
	before := stacks()
	for _, begin := range []func() (httpapi.Run, error){
		func() (httpapi.Run, error) { return e.Sweep("bad", 0) },
		func() (httpapi.Run, error) { return e.Verify(httpapi.VerifyRequest{Tables: []string{"bad"}}) },
	} {
		run, err := begin()
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, soon, "the run ends", func() error {
			run, err = e.Run(run.Run)
			if err != nil || run.State == "running" {
				return fmt.Errorf("%+v, %v", run, err)
			}
			return nil
		})
		said := string(run.Result)
		if run.Error != nil {
			said += *run.Error
		}
		if !strings.Contains(said, "panic: ") || strings.Contains(said, "goroutine") {
			t.Errorf("%s: got %s, %s, want one line of a panic", run.Pass, run.State, said)
		}
	}
	if got := stacks() - before; got < 2 { // a comparison between two sweeps may have one too
		t.Errorf("got %d stacks of two runs in the log, want 2", got)
	}
	f.broken.Store(&of)
	if _, err := e.Explain(t.Context(), "bad", "7"); err == nil || !strings.Contains(err.Error(), "panic: ") {
		t.Errorf("explain: got %v, want a panic as an error", err)
	}
}

// serveBuggy runs an engine on a database with a bug.
func serveBuggy(t *testing.T, cfg *configs.Config, f *buggy, log *slog.Logger) *Engine {
	t.Helper()
	e := openToServe(t, cfg)
	f.Database, e.sources[0].Database = e.sources[0].Database, f
	serve(t, e, log)
	return e
}
