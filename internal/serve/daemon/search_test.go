package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/index/search"
	"indexerd/timetrace"
)

// A search in all tables asks those that are loaded. Each sees the caller as in a
// search in that table alone.
func TestSearchInAllTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs.db")
	execSQLite(t, path,
		"CREATE TABLE open (id INTEGER PRIMARY KEY, body TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"CREATE TABLE guarded (id INTEGER PRIMARY KEY, body TEXT, grp TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"INSERT INTO open (id, body) VALUES (1, 'zebra'), (2, 'gnu')",
		"INSERT INTO guarded (id, body, grp) VALUES (1, 'zebra', 'sales'), (2, 'zebra', 'boss')")
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", filepath.Join(t.TempDir(), "data"), path)+
		bodyTable("open", "")+bodyTable("guarded", ", metadata: {grp: keyword}, acl: grp")+bodyTable("later", "")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	e := openToServe(t, cfg)
	serve(t, e, slog.New(slog.DiscardHandler))
	find := func(c search.Caller) string {
		r, err := e.Search(t.Context(), search.AllTables, search.Params{Query: "zebra", Size: 10, Caller: c})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d of", r.Total)
		for i := range r.Len {
			hit, err := r.Hit(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			got += " " + hit.Table + "/" + hit.OID
		}
		return got + fmt.Sprint(", missing ", r.Missing)
	}
	eventually(t, soon, "both tables are loaded", func() error {
		if got := find(search.Caller{Admin: true}); got != "3 of open/1 guarded/1 guarded/2, missing [later]" {
			return errors.New(got)
		}
		return nil
	})
	for _, test := range []struct {
		caller search.Caller
		want   string
	}{
		{search.Caller{Admin: true}, "[{open true [body]} {guarded true [body grp]} {later false []}]"},
		{search.Caller{Groups: []string{"sales"}}, "[{open true [body]} {guarded true [body]} {later false []}]"},
		{search.Caller{Tables: []string{"guarded"}}, "[{guarded true [body]}]"},
	} {
		got := []string{}
		for _, one := range e.Described(test.caller) {
			names := []string{}
			for _, f := range one.Fields {
				names = append(names, f.Name)
			}
			got = append(got, fmt.Sprint("{", one.Table, " ", one.Ready, " ", names, "}"))
		}
		if fmt.Sprint(got) != test.want {
			t.Errorf("tables of %+v: got %s, want %s", test.caller, got, test.want)
		}
	}
	if got := find(search.Caller{Groups: []string{"sales"}}); got != "2 of open/1 guarded/1, missing [later]" {
		t.Errorf("sales: got %s", got)
	}
	e.trace.Note("guarded", func(m *timetrace.Table) { m.Hide("the groups are unknown") })
	if got := find(search.Caller{Groups: []string{"sales"}}); got != "1 of open/1, missing [later]" {
		t.Errorf("sales, while the groups are unknown: got %s", got)
	}
	execSQLite(t, path, "CREATE TABLE later (id INTEGER PRIMARY KEY, body TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)", "INSERT INTO later (id, body) VALUES (7, 'zebra')")
	eventually(t, soon, "the third table is loaded", func() error {
		if got := find(search.Caller{}); got != "2 of open/1 later/7, missing []" {
			return errors.New(got)
		}
		return nil
	})
}
