package opensearch

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/indextest"
	"indexerd/internal/test/nodetest"
)

var films = schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Positions: true, Metadata: []schema.Field{{Name: "year", Type: schema.Number}}}

// node is the configuration of a new index on a real node.
func node(t *testing.T) Config {
	t.Helper()
	return config(t, nodetest.URL(t))
}

func TestMain(m *testing.M) { os.Exit(nodetest.Main(m)) }

func config(t *testing.T, url string) Config {
	t.Helper()
	return Config{
		Nodes: []string{url}, Name: "t" + strings.ToLower(rand.Text()), Owner: "me", Mapping: films, Source: true, Shards: 1,
		Dir: t.TempDir(), Patience: 20 * time.Second,
	}
}

func TestConformance(t *testing.T) {
	c := node(t)
	ctx := t.Context()
	indextest.Run(t, indextest.Harness{
		Create: func(gen doc.Generation) (indextest.Index, error) {
			c := c
			c.Name = "t" + strings.ToLower(rand.Text())
			c.Dir = filepath.Join(c.Dir, c.Name)
			return used(context.WithoutCancel(ctx), c, gen)
		},
		Reopen: func(ix indextest.Index) (indextest.Index, error) {
			if err := ix.(*Index).Close(); err != nil {
				return nil, err
			}
			return ix.(*Index).config.Open(context.WithoutCancel(ctx), ix.Generation())
		},
		Merge: func(ix indextest.Index) error {
			x := ix.(*Index)
			return x.wire.ask(x.ctx, http.MethodPost, "/"+x.name+"/_forcemerge?max_num_segments=1", nil, nil)
		},
		Close:    func(ix indextest.Index) error { return remove(ix.(*Index)) },
		Searches: true,
		Unfit:    doc.Row{Names: []string{"title"}, Values: []any{"no year"}},
	})
}

func remove(ix *Index) error {
	err := ix.wire.ask(context.Background(), http.MethodDelete, "/"+ix.name, nil, nil)
	return errors.Join(err, ix.Close())
}

// used returns a new index in use.
func used(ctx context.Context, c Config, gen doc.Generation) (*Index, error) {
	ix, err := c.Create(ctx, gen, 0)
	if err != nil {
		return nil, err
	}
	return ix, errors.Join(ix.Use(ctx), ix.Trust())
}

func create(t *testing.T, c Config) *Index {
	t.Helper()
	ix, err := used(t.Context(), c, 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = remove(ix) })
	return ix
}

func oid(t *testing.T, n int64) doc.OID {
	t.Helper()
	o, err := doc.NewOID(n)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func film(t *testing.T, n int64, v doc.Version, title string) doc.Doc {
	t.Helper()
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, n)}, V: v}, Row: doc.Row{Names: []string{"title", "year"}, Values: []any{title, int64(1999)}}}
}

// A process that opens an index fences the one that has it open.
func TestOpenFencesAnOlderProcess(t *testing.T) {
	c := node(t)
	older := create(t, c)
	newer, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	if err := older.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); !errors.Is(err, ErrFenced) {
		t.Errorf("the older: got %v, want %v", err, ErrFenced)
	}
	if n, err := newer.Count(); err != nil || n != 0 {
		t.Errorf("documents: got %d, %v, want none", n, err)
	}
	if err := newer.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); err != nil {
		t.Errorf("the newer: got %v, want none", err)
	}
}

// Fence refuses the writes of the process that has an index open, before another one
// opens it, but not those of another owner.
func TestFence(t *testing.T) {
	c := node(t)
	ix := create(t, c)
	another := c
	another.Owner = "another"
	for _, step := range []struct {
		who  Config
		want error
	}{{another, nil}, {c, ErrFenced}, {c, ErrFenced}} {
		if err := step.who.Fence(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); !errors.Is(err, step.want) {
			t.Errorf("fenced by %s: got %v, want %v", step.who.Owner, err, step.want)
		}
	}
	newer, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	if err := newer.Apply([]doc.Doc{film(t, 2, 1, "a")}, nil); err != nil {
		t.Errorf("the newer: got %v, want none", err)
	}
	c.Name += "-none"
	if err := c.Fence(t.Context()); err != nil {
		t.Errorf("without an index: got %v, want none", err)
	}
}

func TestOtherOwnersIndexIsRefused(t *testing.T) {
	c := node(t)
	create(t, c)
	c.Owner = "another"
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrOwner) {
		t.Errorf("got %v, want %v", err, ErrOwner)
	}
}

// An index that was deleted, and one that was created again under its name, are not
// taken for the index that was opened.
func TestReplacedIndexIsNoticed(t *testing.T) {
	c := node(t)
	ix := create(t, c)
	if err := ix.Examine(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := ix.wire.ask(t.Context(), http.MethodDelete, "/"+ix.name, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); !errors.Is(err, ErrReplaced) {
		t.Errorf("deleted: got %v, want %v", err, ErrReplaced)
	}
	again, err := used(t.Context(), c, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := ix.Examine(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("created again: got %v, want %v", err, ErrReplaced)
	}
}

// A document that the cluster refuses is named, and the others of its batch are
// written. An older write than the index has is an error, and changes nothing.
func TestRefusals(t *testing.T) {
	c := node(t)
	c.Mapping.Metadata = []schema.Field{{Name: "year", Type: schema.Keyword}}
	ix := create(t, c)
	long := film(t, 2, 2, "b")
	long.Row.Values[1] = strings.Repeat("x", 40_000)
	err := ix.Apply([]doc.Doc{film(t, 1, 1, "a"), long, film(t, 3, 3, "c")}, nil)
	if err == nil || !strings.Contains(err.Error(), "document 2: ") || ix.Err() != nil {
		t.Errorf("got %v and health %v, want a refusal of document 2 and none", err, ix.Err())
	}
	vs, err := ix.Versions([]doc.OID{oid(t, 1), oid(t, 2), oid(t, 3)})
	if err != nil || vs[0] != 1 || vs[1] != 0 || vs[2] != 3 {
		t.Errorf("versions: got %v, %v, want 1, 0 and 3", vs, err)
	}
	if err := ix.Apply([]doc.Doc{film(t, 3, 2, "older")}, nil); !errors.Is(err, ErrNewer) {
		t.Errorf("an older write: got %v, want %v", err, ErrNewer)
	}
}

// A removal keeps its version: a put that arrives after it with a lower one is
// refused, and so is a removal older than its document. A put with a higher one is
// written.
func TestRemovalsHaveVersions(t *testing.T) {
	ix := create(t, node(t))
	one := oid(t, 1)
	holds := func(what string, want doc.Version) {
		t.Helper()
		if vs, err := ix.Versions([]doc.OID{one}); err != nil || vs[0] != want {
			t.Errorf("%s: got version %v, %v, want %d", what, vs, err, want)
		}
	}
	written := func(puts []doc.Doc, deletes []doc.Removal) {
		t.Helper()
		if err := ix.Apply(puts, deletes); err != nil {
			t.Fatal(err)
		}
	}
	late := []byte(`{"index":{"_id":"` + id(one) + `","version":3,"version_type":"external_gte"}}` + "\n" + `{"title":"late"}` + "\n")
	written([]doc.Doc{film(t, 1, 2, "a")}, nil)
	written(nil, doc.Removals(4, one))
	if err := ix.wire.send(t.Context(), http.MethodPost, "/"+ix.alias+"/_bulk", "application/x-ndjson", late, nil); err != nil {
		t.Fatal(err)
	}
	holds("a put from before the removal", 0)
	written(nil, doc.Removals(4, one)) // again
	written([]doc.Doc{film(t, 1, 5, "b")}, nil)
	holds("a put from after it", 5)
	if err := ix.Apply(nil, doc.Removals(4, one)); !errors.Is(err, ErrNewer) {
		t.Errorf("an older removal: got %v, want %v", err, ErrNewer)
	}
	holds("an older removal", 5)
}

// A put that is older than the removal of its document is an error at once, not
// sent again until the patience ends.
func TestPutOlderThanRemoval(t *testing.T) {
	ix := create(t, node(t))
	if err := ix.Apply(nil, doc.Removals(4, oid(t, 1))); err != nil {
		t.Fatal(err)
	}
	ix.patience = time.Hour
	if err := ix.Apply([]doc.Doc{film(t, 1, 3, "a")}, nil); !errors.Is(err, ErrNewer) {
		t.Errorf("got %v, want %v", err, ErrNewer)
	}
}

// A real index that is read-only is waited for.
func TestWriteBlockIsWaitedFor(t *testing.T) {
	ix := create(t, node(t))
	block := func(on bool) {
		t.Helper()
		if err := ix.wire.ask(t.Context(), http.MethodPut, "/"+ix.name+"/_settings", map[string]bool{"index.blocks.write": on}, nil); err != nil {
			t.Fatal(err)
		}
	}
	block(true)
	it, err := ix.put(film(t, 1, 1, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if outcomes, kinds, err := ix.bulk([]item{it}); err != nil || outcomes[0] != busy {
		t.Errorf("got %v %v, %v, want that it is busy", outcomes, kinds, err)
	}
	block(false)
	if err := ix.Apply([]doc.Doc{film(t, 1, 1, "a")}, nil); err != nil {
		t.Error(err)
	}
}
