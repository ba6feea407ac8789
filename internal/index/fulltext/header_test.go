package fulltext

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
)

var dramas = schema.Mapping{
	Content:  []string{"title"},
	Analyzer: "en",
	Metadata: []schema.Field{{Name: "year", Type: schema.Number}},
	Children: []schema.Child{{Name: "actors", Columns: []string{"name"}, Skip: []string{"film_id"}, Searched: true, Type: schema.Keyword}},
}

// OpenAsBuilt returns the mapping the index was built with. Searches and hashes
// are as before.
func TestOpenAsBuiltReturnsTheMapping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	created := create(t, dir, family, 7)
	d := kin{reviews: []any{"drama"}}.doc(t, 1, "Academy")
	apply(t, created, []doc.Doc{d})
	hash, _, err := created.Hash(d.Row)
	if err := errors.Join(err, created.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, films); !errors.Is(err, ErrMapping) {
		t.Errorf("with another mapping: got %v, want ErrMapping", err)
	}
	ix, m, err := OpenAsBuilt(dir)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	if !reflect.DeepEqual(m, family) || ix.Generation() != 7 {
		t.Errorf("got generation %d of %+v, want 7 of %+v", ix.Generation(), m, family)
	}
	if got := find(t, ix, "drama"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("search: got %v, want [1]", got)
	}
	if got, _, err := ix.Hash(d.Row); got != hash || err != nil {
		t.Errorf("hash: got %v, %v, want %v", got, err, hash)
	}
	apply(t, ix, []doc.Doc{kin{}.doc(t, 2, "")})
}

// An index of a mapping without stop words dropped those of English if its analyzer
// was standard or en. It goes on to do so until it is rebuilt.
func TestOpenAsBuiltBeforeStopwords(t *testing.T) {
	for _, c := range []struct {
		analyzer  string
		stopwords []string
	}{{"standard", analysis.English()}, {"en", analysis.English()}, {"cjk", nil}, {"ngram", nil}} {
		m := schema.Mapping{Content: []string{"title"}, Analyzer: c.analyzer, Positions: true}
		then := m
		then.Stopwords, then.Unmeasured = c.stopwords, true
		stored := fmt.Appendf(nil, `{"version":1,"mapping":{"content":["title"],"analyzer":%q,"positions":true,"metadata":null,"children":null}}`, c.analyzer)
		dir := filepath.Join(t.TempDir(), "index")
		rec := record{fingerprint: then.Fingerprint(), generation: 1}
		if err := createDir(dir, func(tmp string) error { return writeEmpty(tmp, rec, stored) }); err != nil {
			t.Fatal(err)
		}
		ix, got, err := OpenAsBuilt(dir)
		if err != nil {
			t.Fatal(err)
		}
		closeIndex(t, ix)
		if !reflect.DeepEqual(got, then) {
			t.Errorf("%s: got %+v, want %+v", c.analyzer, got, then)
		}
		if _, err = Open(dir, m); !errors.Is(err, ErrMapping) {
			t.Errorf("%s: opened with all words kept and lengths: got %v", c.analyzer, err)
		}
	}
}

// OpenAsBuilt rejects a stored mapping that is missing, damaged, of a later
// version, or without the recorded fingerprint, with a one-line error. Open does
// not need the stored mapping.
func TestOpenAsBuiltChecksTheStoredMapping(t *testing.T) {
	other, err := dramas.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		mapping []byte
		want    string
	}{
		"none":            {nil, ErrNoMapping.Error()},
		"another":         {other, "not the one the index was built with"},
		"cut":             {other[:len(other)/2], "can't be read"},
		"a newer release": {[]byte(`{"version":5,"mapping":{"weights":[]}}`), "the mapping of the index has version 5, and this release reads version 4: a newer release of indexerd wrote the index: start that release"},
		"no version":      {[]byte(`{"version":0}`), "its mapping has version 0"},
		"unknown members": {[]byte(`{"version":1,"mapping":{"weights":[]}}`), "can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			rec := record{fingerprint: films.Fingerprint(), generation: 1}
			if err := createDir(dir, func(tmp string) error { return writeEmpty(tmp, rec, c.mapping) }); err != nil {
				t.Fatal(err)
			}
			_, _, err := OpenAsBuilt(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q in one line", err, c.want)
			}
			ix, err := Open(dir, films)
			if err != nil {
				t.Fatal(err)
			}
			closeAtEnd(t, ix)
		})
	}
}

// Apply stores the mapping in an index of an earlier version, which lacks it.
func TestApplyStoresTheMapping(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	rec := record{fingerprint: films.Fingerprint(), generation: 1}
	if err := createDir(dir, func(tmp string) error { return writeEmpty(tmp, rec, nil) }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenAsBuilt(dir); err == nil {
		t.Fatal("without a stored mapping: got no error")
	}
	ix, err := Open(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
	closeIndex(t, ix)
	ix, m, err := OpenAsBuilt(dir)
	if err != nil || !reflect.DeepEqual(m, films) {
		t.Fatalf("got %+v, %v; want %+v", m, err, films)
	}
	closeAtEnd(t, ix)
}

func TestRecordOfANewerRelease(t *testing.T) {
	b := record{fingerprint: 1, generation: 2, batch: 3}.encode()
	b[0]++
	want := "the record of the index has version 2, and this release reads version 1: a newer release of indexerd wrote the index: start that release"
	if _, err := decodeRecord(append(b, 0)); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(record{fingerprint: 1, generation: 2, batch: 3}.encode())
	f.Add([]byte{})
	f.Add([]byte{recordVersion})
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err == nil && string(r.encode()) != string(b) {
			t.Errorf("%x: encodes to %x", b, r.encode())
		}
	})
}
