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
	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/database"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

const loadBatch = 2000 // the daemon's default

// TestIndexAlone is a part of BenchmarkLoad, and runs only for it.
func TestIndexAlone(t *testing.T) {
	mapping := os.Getenv("INDEXERD_INDEX_ALONE")
	if mapping == "" {
		t.Skip("a part of BenchmarkLoad: run make bench")
	}
	all := outsideTexts(t, "en.jsonl.gz")
	apply := applyDefault
	if mapping == "same" {
		apply = applySame
	}
	before, began := cpuTime(t), time.Now()
	apply(t, all)
	line, err := json.Marshal(cost{CPU: cpuTime(t) - before, Wall: time.Since(began)})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("cost %s\n", line)
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
func applySame(t *testing.T, all []bodyText) {
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
	inBatches(t, all, func(batch []bodyText) error {
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
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
}

// applyDefault indexes with the defaults of bleve.
func applyDefault(t *testing.T, all []bodyText) {
	t.Helper()
	index, err := bleve.New(filepath.Join(t.TempDir(), "index"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	inBatches(t, all, func(batch []bodyText) error {
		b := index.NewBatch()
		for _, one := range batch {
			fields := map[string]any{"body": one.Text, "kind": one.Kind, "n": one.N, "written": time.Unix(one.T, 0)}
			if err := b.Index(fmt.Sprint(one.OID), fields); err != nil {
				return err
			}
		}
		return index.Batch(b)
	})
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
}

// inBatches feeds two workers, as many as the daemon has on this machine.
func inBatches(t *testing.T, all []bodyText, apply func([]bodyText) error) {
	t.Helper()
	var workers errgroup.Group
	workers.SetLimit(2)
	for batch := range slices.Chunk(all, loadBatch) {
		workers.Go(func() error { return apply(batch) })
	}
	if err := workers.Wait(); err != nil {
		t.Fatal(err)
	}
}
