package postgres

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
	"indexerd/internal/test/pgtest"
)

// fill creates 100,000 rows of 5 columns and about 500 bytes.
const fill = `CREATE TABLE doc (id bigint PRIMARY KEY, u timestamptz, title text, body text, price numeric(10,2));
	INSERT INTO doc SELECT n, now() + n * interval '1 ms', 'title ' || n, repeat('some words of text ', 23), n / 100.0 FROM generate_series(1, 100000) n;
	CREATE INDEX ON doc (u); ANALYZE doc`

// withParts adds two rows of a child to each row.
const withParts = fill + `; CREATE TABLE part AS SELECT id, u, body AS v FROM doc, generate_series(1, 2); CREATE INDEX ON part (id); ANALYZE part`

// benchmarkRows measures reads of all rows. The time includes the server's, which
// computes the tokens.
func benchmarkRows(b *testing.B, setup string, read func(*source.Table) int, children ...source.ChildConfig) {
	dsn := pgtest.DB(b)
	table := tableIn(b, dsn, setup, source.TableConfig{Children: children})
	for b.Loop() {
		if rows := read(table); rows != 100_000 {
			b.Fatalf("got %d rows, want 100000", rows)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/row")
}

var parts = source.ChildConfig{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}, Updated: "u"}

// BenchmarkRange reads a table as the initial load does.
func BenchmarkRange(b *testing.B) {
	benchmarkRows(b, fill, func(t *source.Table) int { return countRows(b, t) })
}

// BenchmarkRangeWithChildren reads documents with two rows of a child each.
func BenchmarkRangeWithChildren(b *testing.B) {
	benchmarkRows(b, withParts, func(t *source.Table) int { return countRows(b, t) }, parts)
}

func countRows(b *testing.B, table *source.Table) (rows int) {
	for batch, err := range table.Range(b.Context(), doc.Range{}) {
		if err != nil {
			b.Fatal(err)
		}
		rows += len(batch.Docs)
	}
	return rows
}

func BenchmarkStamps(b *testing.B) {
	benchmarkRows(b, fill, func(t *source.Table) int { return len(readStamps(b, t.Stamps(b.Context(), always))) })
}

// BenchmarkStampsInRange reads the stamps that a sweep compares.
func BenchmarkStampsInRange(b *testing.B) {
	benchmarkRows(b, withParts, func(t *source.Table) int {
		return len(readStamps(b, t.StampsInRange(b.Context(), doc.Range{})))
	}, parts)
}

// BenchmarkTokenSums reads the sums of 400 ranges, which a comparison reads instead.
func BenchmarkTokenSums(b *testing.B) {
	var bounds []doc.OID
	for i := range int64(399) {
		oid, err := doc.NewOID(250 * (i + 1))
		if err != nil {
			b.Fatal(err)
		}
		bounds = append(bounds, oid)
	}
	benchmarkRows(b, withParts, func(t *source.Table) (rows int) {
		sums, err := t.TokenSums(b.Context(), bounds)
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range sums {
			rows += int(s.Rows)
		}
		return rows
	}, parts)
}

// BenchmarkEmptyWindow reads what an idle pass does.
func BenchmarkEmptyWindow(b *testing.B) {
	table := tableIn(b, pgtest.DB(b), fill, source.TableConfig{})
	now := time.Now().Add(24 * time.Hour)
	for b.Loop() {
		for page, err := range table.Stamps(b.Context(), doc.Window{From: now, To: now.Add(time.Second)}) {
			b.Fatal(page, err)
		}
	}
}

// BenchmarkDecode decodes a row from the driver's buffers.
func BenchmarkDecode(b *testing.B) {
	row := [][]byte{[]byte("12345"), []byte("2024-01-01 00:00:00.123+00"), []byte("title 12345"), make([]byte, 400), []byte("123.45"), []byte("{1,2,3}")}
	var columns []source.Column
	for _, t := range []columnType{{OID: pgtype.Int8OID}, {OID: pgtype.TimestamptzOID}, {OID: pgtype.TextOID}, {OID: pgtype.TextOID}, {OID: pgtype.NumericOID},
		{OID: pgtype.Int4ArrayOID, Element: pgtype.Int4OID}} {
		columns = append(columns, newColumn(pgconn.FieldDescription{}, t))
	}
	x := &session{}
	b.ReportAllocs()
	for b.Loop() {
		for i, raw := range x.load(row) {
			if _, err := columns[i].Value(raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}
