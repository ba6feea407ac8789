package query

import (
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
)

func TestChildValue(t *testing.T) {
	row := doc.Row{
		Names:  []string{"film_id", "updated", "first", "middle", "last", "n", "none"},
		Values: []any{int64(7), "2006-02-15", "PENELOPE", "", "GUINESS", int64(3), nil},
	}
	extra := doc.Row{Names: []string{"film_id", "acl", "updated"}, Values: []any{int64(7), []any{"a", "b"}, "2006-02-15"}}
	skip := []string{"film_id", "updated"}
	for _, c := range []struct {
		name    string
		row     doc.Row
		columns []string
		want    any
	}{
		{"one column is text", row, []string{"last"}, "GUINESS"},
		{"one column keeps its type", row, []string{"n"}, int64(3)},
		{"one column that is NULL", row, []string{"none"}, nil},
		{"several are joined in the order named", row, []string{"last", "first", "n"}, "GUINESS PENELOPE 3"},
		{"NULL and empty leave no space", row, []string{"none", "first", "middle", "last"}, "PENELOPE GUINESS"},
		{"only NULL and empty", row, []string{"none", "middle"}, nil},
		{"without columns, the remaining one", extra, nil, []any{"a", "b"}},
	} {
		if got, err := ChildValue(c.row, c.columns, skip); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %#v, %v; want %#v", c.name, got, err, c.want)
		}
	}
}

func TestChildValueErrors(t *testing.T) {
	row := doc.Row{Names: []string{"film_id", "a", "b"}, Values: []any{int64(7), "x", "y"}}
	for _, c := range []struct {
		columns, skip []string
		want          string
	}{
		{[]string{"c"}, nil, "column c is not in the row: the SQL must return it"},
		{[]string{"a", "c"}, nil, "column c is not in the row: the SQL must return it"},
		{nil, []string{"film_id"}, "the row has 2 columns beside its key and updateTime: the SQL must return one"},
		{nil, []string{"film_id", "a", "b"}, "the row has 0 columns beside its key and updateTime: the SQL must return one"},
	} {
		if got, err := ChildValue(row, c.columns, c.skip); err == nil || err.Error() != c.want {
			t.Errorf("%v without %v: got %v, %v; want %s", c.columns, c.skip, got, err, c.want)
		}
	}
}
