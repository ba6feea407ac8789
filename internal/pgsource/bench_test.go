package pgsource

import (
	"testing"
	"time"

	"indexerd/internal/doc"
)

const benchRows = 100_000

// fill creates rows of 5 columns and about 500 bytes.
const fill = `CREATE TABLE doc (id bigint PRIMARY KEY, u timestamptz, title text, body text, price numeric(10,2));
	INSERT INTO doc SELECT n, now() + n * interval '1 ms', 'title ' || n, repeat('some words of text ', 23), n / 100.0 FROM generate_series(1, 100000) n;
	CREATE INDEX ON doc (u); ANALYZE doc`

// withParts adds two rows of a child to each row.
const withParts = fill + `; CREATE TABLE part AS SELECT id, u, body AS v FROM doc, generate_series(1, 2); CREATE INDEX ON part (id); ANALYZE part`

// benchmarkRows measures reads of all rows. The time includes the server's,
// which computes the tokens.
func benchmarkRows(b *testing.B, setup string, cfg TableConfig, read func(*Table) int) {
	table, _ := newTable(b, setup, cfg)
	for b.Loop() {
		if rows := read(table); rows != benchRows {
			b.Fatalf("got %d rows, want %d", rows, benchRows)
		}
	}
	perRow := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / benchRows
	b.ReportMetric(perRow, "ns/row")
	b.ReportMetric(1e9/perRow, "rows/s")
}

// BenchmarkRange reads a table as the initial load does.
func BenchmarkRange(b *testing.B) {
	benchmarkRows(b, fill, TableConfig{Batch: 2000}, func(t *Table) int { return countRows(b, t) })
}

// BenchmarkRangeWithChildren reads documents with two rows of a child each.
func BenchmarkRangeWithChildren(b *testing.B) {
	cfg := TableConfig{Batch: 2000, Children: parts("SELECT * FROM part", "id")}
	benchmarkRows(b, withParts, cfg, func(t *Table) int { return countRows(b, t) })
}

func countRows(b *testing.B, table *Table) (rows int) {
	for batch, err := range table.Range(b.Context(), doc.Range{}) {
		if err != nil {
			b.Fatal(err)
		}
		rows += len(batch.Docs)
	}
	return rows
}

func BenchmarkStamps(b *testing.B) {
	benchmarkRows(b, fill, TableConfig{}, func(t *Table) int {
		return len(readStamps(b, t.Stamps(b.Context(), doc.Window{To: maxTime})))
	})
}

// BenchmarkStampsInRange reads the stamps that a sweep compares.
func BenchmarkStampsInRange(b *testing.B) {
	benchmarkRows(b, withParts, TableConfig{Children: parts("SELECT * FROM part", "id")}, func(t *Table) int {
		return len(readStamps(b, t.StampsInRange(b.Context(), doc.Range{})))
	})
}

// BenchmarkDecode decodes a document from the driver's buffers.
func BenchmarkDecode(b *testing.B) {
	table, _ := newTable(b, "CREATE TABLE doc (id bigint, u timestamptz, title text, body text, price numeric(10,2))", TableConfig{})
	d := table.bodyDecoder(0)
	row := [][]byte{[]byte("12345"), []byte("2024-01-01 00:00:00.123+00"), []byte("title 12345"), make([]byte, 400), []byte("123.45"), []byte("-1234567890123456789")}
	b.ReportAllocs()
	for b.Loop() {
		d.copy(row)
		if _, reject := d.document(); reject != nil {
			b.Fatal(reject.Reason)
		}
	}
}

func BenchmarkEmptyWindow(b *testing.B) {
	table, _ := newTable(b, fill, TableConfig{})
	now := time.Now().Add(24 * time.Hour)
	for b.Loop() {
		for page, err := range table.Stamps(b.Context(), doc.Window{From: now, To: now.Add(time.Second)}) {
			b.Fatal(page, err)
		}
	}
}
