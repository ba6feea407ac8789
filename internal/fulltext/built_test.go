package fulltext

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
)

var dramas = Mapping{
	Content:  []string{"title"},
	Analyzer: "en",
	Metadata: []Field{{"year", Number}},
	Children: []Child{{Name: "actors", Columns: []string{"name"}, Skip: []string{"film_id"}, Searched: true, Type: Keyword}},
}

// Who does not know the mapping opens the index with the one it was made with,
// and it searches and hashes as before.
func TestOpenAsBuilt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	made, err := Create(dir, films, 7)
	if err != nil {
		t.Fatal(err)
	}
	row := film(t, "a", 3, map[string]any{"title": "drama"})
	apply(t, made, []doc.Doc{row})
	hash, err := made.Hash(row.Row)
	if err := errors.Join(err, made.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, dramas); !errors.Is(err, ErrMapping) {
		t.Errorf("with another mapping: got %v, want ErrMapping", err)
	}
	ix, m, err := OpenAsBuilt(dir)
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, ix)
	if !reflect.DeepEqual(m, films) || ix.Generation() != 7 {
		t.Errorf("got generation %d of %+v, want 7 of %+v", ix.Generation(), m, films)
	}
	if got := find(t, ix, "drama"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("search: got %v, want [a]", got)
	}
	if got, err := ix.Hash(row.Row); got != hash || err != nil {
		t.Errorf("hash: got %v, %v, want %v", got, err, hash)
	}
	apply(t, ix, []doc.Doc{film(t, "b", 4, nil)})
}

// Every mapping comes back as one that makes the same index.
func TestMappingIsKept(t *testing.T) {
	names := rapid.SliceOfN(rapid.String(), 0, 3)
	kind := rapid.SampledFrom([]Type{Keyword, Number, Date, Boolean, ""})
	rapid.Check(t, func(t *rapid.T) {
		m := Mapping{Content: names.Draw(t, "content"), Analyzer: rapid.String().Draw(t, "analyzer"), Positions: rapid.Bool().Draw(t, "positions")}
		for _, name := range names.Draw(t, "metadata") {
			m.Metadata = append(m.Metadata, Field{name, kind.Draw(t, "type")})
		}
		for _, name := range names.Draw(t, "children") {
			m.Children = append(m.Children, Child{
				Name: name, Columns: names.Draw(t, "columns"), Skip: names.Draw(t, "skip"),
				Searched: rapid.Bool().Draw(t, "searched"), Type: kind.Draw(t, "type"),
			})
		}
		b, err := encodeMapping(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeMapping(b)
		if err != nil || got.Fingerprint() != m.Fingerprint() {
			t.Fatalf("got %+v, %v; want %+v", got, err, m)
		}
	})
}

func FuzzDecodeMapping(f *testing.F) {
	for _, m := range []Mapping{films, dramas, {}} {
		b, err := encodeMapping(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMapping(b)
		if err != nil {
			return
		}
		again, err := encodeMapping(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeMapping(again); err != nil || got.Fingerprint() != m.Fingerprint() {
			t.Errorf("got %+v, %v; want %+v", got, err, m)
		}
	})
}

// The fingerprint vouches for the mapping: another one, a damaged one and one
// of a later version are refused in one line, and Open does not need it.
func TestOpenAsBuiltRefuses(t *testing.T) {
	other, err := encodeMapping(dramas)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		mapping []byte
		want    string
	}{
		"none":            {nil, "an earlier version of indexerd made it"},
		"another":         {other, "not what it was built with"},
		"cut":             {other[:len(other)/2], "can't be read"},
		"a later version": {[]byte(`{"version":2}`), "version 2"},
		"unknown members": {[]byte(`{"version":1,"mapping":{"weights":[]}}`), "can't be read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			rec := record{fingerprint: films.Fingerprint(), generation: 1}
			if err := place(dir, func(tmp string) error { return initialise(tmp, rec, c.mapping) }); err != nil {
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

// An index that an earlier version made learns its mapping when it is written.
func TestMappingIsKeptFromTheFirstWriteOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	rec := record{fingerprint: films.Fingerprint(), generation: 1}
	if err := place(dir, func(tmp string) error { return initialise(tmp, rec, nil) }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenAsBuilt(dir); err == nil {
		t.Fatal("before: got no error")
	}
	ix, err := Open(dir, films)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, ix, []doc.Doc{film(t, "a", 1, nil)})
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	ix, m, err := OpenAsBuilt(dir)
	if err != nil || !reflect.DeepEqual(m, films) {
		t.Fatalf("got %+v, %v; want %+v", m, err, films)
	}
	closeAtEnd(t, ix)
}

func TestPad(t *testing.T) {
	ix := newIndex(t, dramas)
	columns := func(more ...string) doc.Row { return doc.Row{Names: more, Values: make([]any, len(more))} }
	actors := func(rows ...doc.Row) []doc.Child { return []doc.Child{{Name: "actors", Rows: rows}} }
	named := func(r doc.Row, children []doc.Child) doc.Row { r.Children = children; return r }
	whole := named(columns("title", "year"), actors(columns("name")))
	for name, row := range map[string]doc.Row{
		"whole":                     whole,
		"a column is missing":       named(columns("title"), actors()),
		"a child is missing":        columns("title", "year"),
		"a child lacks its column":  named(columns("title", "year"), actors(columns("film_id"), columns("name"))),
		"another child, no columns": {Children: []doc.Child{{Name: "shops"}}},
	} {
		before, err := row.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ix.Hash(ix.Pad(row)); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		if after, _ := row.AppendJSON(nil); string(after) != string(before) {
			t.Errorf("%s: the row itself became %s, was %s", name, after, before)
		}
	}
	got, err := ix.Hash(ix.Pad(whole))
	want, wantErr := ix.Hash(whole)
	if got != want || err != nil || wantErr != nil {
		t.Errorf("a whole row: got hash %v, %v, want %v, %v", got, err, want, wantErr)
	}
	if _, err := ix.Hash(ix.Pad(doc.Row{Names: []string{"year"}, Values: []any{"soon"}})); err == nil {
		t.Error("a value that does not fit fits padded")
	}
}
