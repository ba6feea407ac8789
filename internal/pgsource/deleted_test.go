package pgsource

import (
	"iter"
	"slices"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// readOIDs returns the printed OIDs of all pages, sorted.
func readOIDs(t testing.TB, pages iter.Seq2[[]doc.OID, error]) []string {
	t.Helper()
	var all []string
	for page, err := range pages {
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page {
			all = append(all, o.String())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// printed returns the printed OIDs of stamps, sorted.
func printed(stamps []doc.Stamp) []string {
	var all []string
	for _, s := range stamps {
		all = append(all, s.OID.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ids returns OIDs of one integer.
func ids(t testing.TB, of ...int64) []doc.OID {
	t.Helper()
	oids := make([]doc.OID, len(of))
	for i, v := range of {
		oids[i] = oid(t, v)
	}
	return oids
}

// No read of live rows returns a row marked deleted, and Docs reports it as
// deleted. A NULL marks nothing.
func TestDeletedRows(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TYPE state AS ENUM ('on', 'off'); CREATE DOMAIN flag AS smallint;
		CREATE TABLE gone (id bigint); INSERT INTO gone VALUES (2), (4), (NULL), (99)`)
	const bySQL = "SELECT id FROM gone -- tombstones"
	for _, c := range []struct {
		name, column, live, dead string
		deleted                  DeletedConfig
	}{
		{"integer", "int", "1", "0", DeletedConfig{Column: "mark", Values: []any{int64(0), int64(-1)}}},
		{"domain", "flag", "1", "0", DeletedConfig{Column: "mark", Values: []any{int64(0)}}},
		{"bool", "bool", "true", "false", DeletedConfig{Column: "mark", Values: []any{false}}},
		{"text", "text", "''", "'x'", DeletedConfig{Column: "mark", Values: []any{"x", "it's"}}},
		{"char", "char(3)", "'n'", "'y'", DeletedConfig{Column: "mark", Values: []any{"y"}}},
		{"enum", "state", "'on'", "'off'", DeletedConfig{Column: "mark", Values: []any{"off"}}},
		{"numeric", "numeric", "1", "0.50", DeletedConfig{Column: "mark", Values: []any{0.5}}},
		{"float", "float8", "1", "0.1", DeletedConfig{Column: "mark", Values: []any{0.1}}},
		{"SQL", "text", "''", "''", DeletedConfig{SQL: bySQL}},
	} {
		for _, children := range [][]ChildConfig{nil, parts("SELECT id, u, 'x' AS v FROM doc", "id")} {
			table := tableIn(t, dsn, `DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u timestamptz, mark `+c.column+`);
				INSERT INTO doc VALUES (1, '2024-01-01Z', `+c.live+`), (2, '2024-01-01Z', `+c.dead+`), (3, '2024-01-01Z', NULL), (4, '2024-01-01Z', `+c.dead+`)`,
				TableConfig{Deleted: c.deleted, Children: children, Numbers: &numbers{}})
			want := []string{"1", "3"}
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			if got := sortedKeys(docs); !slices.Equal(got, want) || len(rejects) != 0 {
				t.Errorf("%s: got rows %v and rejects %v, want %v", c.name, got, rejects, want)
			}
			checkStamps(t, table, docs)
			if got, err := table.Count(t.Context()); err != nil || got != 2 {
				t.Errorf("%s: got count %d, %v, want 2", c.name, got, err)
			}
			if got, err := table.Breakpoints(t.Context(), 1); err != nil || len(got) != 1 || got[0] != oid(t, int64(3)) {
				t.Errorf("%s: got breakpoints %v, %v, want 3", c.name, got, err)
			}
			asked := ids(t, 1, 2, 4, 5)
			for b, err := range table.Docs(t.Context(), asked) {
				if err != nil || len(b.Docs) != 1 || b.Docs[0].OID != asked[0] || b.Fetch == 0 {
					t.Errorf("%s: got %v, %v, want row 1", c.name, b.Docs, err)
				}
				slices.Sort(b.Deleted)
				if !slices.Equal(b.Deleted, asked[1:3]) {
					t.Errorf("%s: got %v deleted, want 2 and 4", c.name, b.Deleted)
				}
			}
			if stamps, err := table.StampsOf(t.Context(), asked); err != nil || len(stamps) != 1 {
				t.Errorf("%s: got stamps %v, %v, want that of row 1", c.name, stamps, err)
			}
		}
	}
}

// A key listed by the SQL is deleted although it has no row.
func TestTombstoneWithoutRow(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (tenant text, id int, u timestamptz); CREATE TABLE gone AS SELECT 'a' AS tenant, 1 AS id",
		TableConfig{Key: []string{"tenant", "id"}, Deleted: DeletedConfig{SQL: "SELECT * FROM gone"}})
	asked := []doc.OID{oid(t, "a", int64(1)), oid(t, "b", int64(1))}
	for b, err := range table.Docs(t.Context(), asked) {
		if err != nil || !slices.Equal(b.Deleted, asked[:1]) {
			t.Errorf("got %v, %v deleted, want %v", b.Deleted, err, asked[:1])
		}
	}
}

// Left returns the rows of the window that are marked deleted, and those of the
// SQL without the filter.
func TestLeftRows(t *testing.T) {
	t.Parallel()
	const setup = `DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u timestamptz, active int);
		INSERT INTO doc SELECT i, '2024-01-01Z'::timestamptz + (i / 10) * interval '1 s', i % 2 FROM generate_series(0, 49) i; INSERT INTO doc VALUES (NULL, '2024-01-01Z', 0)`
	dsn := pgtest.DB(t)
	mark := DeletedConfig{Column: "active", Values: []any{int64(0)}}
	w := doc.Window{From: at(t, "2024-01-01T00:00:01Z"), To: at(t, "2024-01-01T00:00:02Z")}
	for _, c := range []struct {
		name string
		cfg  TableConfig
		want []string
	}{
		{"nothing", TableConfig{}, nil},
		{"column", TableConfig{Deleted: mark}, []string{"10", "12", "14", "16", "18"}},
		{"changes", TableConfig{SQL: "SELECT * FROM doc WHERE active = 1", Changes: "SELECT id, u FROM doc"},
			[]string{"10", "11", "12", "13", "14", "15", "16", "17", "18", "19"}},
		{"both", TableConfig{Deleted: mark, Changes: "SELECT id, u FROM doc WHERE id = 11"}, []string{"10", "11", "12", "14", "16", "18"}},
	} {
		table := tableIn(t, dsn, setup, c.cfg)
		table.stampPage = 3
		if got := readOIDs(t, table.Left(t.Context(), w)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		for oids := range table.Left(t.Context(), w) {
			if oids[0] == "" || len(oids) > 3 {
				t.Errorf("%s: got a page of %d keys, want at most 3", c.name, len(oids))
			}
			break // an iteration may end early
		}
	}
	// Without configuration no statement is sent, so none fails.
	table := tableIn(t, dsn, setup, TableConfig{})
	pgtest.Exec(t, dsn, "DROP TABLE doc")
	if got := readOIDs(t, table.Left(t.Context(), w)); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
}
