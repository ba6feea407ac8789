package fulltext

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"indexerd/internal/doc"
)

const (
	benchDocs  = 20_000
	benchBatch = 2_000
)

// BenchmarkApply indexes English texts beside bleve's default mapping and
// bleve's own fields with everything off that is not needed. The figure to
// trust is us-cpu/doc.
func BenchmarkApply(b *testing.B) {
	all := readLines(b, "en.jsonl.gz", benchDocs)
	for _, positions := range []bool{true, false} {
		m := lines
		m.Positions = positions
		b.Run(fmt.Sprintf("fulltext/positions=%t", positions), func(b *testing.B) {
			benchmark(b, all, func(dir string) (write func([]line) error, done func() error) {
				ix, err := Create(dir, m, 1)
				if err != nil {
					b.Fatal(err)
				}
				return func(batch []line) error {
					docs := make([]doc.Doc, len(batch))
					for i, l := range batch {
						docs[i] = l.doc(b)
					}
					return ix.Apply(docs, nil)
				}, ix.Close
			})
		})
	}
	b.Run("bleve/tuned", func(b *testing.B) { benchmarkBleve(b, all, tunedMapping()) })
	b.Run("bleve/default", func(b *testing.B) { benchmarkBleve(b, all, bleve.NewIndexMapping()) })
}

func tunedMapping() *mapping.IndexMappingImpl {
	text := bleve.NewTextFieldMapping()
	text.Store, text.IncludeInAll, text.DocValues, text.IncludeTermVectors = false, false, false, true
	kind := bleve.NewKeywordFieldMapping()
	kind.Store, kind.IncludeInAll, kind.IncludeTermVectors, kind.SkipFreqNorm = false, false, false, true
	n := bleve.NewNumericFieldMapping()
	n.Store, n.IncludeInAll = false, false
	t := bleve.NewDateTimeFieldMapping()
	t.Store, t.IncludeInAll = false, false
	d := bleve.NewDocumentStaticMapping()
	d.AddFieldMappingsAt("text", text)
	d.AddFieldMappingsAt("kind", kind)
	d.AddFieldMappingsAt("n", n)
	d.AddFieldMappingsAt("t", t)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = d
	return m
}

func benchmarkBleve(b *testing.B, all []line, m mapping.IndexMapping) {
	benchmark(b, all, func(dir string) (write func([]line) error, done func() error) {
		ix, err := bleve.New(dir, m)
		if err != nil {
			b.Fatal(err)
		}
		return func(lines []line) error {
			batch := ix.NewBatch()
			for _, l := range lines {
				err := batch.Index(strconv.FormatInt(l.OID, 10), map[string]any{"text": l.Text, "kind": l.Kind, "n": float64(l.N), "t": l.time()})
				if err != nil {
					return err
				}
			}
			return ix.Batch(batch)
		}, ix.Close
	})
}

// benchmark writes all lines in batches from two goroutines, as a load does.
func benchmark(b *testing.B, all []line, open func(dir string) (write func([]line) error, done func() error)) {
	for range b.N {
		b.StopTimer()
		dir := filepath.Join(b.TempDir(), "index")
		write, done := open(dir)
		batches := make(chan []line)
		before := cpu(b)
		b.StartTimer()
		var workers sync.WaitGroup
		for range 2 {
			workers.Go(func() {
				for batch := range batches {
					if err := write(batch); err != nil {
						b.Error(err)
					}
				}
			})
		}
		for i := 0; i < len(all); i += benchBatch {
			batches <- all[i:min(i+benchBatch, len(all))]
		}
		close(batches)
		workers.Wait()
		b.StopTimer()
		if err := done(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64((cpu(b)-before).Microseconds())/float64(len(all)), "us-cpu/doc")
		b.ReportMetric(float64(size(b, dir))/float64(len(all)), "bytes/doc")
	}
	b.ReportMetric(float64(b.N*len(all))/b.Elapsed().Seconds(), "docs/s")
}

// cpu is the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func size(b *testing.B, dir string) (n int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		n += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkDocuments lists a million documents in key order, as a sweep does.
func BenchmarkDocuments(b *testing.B) {
	const all, step = 1_000_000, 10_000
	ix := newIndex(b, films)
	for from := int64(0); from < all; from += step {
		docs := make([]doc.Doc, step)
		for i := range docs {
			docs[i] = film(b, from+int64(i), 1, map[string]any{"title": "drama"})
		}
		apply(b, ix, docs)
	}
	for b.Loop() {
		n := 0
		for from, more := doc.OID(""), true; more; more = from != "" {
			docs, next, err := ix.Documents(from, step)
			if err != nil {
				b.Fatal(err)
			}
			n += len(docs)
			from = next
		}
		if n != all {
			b.Fatalf("got %d documents, want %d", n, all)
		}
	}
}
