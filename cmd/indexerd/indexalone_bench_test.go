package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/serve/database"
)

const (
	bleveBatch   = 2000 // rows of a batch of bleve alone
	defaultShare = 10   // the default mapping gets one row in so many
)

// TestIndexAlone is a part of BenchmarkLoad, and runs only for it.
func TestIndexAlone(t *testing.T) {
	side := os.Getenv("INDEXERD_INDEX_ALONE")
	if side == "" {
		t.Skip("a part of BenchmarkLoad: run make bench")
	}
	all := outsideTexts(t, os.Getenv("INDEXERD_INDEX_TEXTS"))
	apply := applySame
	switch side {
	case "default":
		all = all[:len(all)/defaultShare]
		apply = func(t *testing.T, all []bodyText) time.Time { return applyBleve(t, all, bleve.NewIndexMapping()) }
	case "bleve":
		apply = func(t *testing.T, all []bodyText) time.Time { return applyBleve(t, all, leanMapping(t)) }
	}
	before, began := cpuTime(t), time.Now()
	written := apply(t, all)
	line, err := json.Marshal(cost{CPU: cpuTime(t) - before, Wall: written.Sub(began)})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("cost %s\n", line)
}

// leanMapping is a mapping of bleve for these rows that stores nothing and has no
// field of all fields. Its analyzers drop no word.
func leanMapping(t *testing.T) mapping.IndexMapping {
	t.Helper()
	m := bleve.NewIndexMapping()
	filters := []string{lowercase.Name}
	if os.Getenv("INDEXERD_INDEX_ANALYZER") == "en" {
		filters = append(filters, en.PossessiveName, porter.Name)
	}
	err := m.AddCustomAnalyzer("words", map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": filters})
	if err != nil {
		t.Fatal(err)
	}
	body, kind, n, written := bleve.NewTextFieldMapping(), bleve.NewKeywordFieldMapping(), bleve.NewNumericFieldMapping(), bleve.NewDateTimeFieldMapping()
	for _, field := range []*mapping.FieldMapping{body, kind, n, written} {
		field.Store, field.IncludeInAll, field.IncludeTermVectors, field.DocValues = false, false, false, field != body
	}
	body.IncludeTermVectors = os.Getenv("INDEXERD_INDEX_POSITIONS") == ""
	if body.Analyzer = "words"; os.Getenv("INDEXERD_INDEX_ANALYZER") == "cjk" {
		body.Analyzer = cjk.AnalyzerName
	}
	document := bleve.NewDocumentStaticMapping()
	for name, field := range map[string]*mapping.FieldMapping{"body": body, "kind": kind, "n": n, "written": written} {
		document.AddFieldMappingsAt(name, field)
	}
	m.DefaultMapping = document
	return m
}

// awaitMerges waits until the merges of this process have ended.
func awaitMerges(t *testing.T) {
	t.Helper()
	const step, few = time.Second, 20 * time.Millisecond
	for before := -few; ; {
		now := cpuTime(t)
		if now-before < few {
			return
		}
		before = now
		time.Sleep(step)
	}
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// applySame indexes with the mapping that the daemon would use.
func applySame(t *testing.T, all []bodyText) (written time.Time) {
	t.Helper()
	cfg, err := configs.Parse("c.yaml", []byte(textConfig("postgres://h/d", "/d")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	index, err := fulltext.Create(filepath.Join(t.TempDir(), "index"), database.Mapping(cfg.Tables[0]), 1)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"oid", "updated", "body", "kind", "n", "written"}
	inBatches(t, all, cfg.Tables[0].Batch, func(batch []bodyText) error {
		docs := make([]doc.Doc, len(batch))
		for i, one := range batch {
			oid, err := doc.NewOID(one.OID)
			if err != nil {
				return err
			}
			docs[i].OID, docs[i].V = oid, doc.Version(one.OID)
			docs[i].Row = doc.Row{Names: names, Values: []any{one.OID, "", one.Text, one.Kind, one.N, time.Unix(one.T, 0).UTC().Format(time.RFC3339)}}
		}
		return index.Apply(docs, nil)
	})
	written = time.Now()
	awaitMerges(t)
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	return written
}

// applyBleve indexes with bleve alone.
func applyBleve(t *testing.T, all []bodyText, m mapping.IndexMapping) (written time.Time) {
	t.Helper()
	index, err := bleve.New(filepath.Join(t.TempDir(), "index"), m)
	if err != nil {
		t.Fatal(err)
	}
	inBatches(t, all, bleveBatch, func(batch []bodyText) error {
		b := index.NewBatch()
		for _, one := range batch {
			fields := map[string]any{"body": one.Text, "kind": one.Kind, "n": one.N, "written": time.Unix(one.T, 0)}
			if err := b.Index(fmt.Sprint(one.OID), fields); err != nil {
				return err
			}
		}
		return index.Batch(b)
	})
	written = time.Now()
	awaitMerges(t)
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	return written
}

// inBatches feeds two workers, as many as the daemon has on this machine.
func inBatches(t *testing.T, all []bodyText, rows int, apply func([]bodyText) error) {
	t.Helper()
	var workers errgroup.Group
	workers.SetLimit(2)
	for batch := range slices.Chunk(all, rows) {
		workers.Go(func() error { return apply(batch) })
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
}
