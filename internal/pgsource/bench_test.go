package pgsource

import (
	"testing"
	"time"

	"indexerd/internal/doc"
)

const benchRows = 100_000

// fill makes rows of 5 columns and about 500 bytes.
const fill = `CREATE TABLE doc (id bigint PRIMARY KEY, u timestamptz, title text, body text, price numeric(10,2));
	INSERT INTO doc SELECT n, now() + n * interval '1 ms', 'title ' || n, repeat('some words of text ', 23), n / 100.0 FROM generate_series(1, 100000) n;
	CREATE INDEX ON doc (u); ANALYZE doc`

// BenchmarkRange reads a table as the initial load does. Its time is that of
// the server, which computes the tokens, and of this process together.
func BenchmarkRange(b *testing.B) {
	table, _ := newTable(b, fill, TableConfig{Batch: 2000})
	for b.Loop() {
		rows := 0
		for batch, err := range table.Range(b.Context(), doc.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(batch.Docs)
		}
		if rows != benchRows {
			b.Fatalf("got %d rows, want %d", rows, benchRows)
		}
	}
	perRow(b)
}

func BenchmarkStamps(b *testing.B) {
	table, _ := newTable(b, fill, TableConfig{})
	for b.Loop() {
		rows := 0
		for page, err := range table.Stamps(b.Context(), doc.Window{To: maxTime}) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(page)
		}
		if rows != benchRows {
			b.Fatalf("got %d stamps, want %d", rows, benchRows)
		}
	}
	perRow(b)
}

// BenchmarkStampsInRange reads what a sweep compares, of documents with two
// rows of a child each.
func BenchmarkStampsInRange(b *testing.B) {
	table, _ := newTable(b, fill+`; CREATE TABLE part AS SELECT id, u, body AS v FROM doc, generate_series(1, 2);
		CREATE INDEX ON part (id); ANALYZE part`, TableConfig{Children: parts("SELECT * FROM part", "id")})
	for b.Loop() {
		rows := 0
		for page, err := range table.StampsInRange(b.Context(), doc.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(page)
		}
		if rows != benchRows {
			b.Fatalf("got %d stamps, want %d", rows, benchRows)
		}
	}
	perRow(b)
}

// BenchmarkFamilies reads them as the initial load does.
func BenchmarkFamilies(b *testing.B) {
	table, _ := newTable(b, fill+`; CREATE TABLE part AS SELECT id, u, body AS v FROM doc, generate_series(1, 2);
		CREATE INDEX ON part (id); ANALYZE part`, TableConfig{Batch: 2000, Children: parts("SELECT * FROM part", "id")})
	for b.Loop() {
		rows := 0
		for batch, err := range table.Range(b.Context(), doc.Range{}) {
			if err != nil {
				b.Fatal(err)
			}
			rows += len(batch.Docs)
		}
		if rows != benchRows {
			b.Fatalf("got %d rows, want %d", rows, benchRows)
		}
	}
	perRow(b)
}

// BenchmarkDecode is this process's part: from the driver's buffers to a
// document.
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

func perRow(b *testing.B) {
	b.Helper()
	perRow := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / benchRows
	b.ReportMetric(perRow, "ns/row")
	b.ReportMetric(1e9/perRow, "rows/s")
}
