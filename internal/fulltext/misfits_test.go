package fulltext

import (
	"math"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

func TestMisfits(t *testing.T) {
	m := Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []Field{{Name: "price", Type: Number}}}
	row := func(title, price any) doc.Doc {
		d := doc.Doc{Row: doc.Row{Names: []string{"title", "price"}, Values: []any{title, price}}}
		d.OID, _ = doc.NewOID(title)
		return d
	}
	got, err := Misfits(m, []doc.Doc{row("fits", int64(1)), row("text", "much"), row("empty", nil), row("NaN", math.NaN())})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %v, %v, want two", got, err)
	}
	for i, want := range []string{"column price: much is no number", "column price"} {
		if !strings.Contains(got[i].Reason, want) || got[i].OID == "" {
			t.Errorf("got %+v, want %q", got[i], want)
		}
	}
	if _, err := Misfits(Mapping{}, nil); err == nil {
		t.Error("got no error of a mapping without content")
	}
}
