package pagetable

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// A row of any columns and children comes back byte for byte, and its children are in
// cells of their own.
func TestCut(t *testing.T) {
	names := rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID)
	rows := rapid.Custom(func(t *rapid.T) doc.Row {
		r := doc.Row{Names: names.Draw(t, "names")}
		for range r.Names {
			r.Values = append(r.Values, rapid.OneOf(rapid.Just(any(nil)), rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Int64(), func(n int64) any { return n })).Draw(t, "value"))
		}
		return r
	})
	p := Config{Name: "film"}.pages()
	rapid.Check(t, func(t *rapid.T) {
		row := rows.Draw(t, "row")
		for _, name := range names.Draw(t, "children") {
			row.Children = append(row.Children, doc.Child{Name: name, Rows: rapid.SliceOfN(rows, 0, 3).Draw(t, "rows")})
		}
		body, err := row.AppendJSON(nil)
		if err != nil {
			t.Skip(err)
		}
		page := doc.Page{Meta: doc.Meta{Stamp: doc.Stamp{OID: "1"}, V: 7}, Body: body}
		cells, err := p.encode(&page)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(cells.Cells), 2+len(row.Children); got != want {
			t.Errorf("got %d cells, want %d", got, want)
		}
		s, err := decode("1", cells.Cells[0])
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.page(cells.Cells)
		if err != nil || !bytes.Equal(got.Body, body) {
			t.Errorf("got %s, %v, want %s", got.Body, err, body)
		}
	})
}

func TestKeys(t *testing.T) {
	p := Config{Name: "film"}.pages()
	rapid.Check(t, func(t *rapid.T) {
		oid := doc.OID(rapid.StringN(1, -1, 64).Draw(t, "oid"))
		key := p.key(oid)
		if got, err := p.oid(key); err != nil || got != oid {
			t.Errorf("got %q, %v, want %q", got, err, oid)
		}
		if key < p.first() || key >= p.last() || p.ownerKey() >= p.first() {
			t.Errorf("key %s is not among those of pages", key)
		}
	})
	for _, key := range []string{"", "film", "film.", "film.0.", "film.0.zz", "film2.0.01", "film!", p.key("a") + "0"} {
		if oid, err := p.oid(key); err == nil {
			t.Errorf("key %q is taken for page %q", key, oid)
		}
	}
}

func TestAPageOfANewerRelease(t *testing.T) {
	b := head(kindPage, doc.Meta{V: 7}, []byte("body"))
	b[0]++
	_, err := decode("1", Cell{Meta, pageCell, 7, b})
	if want := "format 2, and this release reads 1: a newer release of indexerd wrote it"; !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(head(kindPage, doc.Meta{V: 7}, []byte("body")))
	f.Add(append(head(kindPage, doc.Meta{V: 7, Fetched: time.Now()}, nil), 0, 3, '"', 'a', '"'))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decode("1", Cell{Meta, pageCell, 7, b})
		if err != nil || s.gone {
			return
		}
		if _, err := s.page([]Cell{{Row, rowCell, 7, []byte("body")}}); err == nil && s.length != len("body") {
			t.Errorf("a page of %d bytes has the content body", s.length)
		}
	})
}
