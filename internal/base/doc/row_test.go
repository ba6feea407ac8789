package doc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// rowValue draws a value that a source may return.
func rowValue() *rapid.Generator[any] {
	scalar := rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 7).Draw(t, "type") {
		case 6:
			return JSON(rapid.SampledFrom([]string{`{}`, `{"a":{"b":["x",{"c":1.50}]},"d":null,"e":true}`, "{ \"a\" :\n\"\\ud800 \\\"x\\\"\" }"}).Draw(t, "object"))
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Int64().Draw(t, "integer")
		case 3:
			return rapid.Float64().Draw(t, "float")
		case 4:
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,9})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "decimal"))
		case 5:
			return NewBadValue(rapid.String().Draw(t, "bad"), rapid.String().Draw(t, "reason"))
		}
		return rapid.String().Draw(t, "text")
	})
	list := rapid.Map(rapid.SliceOfN(scalar, 0, 3), func(l []any) any { return l })
	nested := rapid.Map(rapid.SliceOfN(list, 0, 2), func(l []any) any { return l })
	return rapid.OneOf(scalar, scalar, list, nested)
}

func drawColumns(t *rapid.T) Row {
	names := rapid.SliceOfNDistinct(rapid.String(), 0, 5, rapid.ID[string]).Draw(t, "columns")
	return Row{Names: names, Values: rapid.SliceOfN(rowValue(), len(names), len(names)).Draw(t, "values")}
}

func drawRow(t *rapid.T) Row {
	row := drawColumns(t)
	for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 2, rapid.ID[string]).Draw(t, "children") {
		rows := rapid.SliceOfN(rapid.Custom(drawColumns), 0, 3).Draw(t, "rows")
		row.Children = append(row.Children, Child{Name: name, Rows: rows})
	}
	return row
}

func mustJSON(t rapid.TB, r Row) []byte {
	t.Helper()
	body, err := r.AppendJSON(nil)
	if err != nil {
		t.Fatalf("encode %+v: %v", r, err)
	}
	return body
}

// A page holds the row's values: the same document is built from both.
func TestParsedPageEqualsRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := drawRow(t)
		body := mustJSON(t, row)
		page, err := ParseRow(body)
		if err != nil {
			t.Fatalf("parse %s: %v", body, err)
		}
		sameTexts(t, page, row)
		if len(page.Children) != len(row.Children) {
			t.Fatalf("got %d children, want %d", len(page.Children), len(row.Children))
		}
		for i, want := range row.Children {
			got := page.Children[i]
			if got.Name != want.Name || len(got.Rows) != len(want.Rows) {
				t.Fatalf("got child %q of %d rows, want %q of %d", got.Name, len(got.Rows), want.Name, len(want.Rows))
			}
			for j := range want.Rows {
				sameTexts(t, got.Rows[j], want.Rows[j])
			}
		}
		if got := mustJSON(t, page); !bytes.Equal(got, body) {
			t.Fatalf("second encoding: got %s, want %s", got, body)
		}
	})
}

func sameTexts(t rapid.TB, got, want Row) {
	t.Helper()
	if len(got.Names) != len(want.Names) {
		t.Fatalf("got columns %q, want %q", got.Names, want.Names)
	}
	for i, name := range want.Names {
		if got.Names[i] != name {
			t.Fatalf("got columns %q, want %q", got.Names, want.Names)
		}
		if got, want := FormatText(got.Values[i]), FormatText(want.Values[i]); got != want {
			t.Fatalf("column %q: got text %q, want %q", name, got, want)
		}
	}
}

// Every page is stored in this layout, so it must not change.
func TestRowLayout(t *testing.T) {
	names := []string{"film_id", "title"}
	tests := []struct {
		row  Row
		want string
	}{
		{Row{}, `{"row":{}}`},
		{Row{Names: names, Values: []any{int64(7), "A \"quoted\"\\\n\t\x01\u2028 <b>é中"}}, `{"row":{"film_id":7,"title":"A \"quoted\"\\\n\t\u0001` + "\u2028" + ` <b>é中"}}`},
		{Row{Names: names, Values: []any{nil, []any{true, 1.5, json.Number("12.50"), []any{}}}}, `{"row":{"film_id":null,"title":[true,1.5,12.50,[]]}}`},
		{
			Row{
				Names: names[:1], Values: []any{int64(7)},
				Children: []Child{
					{Name: "none"},
					{Name: "actors", Rows: []Row{{Names: []string{"name"}, Values: []any{"Uma"}}, {Names: []string{"name"}, Values: []any{"Zoe"}}}},
				},
			},
			`{"row":{"film_id":7},"children":{"none":[],"actors":[{"name":"Uma"},{"name":"Zoe"}]}}`,
		},
	}
	for _, tt := range tests {
		if got, err := tt.row.AppendJSON([]byte("before ")); string(got) != "before "+tt.want || err != nil {
			t.Errorf("got  %s, %v\nwant before %s", got, err, tt.want)
		}
	}
}

func TestValuesWithoutJSONAreErrors(t *testing.T) {
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"NaN", math.NaN(), "column b: NaN is no number that can be indexed"},
		{"infinity", math.Inf(-1), "column b: -Inf is no number that can be indexed"},
		{"in a list", []any{int64(1), []any{math.Inf(1)}}, "column b: +Inf is no number that can be indexed"},
		{"text that is not UTF-8", "\xff", "column b: text is not valid UTF-8"},
		{"numeric NaN", json.Number("NaN"), `column b: "NaN" is no number that can be indexed`},
		{"no digits", json.Number(""), `column b: "" is no number that can be indexed`},
		{"JSON that is not a number", json.Number("null"), `column b: "null" is no number that can be indexed`},
		{"a quoted number", json.Number(`"1"`), `column b: "\"1\"" is no number that can be indexed`},
		{"space around it", json.Number("1 "), `column b: "1 " is no number that can be indexed`},
		{"another type", 7, "column b: a value of type int can't be stored"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			row := Row{Names: []string{"a", "b"}, Values: []any{nil, tt.value}}
			_, err := row.AppendJSON(nil)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got error %v, want %s", err, tt.want)
			}
			parent := Row{Children: []Child{{Name: "actors", Rows: []Row{row}}}}
			_, err = parent.AppendJSON(nil)
			if want := "child actors: " + tt.want; err == nil || err.Error() != want {
				t.Errorf("in a child: got error %v, want %s", err, want)
			}
		})
	}
	if _, err := (Row{Names: []string{"\xff"}, Values: []any{nil}}).AppendJSON(nil); err == nil {
		t.Error("a column's name that is not UTF-8: got no error")
	}
	if _, err := (Row{Children: []Child{{Name: "\xff"}}}).AppendJSON(nil); err == nil {
		t.Error("a child's name that is not UTF-8: got no error")
	}
}

func TestFormatText(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{nil, ""},
		{"as it is ", "as it is "},
		{true, "true"},
		{int64(-7), "-7"},
		{json.Number("12.50"), "12.50"},
		{1234567.0, "1234567"},
		{0.000001, "0.000001"},
		{1e-7, "1e-07"},
		{1e20, "100000000000000000000"},
		{1e21, "1e+21"},
		{-2.5, "-2.5"},
		{math.Copysign(0, -1), "0"},
		{[]any{}, ""},
		{NewBadValue("a\xff\xfeb", "text is not valid UTF-8"), "a\uFFFDb"},
		{[]any{"a", nil, int64(1), []any{"b", "c"}}, "a  1 b c"},
	}
	for _, tt := range tests {
		if got := FormatText(tt.value); got != tt.want {
			t.Errorf("%#v: got %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestGetReturnsColumnsByName(t *testing.T) {
	row := Row{Names: []string{"a", "b"}, Values: []any{int64(1), nil}}
	if v, ok := row.Get("a"); v != int64(1) || !ok {
		t.Errorf("a: got %v, %v", v, ok)
	}
	if v, ok := row.Get("b"); v != nil || !ok {
		t.Errorf("b, which is NULL: got %v, %v", v, ok)
	}
	if v, ok := row.Get("c"); v != nil || ok {
		t.Errorf("c, which is missing: got %v, %v", v, ok)
	}
}

// appendSimply is AppendString character by character.
func appendSimply(s string) string {
	if !utf8.ValidString(s) {
		return "error"
	}
	out := `"`
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out += `\` + string(r)
		case r == '\n':
			out += `\n`
		case r == '\t':
			out += `\t`
		case r < ' ':
			out += fmt.Sprintf(`\u%04x`, r)
		default:
			out += string(r)
		}
	}
	return out + `"`
}

func TestAppendString(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "plain text ", "\"", "\\", "\n", "\t", "\r", "\x00", "\x1f", " ", "!", "#", "[", "]", "~", "\x7f", "é", "电影", "🎬", "\x80", "\xff", "\xe7\x94"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 12).Draw(t, "pieces"), "")
		got, err := AppendString([]byte("before"), text)
		want := appendSimply(text)
		if (err != nil) != (want == "error") || err == nil && string(got) != "before"+want {
			t.Fatalf("%q: got %q, %v; want %q", text, got, err, want)
		}
	})
}
