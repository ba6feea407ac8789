package order

import (
	"reflect"
	"testing"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

func FuzzCursor(f *testing.F) {
	s, err := schema.New(schema.Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []schema.Field{{Name: "year", Type: schema.Number}, {Name: "rating", Type: schema.Keyword}}})
	if err != nil {
		f.Fatal(err)
	}
	o, err := New(s, []query.Sort{{Field: "year"}, {Field: query.ByScore, Descending: true}, {Field: "rating"}})
	if err != nil {
		f.Fatal(err)
	}
	o.Stats = &plan.Stats{Docs: 3, Words: []uint64{0, 1 << 40}, Having: []uint64{7}}
	full := &Candidate{Score: 1.5, keys: []key{{present: true, term: []byte("x")}, {}, {}}, ID: "\x11\x00\xff"}
	f.Add(o.Encode(full))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := o.Decode(text)
		if err != nil {
			return
		}
		again, err := o.Decode(o.Encode(c))
		if err != nil || again.ID != c.ID || !reflect.DeepEqual(again.keys, c.keys) {
			t.Errorf("%q: got %+v, %v; want %+v", text, again, err, c)
		}
	})
}
