package fulltext

import (
	"reflect"
	"testing"

	"indexerd/internal/index/query"
)

func FuzzCursor(f *testing.F) {
	s, err := NewSchema(Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []Field{{Name: "year", Type: Number}, {Name: "rating", Type: Keyword}}})
	if err != nil {
		f.Fatal(err)
	}
	o, err := newOrder(s, []query.Sort{{Field: "year"}, {Field: query.ByScore, Descending: true}, {Field: "rating"}})
	if err != nil {
		f.Fatal(err)
	}
	o.stats = &stats{docs: 3, words: []uint64{0, 1 << 40}, having: []uint64{7}}
	full := &candidate{score: 1.5, keys: []key{{present: true, term: []byte("x")}, {}, {}}, id: "\x11\x00\xff"}
	f.Add(o.encode(full))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := o.decode(text)
		if err != nil {
			return
		}
		again, err := o.decode(o.encode(c))
		if err != nil || again.id != c.id || !reflect.DeepEqual(again.keys, c.keys) {
			t.Errorf("%q: got %+v, %v; want %+v", text, again, err, c)
		}
	})
}
