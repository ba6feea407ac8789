package hits

import (
	"encoding/json"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/osapi/mapping"
)

// _source names what is shown of the objects in JSON columns, as of objects.
func TestSourceInsideObjects(t *testing.T) {
	ix := mapping.Index{{Name: "title", Type: mapping.Text}, {Name: "data", Type: mapping.Text}, {Name: "datum", Type: mapping.Text}}
	hit := search.Hit{Fields: search.Fields{
		{Name: "title", Value: "shark"},
		{Name: "data", Value: doc.JSON(`{"city": "Ulm", "big": 12345678901234567890, "at": {"x": 1, "y": [{"z": 2, "w": 3}, 4]}, "none": {}}`)},
		{Name: "datum", Value: []any{doc.JSON(`{"city": "Bonn", "x": 1}`), "text"}},
	}}
	for source, want := range map[string]string{
		`"data.city"`:          `{"data":{"city":"Ulm"}}`,
		`["title","data.big"]`: `{"title":"shark","data":{"big":12345678901234567890}}`,
		`"data.at.x"`:          `{"data":{"at":{"x":1}}}`,
		`"data.at"`:            `{"data":{"at":{"x":1,"y":[{"z":2,"w":3},4]}}}`,
		`"data.at.y.z"`:        `{"data":{"at":{"y":[{"z":2}]}}}`,
		`"*.city"`:             `{"data":{"city":"Ulm"},"datum":[{"city":"Bonn"}]}`,
		`"dat*.x"`:             `{"data":{"at":{"x":1}},"datum":[{"x":1}]}`,
		`"data.nothing"`:       `{}`,
		`"title.x"`:            `{}`,
		`{"excludes":["data.at.*","data.big","dat*.city"]}`: `{"title":"shark","data":{"at":{},"none":{}},"datum":[{"x":1},"text"]}`,
		`{"excludes":["data","datum"]}`:                     `{"title":"shark"}`,
		`{"includes":["data"],"excludes":["*.y"]}`:          `{"data":{"city":"Ulm","big":12345678901234567890,"at":{"x":1},"none":{}}}`,
		`"title"`:         `{"title":"shark"}`,
		`"title.keyword"`: `{"title":"shark"}`,
	} {
		s, err := ParseSource(json.RawMessage(source), ix)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		to := map[string]any{}
		s.Show(to, hit)
		got, err := json.Marshal(to["_source"])
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", source, got, err, want)
		}
	}
}
