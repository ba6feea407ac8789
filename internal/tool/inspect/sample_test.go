package inspect

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// A row that differs in each read, with the same updateTime, is reported.
func TestVolatileSQL(t *testing.T) {
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
		"the same":                 {"SELECT 1", func(int) []doc.Doc { return []doc.Doc{row("1", 0, 1, "a")} }, ""},
		"different in each read":   {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, n)} }, "column title"},
		"different token only":     {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, "a")} }, "its token"},
		"updated once":             {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, min(n, 2), n)} }, ""},
		"updated before each read": {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", n, n, n)} }, ""},
		"deleted":                  {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, 1, "a"), row("2", 0, 1, "a")}[:max(3-n, 0)] }, ""},
		"duplicate key":            {"SELECT 1", func(n int) []doc.Doc { return []doc.Doc{row("1", 0, n, n), row("1", 0, -n, n)} }, ""},
		"a clock in seconds": {"SELECT now()", func(int) []doc.Doc {
			second := int(time.Now().Unix())
			return []doc.Doc{row("1", 0, second, second)}
		}, "column title"},
	} {
		synctest.Test(t, func(t *testing.T) {
			cfg := film(t, "")
			cfg.Tables[0].SQL = c.sql
			f := check(t, cfg, goodServer, &fakeRows{read: func(n int) doc.Batch { return doc.Batch{Docs: c.read(n)} }}, nil)
			i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "volatile_sql" })
			if i >= 0 != (c.what != "") || i >= 0 && !strings.Contains(f.Findings[i].What, c.what) {
				t.Errorf("%s: got %+v, want volatile_sql with %q", name, f, c.what)
			}
		})
	}
}

// A transaction that hides the horizon for a moment must not be reported.
func TestHorizonIsReadAgainWhileHidden(t *testing.T) {
	for hidden, want := range map[int]string{0: "exact", 3: "exact", 1 << 30: "assumed"} {
		synctest.Test(t, func(t *testing.T) {
			f := check(t, film(t, ""), goodServer, &fakeRows{}, &fakeHorizon{hidden: hidden})
			i := slices.IndexFunc(f.Findings, func(one Finding) bool { return one.Code == "horizon" })
			if i < 0 || !strings.Contains(f.Findings[i].What, want) {
				t.Errorf("hidden %d times: got %+v, want %s", hidden, f, want)
			}
		})
	}
}
