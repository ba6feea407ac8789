package inspect

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

// A readRows are rows that may be others each time they are read.
type readRows struct {
	fakeRows
	reads int
	read  func(n int) []doc.Doc
}

func (r *readRows) Sample(context.Context, int) (oids []doc.OID, err error) {
	return []doc.OID{"1", "2"}, nil
}

func (r *readRows) Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error] {
	return func(yield func(doc.Batch, error) bool) {
		r.reads++
		yield(doc.Batch{Docs: r.read(r.reads)}, nil)
	}
}

// Only what is different each time, under the same updateTime, is the SQL's.
func TestVolatile(t *testing.T) {
	row := func(oid doc.OID, updated, token int, title any) doc.Doc {
		d := doc.Doc{Row: doc.Row{Names: []string{"id", "title"}, Values: []any{int64(1), title}}}
		d.OID, d.Updated, d.Token.Digest = oid, now.Add(time.Duration(updated)*time.Second), uint64(token)
		return d
	}
	for name, c := range map[string]struct {
		sql  string
		read func(n int) []doc.Doc
		what string
	}{
		"the same":                  {"SELECT 1", func(int) []doc.Doc { return []doc.Doc{row("1", 0, 1, "a")} }, ""},
		"other each time":           {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, n)} }, "column title"},
		"other, and nobody sees it": {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, "a")} }, "its token"},
		"changed once":              {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, min(n, 2), n)} }, ""},
		"changed all the time":      {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", n, n, n)} }, ""},
		"deleted":                   {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, 1, "a"), row("2", 0, 1, "a")}[:max(3-n, 0)] }, ""},
		"two of one key":            {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, n), row("1", 0, -n, n)} }, ""},
		"a clock in seconds": {"SELECT now()", func(int) []doc.Doc {
			second := int(time.Now().Unix())
			return []doc.Doc{row("1", 0, second, second)}
		}, "column title"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := film(t, "")
			cfg.Tables[0].SQL = c.sql
			f := check(t, cfg, doc.Server{}, &readRows{read: c.read})
			i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "volatile_sql" })
			if i >= 0 != (c.what != "") || i >= 0 && !strings.Contains(f.Findings[i].What, c.what) {
				t.Errorf("%s: got %+v, want volatile_sql with %q", name, f, c.what)
			}
		})
	}
}

// A fakeHorizon is hidden for some readings.
type fakeHorizon struct{ hidden, readings int }

func (h *fakeHorizon) Horizon(context.Context) (doc.Horizon, error) {
	h.readings++
	if h.readings <= h.hidden {
		return doc.Horizon{Hidden: true, Reason: "pid 7 hides when its transaction began"}, nil
	}
	return doc.Horizon{Exact: true, At: now}, nil
}

// What hides the horizon for a moment says nothing of the daemon's.
func TestHorizonIsWaitedFor(t *testing.T) {
	for hidden, want := range map[int]string{0: "exact", 3: "exact", 1 << 30: "assumed"} {
		synctest.Test(t, func(t *testing.T) {
			cfg := film(t, "")
			c := NewCheck(cfg)
			c.Table(t.Context(), Table{Conf: cfg.Tables[0], Rows: fakeRows{}, Horizon: &fakeHorizon{hidden: hidden},
				Mapping: fulltext.Mapping{Content: []string{"title"}, Analyzer: "standard"}})
			f := c.Findings()
			i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "horizon" })
			if i < 0 || !strings.Contains(f.Findings[i].What, want) {
				t.Errorf("hidden %d times: got %+v, want %s", hidden, f, want)
			}
		})
	}
}
