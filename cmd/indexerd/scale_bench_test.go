package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
)

// BenchmarkScale loads tables of SCALE_ROWS rows, such as "100000 1000000", and prints
// what a row costs in each. The last line extrapolates the last two to 10^8 rows: CPU
// grows with the logarithm of the rows, as merges do, and sizes on disk with the rows.
// Of the memory, only the addresses of pages grow without a limit.
func BenchmarkScale(b *testing.B) {
	sizes := strings.Fields(os.Getenv("SCALE_ROWS"))
	if len(sizes) == 0 {
		sizes = []string{"100000"}
	}
	var all []scale
	for _, text := range sizes {
		rows, err := strconv.Atoi(text)
		if err != nil {
			b.Fatalf("SCALE_ROWS: %v", err)
		}
		s := loadScale(b, rows)
		fmt.Printf("scale: rows=%d cpu_us_row=%.1f over_first=%.2f rows_per_s=%.0f index_bytes_row=%.0f pages_bytes_row=%.0f peak_rssanon_mb=%.0f rssanon_bytes_row=%.0f mapped_bytes_row=%.0f files=%d\n",
			rows, s.perRow(rows), s.perRow(rows)/append(all, s)[0].perRow(append(all, s)[0].rows), float64(rows)/s.Wall.Seconds(),
			s.of(s.index), s.of(s.pages), s.PeakMB, s.of(s.anon), s.of(s.mapped), s.files)
		all = append(all, s)
	}
	if n := len(all); n > 1 {
		all[n-2].extrapolate(all[n-1])
	}
}

// A scale is what a table of so many rows takes.
type scale struct {
	cost
	rows         int
	index, pages float64 // bytes on disk
	anon, mapped float64 // bytes in memory after the load
	files        int     // of segments of the index
}

func (s scale) of(bytes float64) float64 { return bytes / float64(s.rows) }

// extrapolate prints what the larger one and its growth say of 10^8 rows.
func (s scale) extrapolate(larger scale) {
	const rows = 100_000_000
	per := func(c scale) float64 { return c.perRow(c.rows) }
	tenfold := (per(larger) - per(s)) / math.Log10(float64(larger.rows)/float64(s.rows))
	cpu := per(larger) + max(tenfold, 0)*math.Log10(rows/float64(larger.rows))
	const hour, gb, pageAddress = 3600e6, 1 << 30, 11
	fmt.Printf("scale: rows=%d extrapolated cpu_us_row=%.1f cpu_hours=%.1f index_gb=%.0f pages_gb=%.0f rssanon_gb=%.1f\n",
		rows, cpu, cpu*rows/hour, larger.of(larger.index)*rows/gb, larger.of(larger.pages)*rows/gb, (larger.anon+pageAddress*float64(rows-larger.rows))/gb)
}

// loadScale loads a table.
func loadScale(b *testing.B, rows int) (s scale) {
	b.Helper()
	dsn, data := scaleTable(b, rows), filepath.Join(b.TempDir(), "data")
	began := time.Now()
	p := start(b, "run", "-c", writeFile(b, textConfig(dsn, data)))
	s.rows = rows
	sample := func() { s.PeakMB = max(s.PeakMB, p.memory(b, "RssAnon")) }
	eventually(b, 24*time.Hour, "loaded", func() error {
		sample()
		_, err := get(p.base + "/readyz")
		return err
	})
	s.Wall = time.Since(began)
	s.CPU = settledCPU(b, p, sample)
	const mb = 1 << 20
	s.anon, s.mapped = p.memory(b, "RssAnon")*mb, p.memory(b, "RssFile")*mb
	s.index, s.pages = float64(size(b, filepath.Join(data, "text", "index"))), float64(size(b, filepath.Join(data, "text", "pages")))
	files, err := filepath.Glob(filepath.Join(data, "text", "index", "*.zap"))
	if err != nil {
		b.Fatal(err)
	}
	s.files = len(files)
	p.stop(b)
	if err := os.RemoveAll(data); err != nil {
		b.Fatal(err)
	}
	return s
}

// scaleTable makes a table of generated texts of about 500 bytes. Every tenth row has
// a word that no row before it has, as new rows of a real table do.
func scaleTable(b *testing.B, rows int) string {
	b.Helper()
	some := generatedTexts(min(rows, 100_000))
	dsn := pgtest.DB(b)
	pgtest.Exec(b, dsn, `CREATE TABLE text (
		oid bigint PRIMARY KEY, body text NOT NULL, kind text NOT NULL, n int NOT NULL,
		written timestamptz NOT NULL, updated timestamptz NOT NULL)`)
	conn := pgtest.Connect(b, dsn)
	start := time.Now().Add(-24 * time.Hour)
	_, err := conn.CopyFrom(context.Background(), pgx.Identifier{"text"}, []string{"oid", "body", "kind", "n", "written", "updated"},
		pgx.CopyFromSlice(rows, func(i int) ([]any, error) {
			one := some[i%len(some)]
			body := fmt.Sprintf("%s number%d", one.Text, i/10)
			return []any{int64(i + 1), body, one.Kind, int64(i), time.Unix(one.T+int64(i), 0), start.Add(time.Duration(i) * time.Microsecond)}, nil
		}))
	if err != nil {
		b.Fatal(err)
	}
	pgtest.Exec(b, dsn, "CREATE INDEX ON text (updated)")
	pgtest.Exec(b, dsn, "VACUUM ANALYZE text")
	pgtest.Exec(b, dsn, "CHECKPOINT") // or the kernel would still write the table while the daemon loads it
	return dsn
}
