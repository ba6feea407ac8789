package search

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Who reads an answer sees the fields in the order in which they were written.
func TestFieldsKeepTheirOrder(t *testing.T) {
	for _, text := range []string{`{}`, `{"title":"<b> & c","year":2006,"actors":["A",null],"a\"b":{"deep":[1]}}`} {
		var f Fields
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		if got := show(t, f); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
	if got := show(t, Fields(nil)); got != "{}" {
		t.Errorf("no fields: got %s, want {}", got)
	}
	f := Fields{{Name: "title", Value: "x"}, {Name: "year", Value: 2006.0}}
	if got := []any{f.Get("year"), f.Get("rating")}; !reflect.DeepEqual(got, []any{2006.0, nil}) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{`[1]`, `"title"`, `null`} {
		if err := new(Fields).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}
