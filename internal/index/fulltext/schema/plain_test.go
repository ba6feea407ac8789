package schema

import (
	"encoding/json"
	"reflect"
	"testing"
)

// A value that another engine splits is the value itself if its text in JSON is that of
// an Index.
func TestPlainValues(t *testing.T) {
	s, err := New(Mapping{Content: []string{"a"}, Analyzer: "standard", Stopwords: []string{"the"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		v, want any
		same    bool
	}{
		{nil, nil, true}, {"", nil, true}, {"?!", nil, false}, {"The", nil, false}, {"the End", "the End", true}, {int64(7), int64(7), true}, {true, true, true},
		{0.5, 0.5, true}, {1e-7, "1e-07", false}, {1e21, 1e21, true}, {json.Number("1E5"), json.Number("1E5"), true},
		{[]any{"A b", int64(2), nil, []any{"c"}}, []any{"A b", int64(2), nil, []any{"c"}}, true}, {[]any{"A", 1e-7}, "A 1e-07", false}, {[]any{"Ｗ", "x"}, "w x", false},
	} {
		if got, same := s.Plain(test.v); !reflect.DeepEqual(got, test.want) || same != test.same {
			t.Errorf("%#v: got %#v, %t, want %#v, %t", test.v, got, same, test.want, test.same)
		}
	}
	for _, analyzer := range []string{"en", "cjk", "ngram"} {
		s, err := New(Mapping{Content: []string{"a"}, Analyzer: analyzer})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Splitting(); ok {
			t.Errorf("%s: got a pattern", analyzer)
		}
	}
}
