package main

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
)

// BenchmarkScale loads tables of SCALE_ROWS rows, such as "100000 1000000", searches,
// sweeps and verifies them, starts the daemon again on them, and prints what a row costs
// in each. The last line extrapolates the last two to 10^8 rows: CPU grows with the
// logarithm of the rows, as merges do, and sizes on disk with the rows. Of the memory,
// only the addresses of pages grow without a limit.
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
		fmt.Printf("scale: rows=%d sweep_us_row=%.2f verify_us_row=%.2f restart_s=%.1f\n", rows, s.of(s.sweep.Seconds()*1e6), s.of(s.verify.Seconds()*1e6), s.restart.Seconds())
		for i, found := range s.found {
			over := 1.0
			if len(all) > 0 {
				over = found.P50 / all[len(all)-1].found[i].P50
			}
			fmt.Printf("scale: rows=%d search=%q %v over_before=%.2f\n", rows, scaleSearches[i].name, found, over)
		}
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

	sweep, verify, restart time.Duration
	found                  []timed // of scaleSearches, over HTTP
}

// The searches of all tables: words by the share of the rows that have them. Of the
// last one, ten rows of every table.
var scaleSearches = []struct {
	name string
	of   func(words func(share float64) string) string
}{
	{"word in 50 %", func(words func(float64) string) string { return words(0.5) }},
	{"word in 2.5 %", func(words func(float64) string) string { return words(0.025) }},
	{"AND of two", func(words func(float64) string) string { return words(0.3) + " " + words(0.1) }},
	{"OR of two", func(words func(float64) string) string { return words(0.3) + " OR " + words(0.1) }},
	{"rare word", func(func(float64) string) string { return "number123" }},
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

// loadScale loads a table, and measures what is done with one that is loaded.
func loadScale(b *testing.B, rows int) (s scale) {
	b.Helper()
	dsn, data := scaleTable(b, rows), filepath.Join(b.TempDir(), "data")
	began := time.Now()
	file := writeFile(b, textConfig(dsn, data))
	p := start(b, "run", "-c", file)
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
	s.searches(b, p)
	s.compares(b, file)
	p.stop(b)
	began = time.Now()
	p = start(b, "run", "-c", file)
	eventually(b, time.Hour, "ready again", func() error {
		_, err := get(p.base + "/readyz")
		return err
	})
	s.restart = time.Since(began)
	p.stop(b)
	if err := os.RemoveAll(data); err != nil {
		b.Fatal(err)
	}
	return s
}

// searches times scaleSearches.
func (s *scale) searches(b *testing.B, p *proc) {
	b.Helper()
	var texts []string
	for _, one := range generatedTexts(min(s.rows, 100_000)) {
		texts = append(texts, one.Text)
	}
	words := wordsByShare(texts)
	for _, search := range scaleSearches {
		params := url.Values{"q": {search.of(words)}}
		s.found = append(s.found, timeHTTP(b, p, p.base+"/api/v1/tables/text/search?"+params.Encode()))
	}
}

// compares sweeps and verifies the table.
func (s *scale) compares(b *testing.B, file string) {
	b.Helper()
	began := time.Now()
	if got := sweeps(b, 0, file, "text"); got.Compared < s.rows {
		b.Fatalf("sweep: got %+v, want %d compared", got, s.rows)
	}
	s.sweep = time.Since(began)
	began = time.Now()
	if got := verifies(b, 0, file, "--content"); got.Compared != s.rows {
		b.Fatalf("verify: got %+v, want %d compared", got, s.rows)
	}
	s.verify = time.Since(began)
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
