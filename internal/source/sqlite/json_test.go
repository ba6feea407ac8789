package sqlite

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

// A text column that holds JSON is parsed, and what is at a path is a further column.
func TestJSONOfRows(t *testing.T) {
	db := newDB(t, "CREATE TABLE item (id INTEGER PRIMARY KEY, own JSON, data TEXT, words TEXT)",
		`INSERT INTO item VALUES (1, '[1, {"a": "x"}]', '{"a": {"b": 5}, "l": [{"n": "one"}, {"n": "two"}]}', '{"a": 1}'), (2, 'cut {', 'no JSON', NULL), (3, NULL, NULL, NULL), (4, NULL, '', NULL)`)
	config := source.TableConfig{
		Name: "item", SQL: "SELECT id, own, data, words FROM item", Key: []string{"id"}, JSON: []string{"data"},
		Paths: []source.PathConfig{{Name: "b", Column: "data", Path: []string{"a", "b"}}, {Name: "n", Column: "data", Path: []string{"l", "n"}}, {Name: "a", Column: "words", Path: []string{"a"}}},
	}
	table, err := db.source.Table(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"id", "own", "data", "words", "b", "n", "a"}
	if got := table.Columns(); !reflect.DeepEqual(got, names) {
		t.Errorf("columns: got %q, want %q", got, names)
	}
	want := [][]any{
		{int64(1), []any{int64(1), doc.JSON(`{"a": "x"}`)}, doc.JSON(`{"a": {"b": 5}, "l": [{"n": "one"}, {"n": "two"}]}`), `{"a": 1}`, int64(5), []any{"one", "two"}, int64(1)},
		{int64(2), "cut {", "no JSON", nil, nil, nil, nil},
		{int64(3), nil, nil, nil, nil, nil, nil},
		{int64(4), nil, "", nil, nil, nil, nil},
	}
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil || len(b.Rejects) > 0 {
			t.Fatalf("got %v, %v", b.Rejects, err)
		}
		for i, d := range b.Docs {
			if !reflect.DeepEqual(d.Row.Values, want[i]) || !reflect.DeepEqual(d.Row.Names, names) {
				t.Errorf("row %d: got %#v, want %#v", i+1, d.Row.Values, want[i])
			}
		}
	}

	// So it is in a child.
	config.Children = []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT id AS item, data FROM item WHERE id < 3", Key: []string{"item"}, JSON: []string{"data"}, Columns: []string{"data"}}}
	parent, err := db.source.Table(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range parent.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Docs[0].Row.Children[0].Rows[0].Values[1]; got != want[0][2] {
			t.Errorf("child: got %#v, want %#v", got, want[0][2])
		}
	}
	table = parent

	// In a column that is filtered by value, and in such a child, a text that is no JSON is a
	// bad value, and an empty one is none.
	config.Values, config.Children[0].Values = []string{"data"}, []string{"data"}
	strict, err := db.source.Table(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	for b, err := range strict.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		for where, row := range map[string]doc.Row{"column": b.Docs[1].Row, "child": b.Docs[1].Row.Children[0].Rows[0]} {
			v, _ := row.Get("data")
			if bad, ok := v.(doc.BadValue); !ok || bad.Text != "no JSON" || !strings.Contains(bad.Reason, "the text is not JSON: ") {
				t.Errorf("%s: got %#v, want a bad value", where, v)
			}
		}
		if v, _ := b.Docs[0].Row.Get("data"); v != want[0][2] {
			t.Errorf("got %#v, want %#v", v, want[0][2])
		}
		if v, _ := b.Docs[3].Row.Get("data"); v != "" {
			t.Errorf("got %#v of an empty text, want it", v)
		}
	}
	config.Values, config.Children[0].Values = nil, nil

	// Documents depend on the configuration, so tokens do.
	for what, change := range map[string]func(*source.TableConfig){
		"no JSON": func(c *source.TableConfig) { c.JSON = nil },
		"values":  func(c *source.TableConfig) { c.Values = c.JSON },
		"values of a child": func(c *source.TableConfig) {
			c.Children = []source.ChildConfig{c.Children[0]}
			c.Children[0].Values = c.Children[0].JSON
		},
		"no JSON of a child": func(c *source.TableConfig) {
			c.Children = []source.ChildConfig{c.Children[0]}
			c.Children[0].JSON = nil
		},
		"fewer paths": func(c *source.TableConfig) { c.Paths = c.Paths[1:] },
		"another path": func(c *source.TableConfig) {
			c.Paths = []source.PathConfig{{Name: "b", Column: "data", Path: []string{"a.b"}}, c.Paths[1], c.Paths[2]}
		},
	} {
		changed := config
		change(&changed)
		other, err := db.source.Table(t.Context(), changed)
		if err != nil {
			t.Fatal(err)
		}
		if other.Epoch() == table.Epoch() {
			t.Errorf("%s: got the same epoch, want another", what)
		}
	}
	for want, change := range map[string]func(*source.TableConfig){
		"json: column date is not": func(c *source.TableConfig) { c.JSON = []string{"date"} },
		"paths.b.column: column dat is not": func(c *source.TableConfig) {
			c.Paths = []source.PathConfig{{Name: "b", Column: "dat", Path: []string{"a"}}}
		},
		"paths.words: the SQL returns": func(c *source.TableConfig) {
			c.Paths = []source.PathConfig{{Name: "words", Column: "data", Path: []string{"a"}}}
		},
	} {
		changed := config
		change(&changed)
		if _, err := db.source.Table(t.Context(), changed); !errors.As(err, new(*source.ConfigError)) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
