package doc_test

import (
	"math"
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
)

func TestReplaceChangesOnlyTheGroups(t *testing.T) {
	column, child := doc.ACL{Column: "grp"}, doc.ACL{Child: "who"}
	named := func(names ...string) (rows []doc.Row) {
		for _, n := range names {
			rows = append(rows, doc.Row{Names: []string{"name"}, Values: []any{n}})
		}
		return rows
	}
	row := func(group any, who ...string) doc.Row {
		return doc.Row{
			Names: []string{"id", "grp", "title"}, Values: []any{int64(1), group, "a"},
			Children: []doc.Child{{Name: "notes"}, {Name: "who", Rows: named(who...)}, {Name: "tags"}},
		}
	}
	bare := doc.Row{Names: []string{"id"}, Values: []any{int64(1)}}
	for _, test := range []struct {
		name   string
		acl    doc.ACL
		from   doc.Row
		groups *doc.Row
		want   string
	}{
		{"none", doc.ACL{}, bare, nil, `{"row":{"id":1}}`},
		{"a column", column, row("7"), column.Value("9"), `{"row":{"id":1,"grp":"9","title":"a"},"children":{"notes":[],"who":[],"tags":[]}}`},
		{"a column, hidden", column, row("7"), nil, `{"row":{"id":1,"grp":null,"title":"a"},"children":{"notes":[],"who":[],"tags":[]}}`},
		{"a missing column", column, bare, column.Value("9"), `{"row":{"id":1,"grp":"9"}}`},
		{"a missing column, hidden", column, bare, nil, `{"row":{"id":1,"grp":null}}`},
		{"a child", child, row("7", "x"), child.Rows(named("y", "z")), `{"row":{"id":1,"grp":"7","title":"a"},"children":{"notes":[],"who":[{"name":"y"},{"name":"z"}],"tags":[]}}`},
		{"a child, hidden", child, row("7", "x"), nil, `{"row":{"id":1,"grp":"7","title":"a"},"children":{"notes":[],"who":[],"tags":[]}}`},
		{"a missing child", child, bare, child.Rows(named("y")), `{"row":{"id":1},"children":{"who":[{"name":"y"}]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, err := test.from.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			replaced := test.acl.Replace(test.from, test.groups)
			got, err := replaced.AppendJSON(nil)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v, want %s", got, err, test.want)
			}
			if after, _ := test.from.AppendJSON(nil); string(after) != string(before) {
				t.Errorf("the row itself was changed to %s", after)
			}
			if of := test.acl.Of(replaced); test.groups != nil && !reflect.DeepEqual(of, test.groups) {
				t.Errorf("of the result: got %+v, want %+v", of, test.groups)
			}
		})
	}
	for _, acl := range []doc.ACL{{}, column, child} {
		if got := acl.Of(bare); got != nil {
			t.Errorf("%+v of a row without it: got %+v, want nil", acl, got)
		}
	}
}

func TestFieldOfSeveralRowsOfOneKey(t *testing.T) {
	column, child := doc.ACL{Column: "grp"}, doc.ACL{Child: "who"}
	rows := func(values ...any) (rows []doc.Row) {
		for _, v := range values {
			rows = append(rows, doc.Row{Names: []string{"v"}, Values: []any{v}})
		}
		return rows
	}
	for _, test := range []struct {
		acl  doc.ACL
		rows []doc.Row
		want *doc.Row
	}{
		{column, nil, nil},
		{column, rows("a"), column.Value("a")},
		{column, rows(nil), column.Value(nil)},
		{column, rows("a", "a", "a"), column.Value("a")},
		{column, rows("a", "a", "b"), nil},
		{column, rows("a", "b", "b"), nil},
		{column, rows(nil, "b"), nil},
		{column, rows(math.NaN(), math.NaN()), nil},
		{child, nil, child.Rows(nil)},
		{child, rows("b", "a", "b"), child.Rows(rows("a", "b", "b"))},
	} {
		if got := test.acl.Field(test.rows); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%+v of %v: got %+v, want %+v", test.acl, test.rows, got, test.want)
		}
	}
}
