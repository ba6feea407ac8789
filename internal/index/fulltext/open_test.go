package fulltext

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	zap "github.com/blevesearch/zapx/v17"
	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	_ "indexerd/internal/test/nofailfile"
)

var films = schema.Mapping{
	Content:   []string{"title", "description"},
	Analyzer:  "standard",
	Stopwords: analysis.English(),
	Positions: true,
	Metadata:  []schema.Field{{Name: "rating", Type: schema.Keyword}, {Name: "year", Type: schema.Number}, {Name: "updated", Type: schema.Date}, {Name: "rented", Type: schema.Boolean}, {Name: "tags", Type: schema.Keyword}},
}

// zapx alone reads the segments of an index: indexerd can go back to it.
func TestZapxReadsAnIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	ix := create(t, dir, films, 1)
	for i := range int64(30) {
		apply(t, ix, []doc.Doc{film(t, i, 1, map[string]any{"title": "drama"})})
	}
	closeIndex(t, ix)
	files, err := filepath.Glob(filepath.Join(dir, "*.zap"))
	if err != nil || len(files) == 0 {
		t.Fatalf("segments: got %v, %v", files, err)
	}
	found := uint64(0)
	for _, name := range files {
		s, err := new(zap.ZapPlugin).Open(name)
		if err != nil {
			t.Fatal(err)
		}
		dict, err := s.Dictionary(schema.ContentField("title"))
		if err != nil {
			t.Fatal(err)
		}
		list, err := dict.PostingsList([]byte("drama"), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		found += list.Count()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if found < 30 {
		t.Errorf("found %d documents, want at least 30", found)
	}
}

// with returns the mapping with another analyzer.
func with(m schema.Mapping, analyzer string) schema.Mapping {
	m.Analyzer = analyzer
	return m
}

// newIndex creates an index that is closed, without an error, when the test ends.
func newIndex(t testing.TB, m schema.Mapping) *Index {
	t.Helper()
	ix, err := Create(filepath.Join(t.TempDir(), "index"), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	return ix
}

func create(t testing.TB, dir string, m schema.Mapping, gen doc.Generation) *Index {
	t.Helper()
	ix, err := Create(dir, m, gen)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func closeIndex(t testing.TB, ix *Index) {
	t.Helper()
	if err := errors.Join(ix.Err(), ix.Close()); err != nil {
		t.Errorf("close: %v", err)
	}
}

func closeAtEnd(t testing.TB, ix *Index) {
	t.Helper()
	t.Cleanup(func() { closeIndex(t, ix) })
}

func oid(t rapid.TB, parts ...any) doc.OID {
	t.Helper()
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// film makes a document; missing columns are NULL.
func film(t testing.TB, id any, v doc.Version, columns map[string]any) doc.Doc {
	t.Helper()
	row := doc.Row{}
	for _, name := range []string{"title", "description", "rating", "year", "updated", "rented", "tags"} {
		row.Names, row.Values = append(row.Names, name), append(row.Values, columns[name])
	}
	return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, id)}, V: v}, Row: row}
}

func apply(t rapid.TB, ix *Index, puts []doc.Doc, deletes ...doc.OID) {
	t.Helper()
	if err := ix.Apply(puts, doc.Removals(1<<62, deletes...)); err != nil {
		t.Fatal(err)
	}
}

func parse(t testing.TB, text string) query.Node {
	t.Helper()
	n, err := query.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// ask searches for up to 100 hits.
func ask(t testing.TB, ix *Index, text string, more ...func(*query.Request)) query.Result {
	t.Helper()
	req := query.Request{Query: parse(t, text), Size: 100}
	for _, f := range more {
		f(&req)
	}
	res, err := ix.Search(context.Background(), req)
	if err != nil {
		t.Fatalf("search %q: %v", text, err)
	}
	return res
}

// find returns the printed keys of the hits in order.
func find(t testing.TB, ix *Index, text string, more ...func(*query.Request)) []string {
	t.Helper()
	return keys(ask(t, ix, text, more...))
}

// findSorted returns the printed keys of the hits in key order.
func findSorted(t testing.TB, ix *Index, text string, more ...func(*query.Request)) []string {
	t.Helper()
	return slices.Sorted(slices.Values(find(t, ix, text, more...)))
}

func keys(res query.Result) []string {
	found := []string{}
	for _, h := range res.Hits {
		found = append(found, h.OID.String())
	}
	return found
}

func TestOpenReturnsWhatCreateAndApplyWrote(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := Open(dir, films); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open nothing: got %v, want fs.ErrNotExist", err)
	}
	// The state after a crash of Create.
	if err := os.MkdirAll(filepath.Join(dir+".tmp", "half"), 0o700); err != nil {
		t.Fatal(err)
	}
	ix := create(t, dir, films, 7)
	if _, err := os.Stat(dir + ".tmp"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("dir.tmp: got %v, want fs.ErrNotExist", err)
	}
	apply(t, ix, []doc.Doc{film(t, int64(1), 9, map[string]any{"title": "drama"})})
	closeIndex(t, ix)
	if err := ix.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
	if _, err := ix.Count(); !errors.Is(err, ErrClosed) {
		t.Errorf("count after close: got %v, want ErrClosed", err)
	}
	if err := ix.Apply(nil, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("apply after close: got %v, want ErrClosed", err)
	}
	if _, err := Create(dir, films, 8); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("create twice: got %v, want an error", err)
	}
	if _, err := Open(dir, with(films, "en")); !errors.Is(err, ErrMapping) {
		t.Errorf("open with another mapping: got %v, want ErrMapping", err)
	}
	ix, err := Open(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	if got := ix.Generation(); got != 7 {
		t.Errorf("generation: got %d, want 7", got)
	}
	if got := find(t, ix, "drama"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("search after reopening: got %v, want [1]", got)
	}
	if _, err := Open(dir, films); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("open twice: got %v, want an error", err)
	}
}

// A read-only index is searched, rejects writes, and changes no file. Several
// processes may open it.
func TestReadOnlyIndexChangesNoFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := OpenReadOnly(dir, films); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("open nothing: got %v, want fs.ErrNotExist", err)
	}
	w := create(t, dir, films, 7)
	puts := []doc.Doc{film(t, int64(1), 1, map[string]any{"title": "one"}), film(t, int64(2), 2, map[string]any{"title": "two"})}
	if err := errors.Join(w.Apply(puts, nil), w.Close()); err != nil {
		t.Fatal(err)
	}
	before := t.TempDir()
	if err := os.CopyFS(before, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReadOnly(dir, with(films, "en")); !errors.Is(err, ErrMapping) {
		t.Errorf("open with another mapping: got %v, want ErrMapping", err)
	}
	a, err := OpenReadOnly(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	b, built, err := OpenReadOnlyAsBuilt(dir)
	if err != nil || built.Fingerprint() != films.Fingerprint() {
		t.Fatalf("open a second time: %v, %v", built, err)
	}
	for _, ix := range []*Index{a, b} {
		if n, err := ix.Count(); err != nil || n != 2 || ix.Generation() != 7 {
			t.Errorf("got %d documents of generation %d, %v, want 2 of 7", n, ix.Generation(), err)
		}
		if versions, err := ix.Versions([]doc.OID{puts[1].OID}); err != nil || versions[0] != 2 {
			t.Errorf("got versions %v, %v, want 2", versions, err)
		}
		if err := ix.Apply(puts, nil); !errors.Is(err, errReadOnly) {
			t.Errorf("apply: got %v, want errReadOnly", err)
		}
		if err := errors.Join(ix.Err(), ix.Close()); err != nil {
			t.Error(err)
		}
	}
	checkSameFiles(t, dir, before)
}

func checkSameFiles(t *testing.T, got, want string) {
	t.Helper()
	gotFiles, err := os.ReadDir(got)
	wantFiles, wantErr := os.ReadDir(want)
	if err := errors.Join(err, wantErr); err != nil || len(gotFiles) != len(wantFiles) {
		t.Fatalf("got files %v, want %v, %v", gotFiles, wantFiles, err)
	}
	for _, f := range wantFiles {
		if string(readFile(t, filepath.Join(got, f.Name()))) != string(readFile(t, filepath.Join(want, f.Name()))) {
			t.Errorf("%s was changed", f.Name())
		}
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A damaged index opens, with all documents, or fails with a one-line error.
// Opening it does not increase the damage.
func TestDamagedIndexFailsToOpenOrIsWhole(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	ix := create(t, dir, films, 1)
	drama := map[string]any{"title": "drama"}
	apply(t, ix, []doc.Doc{film(t, "a", 1, drama), film(t, "b", 1, drama), film(t, "c", 1, drama)})
	closeIndex(t, ix)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 3 {
		t.Fatalf("files: got %v, %v; want root.bolt, its checksum and one segment", files, err)
	}
	for _, file := range files {
		size := len(readFile(t, file))
		for how, damage := range map[string]func([]byte) []byte{
			"empty": func([]byte) []byte { return nil },
			"half":  func(data []byte) []byte { return data[:size/2] },
			"zeros": func([]byte) []byte { return make([]byte, size) },
		} {
			t.Run(filepath.Base(file)+" "+how, func(t *testing.T) { checkDamage(t, dir, filepath.Base(file), damage) })
		}
	}
}

// checkDamage damages a file of a copy, opens the copy, and repairs the file.
func checkDamage(t *testing.T, dir, name string, damage func([]byte) []byte) {
	copied := filepath.Join(t.TempDir(), "index")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(copied, name)
	data := readFile(t, file)
	if err := os.WriteFile(file, damage(data), 0o600); err != nil {
		t.Fatal(err)
	}
	ix, err := Open(copied, films)
	if err != nil {
		if !strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line", err)
		}
		if name == "root.bolt" {
			return // bbolt keeps its lock when it panics
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if ix, err = Open(copied, films); err != nil {
			t.Fatal(err)
		}
	}
	closeAtEnd(t, ix)
	if n := ask(t, ix, "drama").Total; n != 3 {
		t.Errorf("documents: got %d, want 3", n)
	}
}
