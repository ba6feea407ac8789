package postgres

import (
	"fmt"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
)

// A row unlike most others does not determine the unit of the column, whatever its
// type of number.
func TestMostRowsDecideTheUnit(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct {
		typ, bulk, odd string
		year           int // of the odd row; 0: it has no updateTime
	}{
		{"int", "1714996800", "2147483647", 2038},
		{"bigint", "1714996800000", "-1", 1969},
		{"bigint", "1714996800000000000", "9223372036854775807", 2262},
		{"numeric", "1714996800.25", "253402300799.9", 9999},
		{"numeric", "1714996800000.5", "1e40", 0},
		{"numeric", "1714996800.25", "1e-40", 1970},
		{"numeric(20,0)", "1714996800000", "0", 1970},
	} {
		t.Run(c.typ+" "+c.bulk+" "+c.odd, func(t *testing.T) {
			table := tableIn(t, dsn, fmt.Sprintf(`DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int PRIMARY KEY, u %s); CREATE INDEX ON doc (u);
				INSERT INTO doc SELECT n, %s FROM generate_series(1, 9) n; INSERT INTO doc VALUES (10, %s), (11, NULL)`, c.typ, c.bulk, c.odd), source.TableConfig{})
			docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
			if len(docs) != 11 || len(rejects) != 0 {
				t.Fatalf("got %d documents and rejects %v, want 11 and none", len(docs), rejects)
			}
			day := doc.Window{From: at(t, "2024-05-06T00:00:00Z"), To: at(t, "2024-05-07T00:00:00Z")}
			if got := docs["1"].Updated; got.Before(day.From) || !got.Before(day.To) {
				t.Errorf("got updateTime %v, want one in %v", got, day)
			}
			if got := docs["10"].Updated; got.IsZero() != (c.year == 0) || c.year != 0 && got.Year() != c.year {
				t.Errorf("got updateTime %v of the odd row, want the year %d", got, c.year)
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

// A numeric is not always a number.
func TestNaNIsNoUpdateTime(t *testing.T) {
	t.Parallel()
	table := tableIn(t, pgtest.DB(t), "CREATE TABLE doc (id int, u numeric); INSERT INTO doc VALUES (1, 1714996800), (2, 'NaN')", source.TableConfig{})
	docs, _ := readAll(t, table.Range(t.Context(), doc.Range{}))
	stamps := readStamps(t, table.Stamps(t.Context(), always))
	if d, ok := docs["2"]; !ok || !d.Updated.IsZero() || len(stamps) != 1 || stamps[0].OID != oid(t, int64(1)) {
		t.Errorf("got documents %v and stamps %v, want both, the second without updateTime, and the stamp of 1", sortedKeys(docs), stamps)
	}
}
