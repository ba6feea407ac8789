package opensearch

import (
	"encoding/json"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
)

// A value that does not fit its field is in none that the cluster parses by a type: the
// cluster would refuse the document, or count what indexerd does not. Clients find its text
// in ix.row, and searches its words.
func TestBadValuesAreInNoField(t *testing.T) {
	s, err := schema.New(schema.Mapping{
		Content: []string{"title"}, Analyzer: "standard",
		Metadata: []schema.Field{{Name: "title", Type: schema.Number}, {Name: "year", Type: schema.Number}, {Name: "on", Type: schema.Boolean}, {Name: "at", Type: schema.Date}, {Name: "flag", Type: schema.Boolean}},
		Children: []schema.Child{{Name: "sizes", Columns: []string{"size"}, Type: schema.Number}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ix := &Index{Requests: fulltext.Requests{Schema: s}, stores: stores{columns: true, numbers: true, rest: true}}
	row := doc.Row{
		Names:  []string{"title", "year", "on", "at", "flag"},
		Values: []any{"nineteen", doc.NewBadValue("NaN", "NaN is no number"), int64(2), "infinity", int64(1)},
		Children: []doc.Child{{Name: "sizes", Rows: []doc.Row{
			{Names: []string{"size"}, Values: []any{"wide"}}, {Names: []string{"size"}, Values: []any{int64(3)}},
		}}},
	}
	fields, err := ix.source(doc.Doc{Row: row})
	if err != nil {
		t.Fatal(err)
	}
	own := fields["ix"].(map[string]any)
	text, err := appendJSON(nil, own["row"])
	var rest map[string]any
	if err == nil {
		err = json.Unmarshal(text, &rest)
	}
	for name, want := range map[string]any{"title": "nineteen", "year": "NaN", "on": 2.0, "at": "infinity", "flag": 1.0} {
		if _, there := fields[name]; there || rest[name] != want {
			t.Errorf("%s: got %v in its field and %v in ix.row, %v, want none and %v", name, fields[name], rest[name], err, want)
		}
	}
	if sizes, _ := fields["sizes"].([]any); len(sizes) != 1 || sizes[0] != int64(3) {
		t.Errorf("sizes: got %v, want 3 alone", fields["sizes"])
	}
	values := own["values"].(map[string][]string)
	if len(values) != 2 || len(values["sizes"]) != 1 || values["flag"][0] != "true" {
		t.Errorf("got values %v, want those of flag and of one size", values)
	}
	if words := own["words"].(map[string][]string); len(words["title"]) != 1 {
		t.Errorf("got words %v, want those of the title", words)
	}
}
