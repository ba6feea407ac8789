package sqlitesource

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/timeunit"
)

// unitTable creates a table of n rows whose updateTime is an expression of n.
func unitTable(t testing.TB, declared, expression string, n int) *testDB {
	t.Helper()
	return newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u "+declared+")", "CREATE INDEX t_u ON t (u)", fmt.Sprintf(
		"WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) INSERT INTO t SELECT n, %s FROM s", n, expression))
}

func TestMostRowsDecideTheUnit(t *testing.T) {
	const noon = "2024-05-06T12:00:00Z"
	for _, c := range []struct{ name, declared, bulk, odd string }{
		{"seconds and the year 9999", "INTEGER", "1714996800", "253402300799"},
		{"seconds and a row in milliseconds", "INTEGER", "1714996800", "1714996800000"},
		{"seconds and a Julian day", "", "1714996800", "2460437.0"},
		{"seconds and text", "", "1714996800", "'2024-05-06 12:00:00'"},
		{"seconds and text of the year 9999", "", "1714996800", "'9999-12-31'"},
		{"milliseconds and a small number", "INTEGER", "1714996800000", "7"},
		{"milliseconds and the greatest number", "INTEGER", "1714996800000", "9223372036854775807"},
		{"milliseconds and the least number", "INTEGER", "1714996800000", "-9223372036854775807"},
		{"real seconds and a great real", "REAL", "1714996800.0", "1e300"},
		{"Julian days and a row in seconds", "REAL", "2460437.0", "1714996800"},
		{"text and a number", "", "'2024-05-06 12:00:00'", "1714996800"},
		{"text and a word", "", "'2024-05-06 12:00:00'", "'until further notice'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := unitTable(t, c.declared, c.bulk, 9)
			db.exec("INSERT INTO t VALUES (10, " + c.odd + ")")
			table := db.table(TableConfig{})
			docs, _ := docsOf(t, table, oid(t, 1))
			if want := instant(t, noon); len(docs) != 1 || !docs[0].Updated.Equal(want) {
				t.Fatalf("documents = %v, want one of %v", docs, want)
			}
			at := instant(t, noon)
			if got := stampKeys(stampsOf(t, table, at, at.Add(time.Millisecond))); !strings.HasPrefix(got, "1 2 3 4 5 6 7 8 9") {
				t.Errorf("stamps of the window = %s, want those of 1 to 9", got)
			}
			if n, err := table.OutOfRange(t.Context()); n != 1 || err != nil {
				t.Errorf("OutOfRange = %d, %v, want 1", n, err)
			}
			if err := table.CheckUnits(t.Context()); err != nil {
				t.Errorf("CheckUnits: %v", err)
			}
		})
	}
}

// The row is not a reject.
func TestNumberOutsideAllTimesIsLikeNULL(t *testing.T) {
	db := unitTable(t, "INTEGER", "1714996800", 3)
	db.exec("INSERT INTO t VALUES (4, 1714996800000000)")
	docs, rejects := docsOf(t, db.table(TableConfig{}), oid(t, 4))
	if len(docs) != 1 || len(rejects) != 0 || !docs[0].Updated.IsZero() {
		t.Errorf("documents %v, rejects %v, want one document without updateTime", docs, rejects)
	}
}

// Without a plausible row no unit is stored, and no window contains a row.
func TestUnitIsFoundLater(t *testing.T) {
	db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER)", "INSERT INTO t VALUES (1, 253402300799), (2, 0)")
	kept := map[string]string{}
	table := db.table(TableConfig{Keep: func(path, unit string) error { kept[path] = unit; return nil }})
	ever := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(time.Now())}
	if got := stampsOf(t, table, ever.From, ever.To); len(got) != 0 {
		t.Errorf("stamps = %v, want none", got)
	}
	if got := table.Units(); len(kept) != 0 || got["sql"] != timeunit.Unknown {
		t.Errorf("kept %v, units %v, want none", kept, got)
	}
	db.exec("INSERT INTO t VALUES (3, 1714996800123)")
	if got := stampKeys(stampsOf(t, table, ever.From, ever.To)); got != "3" {
		t.Errorf("stamps = %s, want 3", got)
	}
	if want := map[string]string{"sql": "ms"}; !maps.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}

// Marks would depend on it.
func TestUnitThatCannotBeStoredIsNotUsed(t *testing.T) {
	broken := errors.New("disk full")
	db := unitTable(t, "INTEGER", "1714996800", 3)
	_, err := db.source().Table(t.Context(), withDefaults(TableConfig{Keep: func(string, string) error { return broken }}))
	if !errors.Is(err, broken) {
		t.Errorf("Table: %v, want %v", err, broken)
	}
}

// The stored unit, the declared one and that of most rows must agree.
func TestConflictingUnitsAreConfigErrors(t *testing.T) {
	for _, c := range []struct {
		name, bulk, kept, declared string
		want                       string // of the error; "": none
	}{
		{"as kept", "1714996800", "s", "", ""},
		{"declared as kept", "1714996800", "s", "s", ""},
		{"declared", "1714996800", "", "s", ""},
		{"kept otherwise", "1714996800", "ms", "", "updated: column u: its unit was found to be milliseconds, but most rows now have another (3 in seconds): declare the unit (updated: {column: ..., unit: s}) and load the table again with indexerd reload"},
		{"declared otherwise than kept", "1714996800", "s", "ms", "updated.unit: column u: unit ms is declared, and the table was loaded with seconds: put it back, or load the table again with indexerd reload"},
		{"declared otherwise than the rows", "1714996800", "", "ms", "updated.unit: column u: unit ms is declared, and no row counts in milliseconds (3 in seconds): correct or remove unit"},
		{"declared for text", "'2024-05-06'", "", "s", "updated.unit: column u: unit s is declared, and no row counts in seconds (3 in text): correct or remove unit"},
		{"text that became numbers", "1714996800", "text", "", "updated: column u: its unit was found to be text, but most rows now have another"},
	} {
		t.Run(c.name, func(t *testing.T) {
			db := unitTable(t, "", c.bulk, 3)
			_, err := db.source().Table(t.Context(), withDefaults(TableConfig{Unit: c.declared, Units: map[string]string{"sql": c.kept}}))
			var fault *ConfigError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("Table: %v, want %q", err, c.want)
			}
		})
	}
}

func TestCheckUnitsReportsChangedRows(t *testing.T) {
	db := unitTable(t, "INTEGER", "1714996800", 3)
	table := db.table(TableConfig{})
	db.exec("UPDATE t SET u = u * 1000")
	var fault *ConfigError
	if err := table.CheckUnits(t.Context()); !errors.As(err, &fault) || !strings.Contains(err.Error(), "most rows now have another (3 in milliseconds)") {
		t.Errorf("CheckUnits: %v, want that most rows are in milliseconds", err)
	}
}

func TestEachSQLHasItsOwnUnit(t *testing.T) {
	db := unitTable(t, "INTEGER", "1714996800", 3)
	for _, statement := range []string{
		"CREATE TABLE actor (film INTEGER, at INTEGER, name TEXT)",
		"INSERT INTO actor VALUES (1, 1714996800123, 'Ann'), (2, 1714996800123, 'Bob'), (2, 253402300799000000, 'Eve'), (2, 5, 'Cid')",
	} {
		db.exec(statement)
	}
	table := db.table(TableConfig{Children: actors("SELECT * FROM actor"), Changes: "SELECT id, u * 1000000 AS u FROM t"})
	want := map[string]timeunit.Unit{"sql": timeunit.Seconds, "children.actors": timeunit.Milliseconds, "changes": timeunit.Microseconds}
	if got := table.Units(); !maps.Equal(got, want) {
		t.Errorf("units %v, want %v", got, want)
	}
	// The document and StampsOf have the same stamp.
	docs, rejects := docsOf(t, table, oid(t, 2))
	stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, 2)})
	if len(docs) != 1 || len(rejects) != 0 || err != nil || len(stamps) != 1 || !stamps[0].Same(docs[0].Stamp) {
		t.Fatalf("documents %v, rejects %v, stamps %v, %v: want one, and its stamp", docs, rejects, stamps, err)
	}
	if want := instant(t, "2024-05-06T12:00:00.123Z"); !docs[0].Updated.Equal(want) {
		t.Errorf("updateTime %v, want %v", docs[0].Updated, want)
	}
	if n, err := table.OutOfRange(t.Context()); n != 2 || err != nil {
		t.Errorf("OutOfRange = %d, %v, want 2", n, err)
	}
}
