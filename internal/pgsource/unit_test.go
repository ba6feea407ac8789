package pgsource

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/timeunit"
)

// A row unlike most others does not determine the unit of the column.
func TestMostRowsDecideTheUnit(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		typ, bulk, odd string
		year           int // of the odd row; 0: it has no updateTime
	}{
		{"bigint", "1714996800", "253402300799", 9999},
		{"bigint", "1714996800", "1714996800000", 0},
		{"bigint", "1714996800000", "7", 1970},
		{"bigint", "1714996800000", "0", 1970},
		{"bigint", "1714996800000", "-1", 1969},
		{"bigint", "1714996800000", "9223372036854775807", 0},
		{"bigint", "1714996800000000", "1714996800", 1970},
		{"bigint", "1714996800000000000", "9223372036854775807", 2262},
		{"int", "1714996800", "2147483647", 2038},
		{"numeric", "1714996800.25", "253402300799.9", 9999},
		{"numeric", "1714996800000.5", "1e40", 0},
	} {
		t.Run(c.typ+" "+c.bulk+" "+c.odd, func(t *testing.T) {
			table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int PRIMARY KEY, u %s); CREATE INDEX ON doc (u);
				INSERT INTO doc SELECT n, %s FROM generate_series(1, 9) n; INSERT INTO doc VALUES (10, %s), (11, NULL)`, c.typ, c.bulk, c.odd), TableConfig{})
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			if len(docs) != 11 || len(rejects) != 0 {
				t.Fatalf("got %d documents and rejects %v, want 11 and none", len(docs), rejects)
			}
			day := doc.Window{From: at(t, "2024-05-06T00:00:00Z"), To: at(t, "2024-05-07T00:00:00Z")}
			if got := docs["1"].Updated; got.Before(day.From) || !got.Before(day.To) {
				t.Errorf("updateTime %v, want one in %v", got, day)
			}
			if got := docs["10"].Updated; got.IsZero() != (c.year == 0) || c.year != 0 && got.Year() != c.year {
				t.Errorf("updateTime of the odd row %v, want the year %d", got, c.year)
			}
			if stamps := readStamps(t, table.Stamps(t.Context(), day)); len(stamps) != 9 {
				t.Errorf("got stamps %v, want those of 1 to 9", stamps)
			}
			if n, err := table.OutOfRange(t.Context()); n != 1 || err != nil {
				t.Errorf("OutOfRange: got %d, %v, want 1", n, err)
			}
			if err := table.CheckUnits(t.Context()); err != nil {
				t.Errorf("CheckUnits: %v", err)
			}
		})
	}
}

// One plausible row determines the unit, though more rows than a sample are
// implausible.
func TestUnitAmongManyImplausibleRows(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, fmt.Sprintf(`CREATE TABLE doc (id int PRIMARY KEY, u bigint); CREATE INDEX ON doc (u);
		INSERT INTO doc SELECT n, 253402300799 FROM generate_series(1, %d) n; INSERT INTO doc VALUES (0, 1714996800)`, timeunit.Sample+1), TableConfig{})
	if got := table.Units()["sql"]; got != timeunit.Seconds {
		t.Errorf("got unit %q, want seconds", got)
	}
}

// Without a plausible row no unit is kept, and windows are empty.
func TestUnitIsKeptWhenItIsFound(t *testing.T) {
	t.Parallel()
	kept := map[string]string{}
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u bigint); INSERT INTO doc VALUES (1, 253402300799), (2, 0), (3, 9223372036854775807)",
		TableConfig{Keep: func(path, unit string) error { kept[path] = unit; return nil }})
	ever := doc.Window{From: timeunit.Earliest, To: timeunit.Latest(time.Now())}
	if got := readStamps(t, table.Stamps(t.Context(), ever)); len(got) != 0 {
		t.Errorf("got stamps %v, want none", got)
	}
	if got := table.Units(); len(kept) != 0 || got["sql"] != timeunit.Unknown {
		t.Errorf("kept %v, units %v, want none", kept, got)
	}
	pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (4, 1714996800123)")
	if got := readStamps(t, table.Stamps(t.Context(), ever)); len(got) != 1 || got[0].OID != oid(t, int64(4)) {
		t.Errorf("got stamps %v, want that of 4", got)
	}
	if want := map[string]string{"sql": "ms"}; !maps.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
}

func TestUnitThatCannotBeKeptIsNotUsed(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk full")
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u bigint)", TableConfig{Keep: func(string, string) error { return broken }})
	pgtest.Exec(t, dsn, "INSERT INTO doc VALUES (4, 1714996800123)")
	for _, err := range table.Stamps(t.Context(), doc.Window{From: timeunit.Earliest, To: time.Now()}) {
		if !errors.Is(err, broken) || errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
}

// The unit that was kept, the declared unit and the rows must agree.
func TestContradictingUnits(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		typ, bulk, kept, declared string
		want                      string // of the error; "": none
	}{
		{"bigint", "1714996800", "s", "", ""},
		{"bigint", "1714996800", "unknown", "", ""},
		{"bigint", "1714996800", "s", "s", ""},
		{"bigint", "1714996800::bigint * (CASE n WHEN 1 THEN 1 ELSE 1000 END)", "", "s", ""},
		{"bigint", "0", "ms", "", ""},
		{"bigint", "1714996800", "ms", "", "updated: column u: its unit was found to be milliseconds, but most rows now have another (4 in seconds): declare the unit (updated: {column: ..., unit: s}) and load the table again with indexerd reload"},
		{"bigint", "1714996800", "s", "ms", "updated.unit: column u: unit ms is declared, and the table was loaded with seconds"},
		{"bigint", "1714996800", "", "ms", "updated.unit: column u: unit ms is declared, and no row counts in milliseconds (4 in seconds)"},
		{"bigint", "1714996800::bigint * (CASE WHEN n > 2 THEN 1 ELSE 1000 END)", "", "", "updated: column u: its rows have several units (2 in milliseconds, 2 in seconds)"},
		{"timestamptz", "now()", "", "s", "updated.unit: column u has type timestamp with time zone, which has no unit: remove unit"},
		{"date", "now()", "", "ms", "updated.unit: column u has type date, which has no unit: remove unit"},
	} {
		t.Run(c.typ+" "+c.bulk+c.kept+c.declared, func(t *testing.T) {
			pgtest.Exec(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u %s); INSERT INTO doc SELECT n, %s FROM generate_series(1, 4) n`, c.typ, c.bulk))
			_, err := openSource(t, dsn).Table(t.Context(), TableConfig{
				Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u", Unit: c.declared, Units: map[string]string{"sql": c.kept}, Zone: time.UTC,
			})
			var fault *ConfigError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// CheckUnits notices that the rows have changed their unit.
func TestUnitOfMostRowsChanges(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u bigint); INSERT INTO doc SELECT n, 1714996800 FROM generate_series(1, 4) n", TableConfig{})
	pgtest.Exec(t, dsn, "UPDATE doc SET u = u * 1000")
	var fault *ConfigError
	if err := table.CheckUnits(t.Context()); !errors.As(err, &fault) || !strings.Contains(err.Error(), "most rows now have another (4 in milliseconds)") {
		t.Errorf("CheckUnits: got %v, want that most rows are in milliseconds", err)
	}
}

// Children and changes have separate units, and a stamp is the same however it
// is read.
func TestUnitOfEachSQL(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{"bigint", "numeric"} {
		t.Run(typ, func(t *testing.T) {
			table, _ := newTable(t, fmt.Sprintf(`CREATE TABLE doc (id int PRIMARY KEY, u int); INSERT INTO doc VALUES (1, 1714996800), (2, 1714996800);
				CREATE TABLE actor (film int, at %s, name text);
				INSERT INTO actor VALUES (1, 1714996800123, 'Ann'), (2, 1714996800123, 'Bob'), (2, 1714996800123000000, 'Eve'), (2, 5, 'Cid'), (2, -1714996800123000000, 'Dan')`, typ),
				TableConfig{
					Children: []ChildConfig{{Name: "actors", Path: "children.actors", SQL: "SELECT * FROM actor", Key: []string{"film"}, Updated: "at", Columns: []string{"name"}}},
					Changes:  "SELECT id, u::bigint * 1000000 AS u FROM doc",
				})
			want := map[string]timeunit.Unit{"sql": timeunit.Seconds, "children.actors": timeunit.Milliseconds, "changes": timeunit.Microseconds}
			if got := table.Units(); !maps.Equal(got, want) {
				t.Errorf("got units %v, want %v", got, want)
			}
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			stamps, err := table.StampsOf(t.Context(), []doc.OID{oid(t, int64(2))})
			if len(rejects) != 0 || err != nil || len(stamps) != 1 || !stamps[0].Same(docs["2"].Stamp) {
				t.Fatalf("got documents %v, rejects %v, stamps %v, %v, want one stamp, that of document 2", docs, rejects, stamps, err)
			}
			if want := at(t, "2024-05-06T12:00:00.123Z"); !stamps[0].Updated.Equal(want) {
				t.Errorf("got updateTime %v, want %v", stamps[0].Updated, want)
			}
			if n, err := table.OutOfRange(t.Context()); n != 3 || err != nil {
				t.Errorf("OutOfRange: got %d, %v, want 3", n, err)
			}
		})
	}
}
