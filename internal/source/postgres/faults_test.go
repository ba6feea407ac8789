package postgres

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
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

// The rows of createFaultyRows, and those of them that fail.
const faultyRows, badRows = 250, "7, 125, 126"

// createFaultyRows creates rows, and a function judge that fails for a row whose
// fault is a code.
func createFaultyRows(t *testing.T, dsn string) {
	t.Helper()
	var cases strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&cases, "WHEN '%s' THEN %s;\n", f.code, f.statement)
	}
	database := pgtest.Value[string](t, dsn, "SELECT current_database()")
	role := "reader_of_" + database
	pgtest.Exec(t, dsn, "ALTER DATABASE "+database+" SET max_stack_depth = '200kB'") // makes 54001 quick
	pgtest.Exec(t, dsn, fmt.Sprintf(`CREATE DOMAIN positive AS int CHECK (VALUE > 0);
		CREATE TABLE forbidden (n int); CREATE TABLE other (n int);
		CREATE FUNCTION endless(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN endless(n + 1); END $$;
		CREATE FUNCTION nothing_returned() RETURNS int LANGUAGE plpgsql AS $$ BEGIN END $$;
		CREATE TABLE doc (id int PRIMARY KEY, u timestamptz, fault text);
		INSERT INTO doc SELECT i, '2024-01-01Z'::timestamptz + i * interval '1 s', '' FROM generate_series(1, %d) i;
		CREATE FUNCTION judge(fault text) RETURNS text LANGUAGE plpgsql STABLE AS $$ BEGIN
			CASE fault %s ELSE NULL; END CASE; RETURN fault; END $$;
		CREATE ROLE %[3]s; GRANT SELECT ON doc, other TO %[3]s; GRANT INSERT ON other TO %[3]s;
		GRANT CREATE, USAGE ON SCHEMA public TO %[3]s; ALTER FUNCTION judge(text) OWNER TO %[3]s; ALTER FUNCTION judge(text) SECURITY DEFINER`, faultyRows, &cases, role))
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
}

// breakRows makes the bad rows, and no other, fail with a code.
func breakRows(t *testing.T, dsn, code string) {
	t.Helper()
	pgtest.Exec(t, dsn, "UPDATE doc SET fault = CASE WHEN id IN ("+badRows+") THEN '"+code+"' ELSE '' END WHERE fault <> '' OR id IN ("+badRows+")")
}

// A row that fails with any SQLSTATE that is not the server's condition is a
// reject, and all other rows are read, whichever way.
func TestFaultOfARow(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	createFaultyRows(t, dsn)
	db := openDB(t, dsn)
	for _, inChild := range []bool{false, true} {
		cfg := source.TableConfig{SQL: "SELECT id, u, judge(fault) AS v FROM doc", Batch: 60, StampPage: 80}
		of := faults
		if inChild { // codes take the same path
			cfg.SQL, cfg.Children, of = "SELECT id, u FROM doc", childOf(cfg.SQL, "id"), faults[:4]
		}
		table := tableOf(t, db, cfg)
		for i, f := range of {
			t.Run(fmt.Sprintf("%s in a child %v", f.code, inChild), func(t *testing.T) {
				breakRows(t, dsn, f.code)
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
	pgtest.Exec(t, dsn, "ALTER FUNCTION judge(text) VOLATILE")
	db := openDB(t, dsn)
	cfg := source.TableConfig{SQL: "SELECT id, u, judge(fault) AS v FROM doc", Batch: 60, StampPage: 80}
	table := tableOf(t, db, cfg)
	for _, code := range []string{"P0001", "42P01"} {
		breakRows(t, dsn, code)
		checkFaultyRows(t, table, code)
		checkFaultyStamps(t, table)
		points, err := table.Breakpoints(t.Context(), 100)
		if err != nil || !slices.Equal(points, ids(t, 101, 201)) {
			t.Errorf("got breakpoints %v, %v, want 101 and 201", points, err)
		}
		if n, err := table.Count(t.Context()); err != nil || n < 1 {
			t.Errorf("got count %d, %v, want an estimate", n, err)
		}
		docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{From: oid(t, int64(120)), To: oid(t, int64(126))}))
		if got := sortedKeys(docs); !slices.Equal(got, []string{"120", "121", "122", "123", "124"}) || len(rejects) != 1 || rejects[0].OID != oid(t, int64(125)) {
			t.Errorf("got documents %v and rejects %v of a range, want 120 to 124, and 125", got, rejects)
		}
		from := at(t, "2024-01-01T00:02:03Z")
		stamps := readStamps(t, table.Stamps(t.Context(), doc.Window{From: from, To: at(t, "2024-01-01T00:02:06Z")}))
		if got := doc.OIDs(stamps); !slices.Equal(got, ids(t, 123, 124, 125)) {
			t.Errorf("got stamps %v of a window, want 123 to 125", got)
		}
	}
	cfg.SQL = "SELECT id::text AS id, u, judge(fault) AS v FROM doc"
	failed := 0
	for _, err := range tableOf(t, db, cfg).StampsInRange(t.Context(), doc.Range{}) {
		if failed++; err == nil || !strings.Contains(err.Error(), "declare the functions of the SQL STABLE") {
			t.Errorf("got %v, want what to do about it", err)
		}
	}
	if failed != 1 {
		t.Errorf("got %d pages, want an error alone", failed)
	}
	cfg.SQL = "WITH all_rows AS MATERIALIZED (SELECT id, u, judge(fault) AS v FROM doc) SELECT * FROM all_rows"
	checkAllFail(t, "the function runs for all rows", tableOf(t, db, cfg).Range(t.Context(), doc.Range{}), "SQLSTATE 42P01")
	pgtest.Exec(t, dsn, "UPDATE doc SET fault = 'P0001'")
	checkAllFail(t, "range", table.Range(t.Context(), doc.Range{}), "all 60 rows")
}

func checkFaultyRows(t *testing.T, table *source.Table, code string) {
	t.Helper()
	docs, rejects := readAll(t, table.Docs(t.Context(), ids(t, 6, 7, 8, 125, 2000)))
	if got := sortedKeys(docs); !slices.Equal(got, []string{"6", "8"}) || len(rejects) != 2 {
		t.Errorf("by key: got documents %v and rejects %v, want 6 and 8, and two", got, rejects)
	}
	docs, rejects = readAll(t, table.Range(t.Context(), doc.Range{}))
	var rejected []string
	for _, r := range rejects {
		if rejected = append(rejected, r.OID.String()); !strings.Contains(r.Reason, "SQLSTATE "+code) {
			t.Errorf("row %v: got reason %q, want SQLSTATE %s", r.OID, r.Reason, code)
		}
	}
	if got := strings.Join(rejected, ", "); len(docs) != faultyRows-3 || got != badRows {
		t.Errorf("range: got %d documents and rejects %s, want %d and %s", len(docs), got, faultyRows-3, badRows)
	}
}

func checkFaultyStamps(t *testing.T, table *source.Table) {
	t.Helper()
	bad := ids(t, 7, 125, 126)
	for way, stamps := range map[string][]doc.Stamp{
		"window": readStamps(t, table.Stamps(t.Context(), always)),
		"range":  readStamps(t, table.StampsInRange(t.Context(), doc.Range{})),
	} {
		if got := len(doc.SetOf(doc.OIDs(stamps))); got != faultyRows {
			t.Errorf("stamps, %s: got %d rows, want %d", way, got, faultyRows)
		}
		for _, s := range stamps {
			if (s.Token.Digest == 0) != slices.Contains(bad, s.OID) {
				t.Errorf("stamps, %s: got %+v, want a known token unless the row is bad", way, s)
			}
		}
	}
}

// checkAllFail checks that a read returns no row and an error.
func checkAllFail(t *testing.T, way string, batches iter.Seq2[doc.Batch, error], want string) {
	t.Helper()
	var fault error
	for b, err := range batches {
		if fault = err; len(b.Docs)+len(b.Rejects) > 0 {
			t.Errorf("%s: got %d documents and rejects %v, want none", way, len(b.Docs), b.Rejects)
		}
	}
	if fault == nil || !strings.Contains(fault.Error(), want) {
		t.Errorf("%s: got %v, want %s", way, fault, want)
	}
}
