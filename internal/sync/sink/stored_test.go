package sink_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/sync/sink"
	"indexerd/internal/test/fakeworld"
	"indexerd/store"
)

// stored is what a sink writes to. reopen is a restart of the process.
type stored struct {
	index      sink.Index
	pages      sink.Pages
	quarantine sink.Quarantine
	listed     func() int // rows in quarantine
	reopen     func(*testing.T)
}

// fakes are what the other tests of the sink and of the passes stand on.
func fakes(*testing.T) *stored {
	aside := fakeworld.NewQuarantine()
	return &stored{
		index: fakeworld.NewIndex(1), pages: fakeworld.NewPages(), quarantine: aside,
		listed: func() int { return len(aside.Reasons()) },
		reopen: func(*testing.T) {},
	}
}

// onDisk is what the daemon stores on disk.
func onDisk(t *testing.T) *stored {
	dir := t.TempDir()
	mapping := schema.Mapping{Content: []string{"title"}, Analyzer: "standard"}
	index, err := fulltext.Create(filepath.Join(dir, "index"), mapping, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := &stored{}
	closeAll := s.openRest(t, dir, index)
	s.reopen = func(t *testing.T) {
		closeAll()
		index, err := fulltext.Open(filepath.Join(dir, "index"), mapping)
		if err != nil {
			t.Fatal(err)
		}
		closeAll = s.openRest(t, dir, index)
	}
	t.Cleanup(func() { closeAll() })
	return s
}

// openRest opens what stands beside an index, and returns what closes all.
func (s *stored) openRest(t *testing.T, dir string, index *fulltext.Index) (closeAll func()) {
	t.Helper()
	pages, err := store.Open(filepath.Join(dir, "pages"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	aside, err := quarantine.Open(atomicfile.OS, quarantine.Name(dir))
	if err != nil {
		t.Fatal(err)
	}
	s.index, s.pages, s.quarantine, s.listed = index, pages, aside, aside.Len
	return func() {
		for _, err := range []error{index.Close(), pages.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// The real index, pages and quarantine behave as the fakes do, also after a restart.
func TestStoredConforms(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *stored{"fakes": fakes, "on disk": onDisk} {
		t.Run(name+"/versions", func(t *testing.T) { testVersions(t, open(t)) })
		t.Run(name+"/meta", func(t *testing.T) { testMeta(t, open(t)) })
		t.Run(name+"/quarantine", func(t *testing.T) { testQuarantine(t, open(t)) })
		t.Run(name+"/sink", func(t *testing.T) { testSink(t, open(t)) })
	}
}

var (
	one   = fakeworld.Key(1)
	two   = fakeworld.Key(2)
	three = fakeworld.Key(3)
	at    = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
)

func docOf(oid doc.OID, title string, fetch doc.FetchSeq, v doc.Version) doc.Doc {
	d := fakeworld.Row{Title: title, Updated: at}.Doc(oid, fetch, at)
	d.V, d.Gen, d.Hash = v, 1, doc.DocHash(v)
	return d
}

func testVersions(t *testing.T, s *stored) {
	steps := []struct {
		name    string
		puts    []doc.Doc
		deletes []doc.OID
		want    []doc.Version // of one, two, three
	}{
		{"empty", nil, nil, []doc.Version{0, 0, 0}},
		{"put", []doc.Doc{docOf(one, "a", 1, 1<<40), docOf(two, "b", 1, 2)}, nil, []doc.Version{1 << 40, 2, 0}},
		{"put again, with a lower version", []doc.Doc{docOf(one, "a", 1, 3)}, nil, []doc.Version{3, 2, 0}},
		{"delete, also what is not there", nil, []doc.OID{one, three}, []doc.Version{0, 2, 0}},
		{"put after delete", []doc.Doc{docOf(one, "", 1, 4), docOf(three, "c", 1, 5)}, nil, []doc.Version{4, 2, 5}},
	}
	check := func(name string, want []doc.Version) {
		t.Helper()
		got, err := s.index.Versions([]doc.OID{one, two, three})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got versions %v, %v, want %v", name, got, err, want)
		}
	}
	for _, step := range steps {
		if err := s.index.Apply(step.puts, doc.Removals(1<<62, step.deletes...)); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		check(step.name, step.want)
		s.reopen(t)
		check(step.name+", reopened", step.want)
	}
	if got := s.index.Generation(); got != 1 {
		t.Errorf("generation: got %d, want 1", got)
	}
}

func testMeta(t *testing.T, s *stored) {
	check := func(oid doc.OID, want doc.Meta, there bool) {
		t.Helper()
		got, ok, err := s.pages.Meta(oid)
		if err != nil || ok != there || got != want {
			t.Errorf("page %v: got %+v, %t, %v, want %+v, %t", oid, got, ok, err, want, there)
		}
	}
	first, second := docOf(one, "a", 1, 1).Meta, docOf(one, "b", 2, 2).Meta
	null := docOf(two, "b", 1, 3).Meta
	null.Updated = time.Time{}
	body := []byte(`{"row":{"title":"a"}}`)
	put := func(metas ...doc.Meta) {
		t.Helper()
		var pages []doc.Page
		for _, m := range metas {
			pages = append(pages, doc.Page{Meta: m, Body: body})
		}
		if err := s.pages.Put(pages); err != nil {
			t.Fatal(err)
		}
	}
	put(first, null)
	check(one, first, true)
	check(two, null, true)
	check(three, doc.Meta{}, false)
	put(second)
	if err := s.pages.Delete(doc.Removals(0, two, three)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		check(one, second, true)
		check(two, doc.Meta{}, false)
		s.reopen(t)
	}
}

func testQuarantine(t *testing.T, s *stored) {
	rejects := []doc.Reject{{OID: one, Reason: "unfit"}, {OID: two, Reason: "unfit"}, {Reason: "no key"}}
	check := func(name string, oid doc.OID, has bool, with, without int) {
		t.Helper()
		q := s.quarantine
		if got := q.Has(oid); got != has || q.LenWith(rejects) != with || q.LenWith(nil) != without {
			t.Errorf("%s: got has %t, %d rows with others, %d without, want %t, %d, %d", name, got, q.LenWith(rejects), q.LenWith(nil), has, with, without)
		}
	}
	check("empty", one, false, 3, 0)
	if err := s.quarantine.Add(doc.Batch{At: at, Rejects: append(rejects[:1:1], doc.Reject{OID: three, Reason: "unfit"})}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		check("two rows", one, true, 4, 2)
		s.reopen(t)
	}
	if err := s.quarantine.Clear([]doc.OID{one}); err != nil {
		t.Fatal(err)
	}
	check("one row", one, false, 4, 1)
}

// testSink is a table's life in short, with a restart after each step.
func testSink(t *testing.T, s *stored) {
	var reserved uint64
	reserve := func(n uint64) (uint64, error) {
		reserved += n
		return reserved - n + 1, nil
	}
	steps := []struct {
		name    string
		titles  []string // of one and two; "" is gone, "-" is marked deleted
		want    fakeworld.Counts
		aside   int
		present []bool
	}{
		{"added", []string{"a", "b"}, fakeworld.Counts{Read: 2, Added: 2}, 0, []bool{true, true}},
		{"unchanged", []string{"a", "b"}, fakeworld.Counts{Read: 2, Skipped: 2}, 0, []bool{true, true}},
		{"updated", []string{"A2", "b"}, fakeworld.Counts{Read: 2, Updated: 1, Skipped: 1}, 0, []bool{true, true}},
		{"not UTF-8", []string{"A2", "\xff"}, fakeworld.Counts{Read: 2, Skipped: 1, Quarantined: 1}, 1, []bool{true, true}},
		{"gone", []string{"", "b"}, fakeworld.Counts{Read: 1, Skipped: 1, Deleted: 1}, 0, []bool{false, true}},
		{"there again", []string{"A2", "b"}, fakeworld.Counts{Read: 2, Added: 1, Skipped: 1}, 0, []bool{true, true}},
		{"marked deleted", []string{"-", "\xff"}, fakeworld.Counts{Read: 1, Deleted: 1, Quarantined: 1}, 1, []bool{false, true}},
		{"marked deleted again", []string{"-", "-"}, fakeworld.Counts{Deleted: 1}, 0, []bool{false, false}},
		{"there again after that", []string{"A2", "b"}, fakeworld.Counts{Read: 2, Added: 2}, 0, []bool{true, true}},
	}
	for _, step := range steps {
		guard := sink.NewGuard(sink.Limits{Count: math.MaxInt}, func() (uint64, error) { return 0, nil })
		pass := sink.New(s.index, s.pages, new(fakeworld.Tree), s.quarantine, guard, reserve)
		if got := run(t, s, pass, step.titles); got != step.want {
			t.Errorf("%s: got %+v, want %+v", step.name, got, step.want)
		}
		s.reopen(t)
		if got := s.listed(); got != step.aside {
			t.Errorf("%s: got %d rows in quarantine, want %d", step.name, got, step.aside)
		}
		versions, err := s.index.Versions([]doc.OID{one, two})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range versions {
			page, ok, err := s.pages.Meta([]doc.OID{one, two}[i])
			if err != nil || ok != step.present[i] || (v != 0) != ok || page.V != v {
				t.Errorf("%s: row %d: got version %d, page %+v, %t, %v, want there: %t", step.name, i+1, v, page, ok, err, step.present[i])
			}
		}
	}
}

// run is one pass over rows one and two.
func run(t *testing.T, s *stored, pass *sink.Sink, titles []string) fakeworld.Counts {
	t.Helper()
	seq, err := pass.Begin(func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer pass.End(seq)
	b := doc.Batch{Fetch: seq, At: at}
	var gone []doc.Stamp
	for i, oid := range []doc.OID{one, two} {
		switch titles[i] {
		case "":
			page, _, err := s.pages.Meta(oid)
			if err != nil {
				t.Fatal(err)
			}
			gone = append(gone, page.Stamp)
		case "-":
			b.Deleted = append(b.Deleted, oid)
		default:
			b.Docs = append(b.Docs, docOf(oid, titles[i], seq, 0))
		}
	}
	report, err := pass.Put(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := pass.Delete(t.Context(), gone, seq, 1)
	if err != nil {
		t.Fatal(err)
	}
	report.Add(removed)
	return fakeworld.CountsOf(report)
}

// No document is quarantined when the directory of the index is gone.
func TestBrokenDiskQuarantinesNoDocument(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		index, err := fulltext.Create(filepath.Join(dir, "index"), schema.Mapping{Content: []string{"title"}, Analyzer: "standard"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
			t.Fatal(err)
		}
		rest := fakes(t)
		guard := sink.NewGuard(sink.Limits{}, index.Count)
		pass := sink.New(index, rest.pages, new(fakeworld.Tree), rest.quarantine, guard, func(uint64) (uint64, error) { return 1, nil })
		if _, err := pass.Put(t.Context(), doc.Batch{Fetch: 1, At: at, Docs: []doc.Doc{docOf(one, "a", 1, 0)}}); err == nil {
			t.Error("got no error")
		}
		if got := rest.listed(); got > 0 {
			t.Errorf("got %d rows in quarantine, want none", got)
		}
		_ = index.Close() // it has nothing left to close
	}
}
