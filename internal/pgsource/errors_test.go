package pgsource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// faults are statements of a PL/pgSQL function by the SQLSTATE with which they
// fail.
var faults = []struct{ code, statement string }{
	{"P0001", "RAISE EXCEPTION 'bad row'"},
	{"23514", "PERFORM (-1)::positive"},
	{"42P01", "PERFORM 'no_such_table'::regclass"},
	{"42883", "EXECUTE 'SELECT no_such_function()'"},
	{"42501", "EXECUTE 'SELECT * FROM forbidden'"},
	{"3F000", "PERFORM 'no_such_schema'::regnamespace"},
	{"22012", "PERFORM 1 / 0"},
	{"22P02", "PERFORM 'x'::int"},
	{"22003", "PERFORM 2147483647 + 1"},
	{"21000", "PERFORM (SELECT i FROM generate_series(1, 2) i)"},
	{"20000", "CASE 1 WHEN 2 THEN NULL; END CASE"},
	{"54001", "PERFORM endless(1)"},
	{"2F005", "PERFORM nothing_returned()"},
	{"0A000", "INSERT INTO other VALUES (1)"},
	{"38000", "RAISE external_routine_exception"},
	{"39000", "RAISE external_routine_invocation_exception"},
	{"40001", "RAISE serialization_failure"},
	{"57014", "RAISE query_canceled"},
	{"53200", "RAISE out_of_memory"},
	{"08006", "RAISE connection_failure"},
	{"55P03", "RAISE lock_not_available"},
	{"XX000", "RAISE internal_error"},
	{"XX001", "RAISE data_corrupted"},
	{"AB123", "RAISE EXCEPTION 'own code' USING ERRCODE = 'AB123'"},
}

// createFaultyRows creates 250 rows, and a function judge that fails at three
// of them.
func createFaultyRows(t *testing.T, dsn string) {
	var cases strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&cases, "WHEN '%s' THEN %s;\n", f.code, f.statement)
	}
	role := "reader_of_" + strings.ToLower(strings.ReplaceAll(pgtest.Value[string](t, dsn, "SELECT current_database()"), "-", "_"))
	pgtest.Exec(t, dsn, "ALTER DATABASE "+dbName(t, dsn)+" SET max_stack_depth = '200kB'") // makes 54001 quick
	pgtest.Exec(t, dsn, `CREATE DOMAIN positive AS int CHECK (VALUE > 0);
		CREATE TABLE forbidden (n int); CREATE TABLE other (n int);
		CREATE FUNCTION endless(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN endless(n + 1); END $$;
		CREATE FUNCTION nothing_returned() RETURNS int LANGUAGE plpgsql AS $$ BEGIN END $$;
		CREATE TABLE doc (id int, u timestamptz, fault text);
		INSERT INTO doc SELECT i, '2024-01-01Z'::timestamptz + i * interval '1 s', '' FROM generate_series(1, 250) i;
		CREATE FUNCTION judge(fault text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
			CASE fault `+cases.String()+` ELSE NULL; END CASE; RETURN fault; END $$;
		CREATE ROLE `+role+`; GRANT SELECT ON doc, other TO `+role+`; GRANT INSERT ON other TO `+role+`;
		GRANT CREATE, USAGE ON SCHEMA public TO `+role+`; ALTER FUNCTION judge(text) OWNER TO `+role+`; ALTER FUNCTION judge(text) SECURITY DEFINER`)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
}

// A row that fails with any SQLSTATE that is not the server's condition is a
// reject, and all other rows are read, whichever way.
func TestFaultOfARow(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	createFaultyRows(t, dsn)
	src := openSource(t, dsn)
	for _, inChild := range []bool{false, true} {
		cfg := TableConfig{SQL: "SELECT id, u, judge(fault) AS v FROM doc", Batch: 60, Numbers: &numbers{}}
		if inChild {
			cfg.SQL, cfg.Children = "SELECT id, u FROM doc", parts("SELECT id, u, judge(fault) AS v FROM doc", "id")
		}
		table := tableOf(t, src, cfg)
		table.stampPage = 80
		of := faults
		if inChild { // codes take the same path
			of = faults[:4]
		}
		for i, f := range of {
			t.Run(fmt.Sprintf("%s in a child %v", f.code, inChild), func(t *testing.T) {
				pgtest.Exec(t, dsn, "UPDATE doc SET fault = CASE WHEN id IN (7, 125, 126) THEN '"+f.code+"' ELSE '' END WHERE fault <> '' OR id IN (7, 125, 126)")
				checkFaultyRows(t, table, f.code)
				if i < 4 { // stamps are read the same way for every code
					checkFaultyStamps(t, table)
				}
			})
		}
	}
}

// A VOLATILE function runs for every row even in queries of keys alone. Integer
// keys are found all the same.
func TestFaultOfAVolatileFunction(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	createFaultyRows(t, dsn)
	pgtest.Exec(t, dsn, "ALTER FUNCTION judge(text) VOLATILE; ALTER TABLE doc ADD PRIMARY KEY (id)")
	table := tableIn(t, dsn, "", TableConfig{SQL: "SELECT id, u, judge(fault) AS v FROM doc", Batch: 60, Numbers: &numbers{}})
	table.stampPage = 80
	for _, code := range []string{"P0001", "42P01"} {
		pgtest.Exec(t, dsn, "UPDATE doc SET fault = CASE WHEN id IN (7, 125, 126) THEN '"+code+"' ELSE '' END WHERE fault <> '' OR id IN (7, 125, 126)")
		checkFaultyRows(t, table, code)
		checkFaultyStamps(t, table)
		points, err := table.Breakpoints(t.Context(), 100)
		if err != nil || !slices.Equal(points, ids(t, 101, 201)) {
			t.Errorf("got breakpoints %v, %v, want 101 and 201", points, err)
		}
		if n, err := table.Count(t.Context()); err != nil || n < 1 {
			t.Errorf("got count %d, %v, want an estimate", n, err)
		}
	}
	text := tableIn(t, dsn, "", TableConfig{SQL: "SELECT id::text AS id, u, judge(fault) AS v FROM doc", Batch: 60, Numbers: &numbers{}})
	for _, err := range text.StampsInRange(t.Context(), doc.Range{}) {
		if err == nil || !strings.Contains(err.Error(), "declare the functions of the SQL STABLE") {
			t.Errorf("got %v, want what to do about it", err)
		}
	}
	pgtest.Exec(t, dsn, "UPDATE doc SET fault = 'P0001'")
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if len(b.Rejects) > 0 || err != nil && !strings.Contains(err.Error(), "all 60 rows") {
			t.Errorf("got rejects %v, %v, want that all rows of a batch fail", b.Rejects, err)
		}
	}
}

func checkFaultyRows(t *testing.T, table *Table, code string) {
	t.Helper()
	bad := ids(t, 7, 125, 126)
	docs, rejects := readAll(t, table.Docs(t.Context(), ids(t, 6, 7, 8, 125, 2000)))
	if got := sortedKeys(docs); !slices.Equal(got, []string{"6", "8"}) || len(rejects) != 2 {
		t.Errorf("by key: got documents %v and rejects %v, want 6 and 8, and two", got, rejects)
	}
	found, rejected := map[doc.OID]bool{}, map[doc.OID]string{}
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatalf("range: %v", err)
		}
		for _, d := range b.Docs {
			found[d.OID] = true
		}
		for _, r := range b.Rejects {
			rejected[r.OID] = r.Reason
		}
	}
	if len(found) != 247 || len(rejected) != 3 {
		t.Errorf("range: got %d documents and rejects %v, want 247 and three", len(found), rejected)
	}
	for _, oid := range bad {
		if found[oid] || !strings.Contains(rejected[oid], "SQLSTATE "+code) {
			t.Errorf("row %v: got reason %q, want SQLSTATE %s", oid, rejected[oid], code)
		}
	}
}

func checkFaultyStamps(t *testing.T, table *Table) {
	t.Helper()
	bad := ids(t, 7, 125, 126)
	w := doc.Window{From: minTime, To: maxTime}
	ways := map[string][]doc.Stamp{
		"window": readStamps(t, table.Stamps(t.Context(), w)),
		"range":  readStamps(t, table.StampsInRange(t.Context(), doc.Range{})),
	}
	for way, stamps := range ways {
		if got := len(printed(stamps)); got != 250 {
			t.Errorf("stamps, %s: got %d, want 250", way, got)
		}
		for _, s := range stamps {
			if (s.Token.Digest == 0) != slices.Contains(bad, s.OID) {
				t.Errorf("stamps, %s: got %+v, want a known token unless the row is bad", way, s)
			}
		}
	}
}

// If at least 50 rows fail with one SQLSTATE and none is read, the SQL is at
// fault.
func TestFaultOfTheSQL(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 120) i;
		CREATE TABLE used (n int); CREATE FUNCTION v(id int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN (SELECT count(*) FROM used); END $$`)
	table := tableIn(t, dsn, "SELECT", TableConfig{SQL: "SELECT id, u, v(id) AS v FROM doc", Batch: 60})
	pgtest.Exec(t, dsn, "DROP TABLE used")
	all := make([]doc.OID, 120)
	for i := range all {
		all[i] = oid(t, int64(i+1))
	}
	for way, batches := range map[string]func(func(doc.Batch, error) bool){
		"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), all),
	} {
		failed := false
		for b, err := range batches {
			if len(b.Docs)+len(b.Rejects) > 0 {
				t.Errorf("%s: got %d documents and rejects %v, want none", way, len(b.Docs), b.Rejects)
			}
			if failed = err != nil; failed && (!strings.Contains(err.Error(), "42P01") || !strings.Contains(err.Error(), "all 60 rows")) {
				t.Errorf("%s: got %v, want that all rows fail with 42P01", way, err)
			}
		}
		if !failed {
			t.Errorf("%s: got no error", way)
		}
	}
	for _, err := range table.StampsInRange(t.Context(), doc.Range{}) {
		if err == nil || !strings.Contains(err.Error(), "all 60 rows") {
			t.Errorf("stamps: got %v, want that all rows fail", err)
		}
	}
	if docs, rejects := readAll(t, table.Docs(t.Context(), all[:49])); len(docs) != 0 || len(rejects) != 49 {
		t.Errorf("got %d documents and %d rejects of 49 rows, want 49 rejects", len(docs), len(rejects))
	}
}

// A statement that fails without keys rejects no row.
func TestFaultOfTheStatement(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for name, c := range map[string]struct{ before, fault, code string }{
		"table":    {"", "DROP TABLE doc", "42P01"},
		"column":   {"", "ALTER TABLE doc DROP COLUMN v", "42703"},
		"function": {"CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1'", "DROP FUNCTION f(int)", "42883"},
		"child":    {"", "DROP TABLE part", "42P01"},
	} {
		t.Run(name, func(t *testing.T) {
			sql := "SELECT id, u, v FROM doc"
			if name == "function" {
				sql = "SELECT id, u, f(v) AS v FROM doc"
			}
			table := tableIn(t, dsn, emptied+"CREATE TABLE doc (id int, u timestamptz, v int); CREATE TABLE part (id int, u timestamptz, v int); INSERT INTO doc VALUES (1, '2024-01-01Z', 1), (2, '2024-01-01Z', 1); "+c.before,
				TableConfig{SQL: sql, Children: parts("SELECT id, u, v FROM part", "id")})
			pgtest.Exec(t, dsn, c.fault)
			for way, batches := range map[string]func(func(doc.Batch, error) bool){
				"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), ids(t, 1, 2)), "one key": table.Docs(t.Context(), ids(t, 1)),
			} {
				var fault error
				for b, err := range batches {
					if fault = err; len(b.Rejects) > 0 {
						t.Errorf("%s: got rejects %v, want none", way, b.Rejects)
					}
				}
				if fault == nil || !strings.Contains(fault.Error(), c.code) {
					t.Errorf("%s: got %v, want %s", way, fault, c.code)
				}
			}
		})
	}
}
