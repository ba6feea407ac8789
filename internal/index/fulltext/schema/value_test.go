package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/numeric"
	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	_ "indexerd/internal/test/nofailfile"
)

func TestEqualValuesHaveEqualTerms(t *testing.T) {
	one := func(f Field, v any) string {
		t.Helper()
		got, reason := f.appendTerms(nil, v)
		if reason != "" || len(got) != 1 {
			t.Fatalf("%s %v: got %q, %s; want one term", f.Type, v, got, reason)
		}
		return got[0]
	}
	number, date, boolean, keyword := Field{"n", Number}, Field{"d", Date}, Field{"b", Boolean}, Field{"k", Keyword}
	for _, c := range []struct {
		field Field
		same  []any
	}{
		{number, []any{int64(5), 5.0, json.Number("5.00"), "5", "5e0"}},
		{number, []any{int64(0), math.Copysign(0, -1), json.Number("-0")}},
		{date, []any{"2006-02-15T09:46:27Z", "2006-02-15T10:46:27+01:00", "2006-02-15T09:46:27", "2006-02-15 09:46:27.000000", "2006-02-15T09:46:27.0000009Z"}},
		{date, []any{"2006-02-15", "2006-02-15T00:00:00Z"}},
		{boolean, []any{true, int64(1), "true", "t", "1"}},
		{boolean, []any{false, int64(0), "false", "f"}},
		{keyword, []any{"5", int64(5), json.Number("5")}},
	} {
		for _, v := range c.same[1:] {
			if got, want := one(c.field, v), one(c.field, c.same[0]); got != want {
				t.Errorf("%s %v: got %q, want the term of %v, %q", c.field.Type, v, got, c.same[0], want)
			}
		}
	}
	for _, v := range []any{nil, "", []any{}, []any{nil, ""}} {
		for _, f := range []Field{number, date, boolean, keyword} {
			if got, reason := f.appendTerms(nil, v); reason != "" || len(got) != 0 {
				t.Errorf("%s %#v: got %q, %s; want no terms", f.Type, v, got, reason)
			}
		}
	}
}

func TestValuesThatDoNotFitTheirType(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		field Field
		value any
		want  string
	}{
		{Field{"year", Number}, "soon", "soon is not a number"},
		{Field{"year", Number}, long, "" + long[:60] + "... is not a number"},
		{Field{"year", Number}, math.NaN(), "NaN is not a number"},
		{Field{"year", Number}, "inf", "inf is not a number"},
		{Field{"year", Number}, json.Number("1e999"), "1e999 is not a number"},
		{Field{"year", Number}, true, "true is not a number"},
		{Field{"year", Number}, []any{int64(1), "a b"}, `"a b" is not a number`},
		{Field{"at", Date}, int64(2006), "2006 is not a date"},
		{Field{"at", Date}, "infinity", "infinity is not a date"},
		{Field{"at", Date}, "2006-02-30", "2006-02-30 is not a date"},
		{Field{"on", Boolean}, int64(2), "2 is not a boolean"},
		{Field{"on", Boolean}, "yes", "yes is not a boolean"},
		{Field{"tag", Keyword}, "a\xff", `"a\xff" is not a keyword`},
		{Field{"tag", Keyword}, doc.NewBadValue("NaN", "NaN is no number that can be indexed"), "NaN is no number that can be indexed"},
	} {
		if _, reason := c.field.appendTerms(nil, c.value); reason != c.want || c.field.Fits(c.value) {
			t.Errorf("%v: got %s; want %s", c.value, reason, c.want)
		}
	}
}

// The byte order of terms is the order of values, and no term has the byte that
// separates docvalues.
func TestTermOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		ta, okA := numberTerm(a)
		tb, okB := numberTerm(b)
		if !okA || !okB || (a < b) != (ta < tb) || (a == b) != (ta == tb) || strings.Contains(ta, "\xff") {
			t.Fatalf("%v and %v: got %q and %q", a, b, ta, tb)
		}
		x, y := rapid.Int64().Draw(t, "x"), rapid.Int64().Draw(t, "y")
		ta, tb = instantTerm(time.UnixMicro(x)), instantTerm(time.UnixMicro(y))
		if (x < y) != (ta < tb) || strings.Contains(ta, "\xff") {
			t.Fatalf("instants %v and %v: got %q and %q", x, y, ta, tb)
		}
	})
}

// The quick ways give the terms of the library, of any number and time.
func TestTermsAreThoseOfTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		if got, want := orderedTerm(n), string(numeric.MustNewPrefixCodedInt64(n, 0)); got != want {
			t.Errorf("%d: got term %q, want %q", n, got, want)
		}
		digits := func(n, most int) string { return fmt.Sprintf("%0*d", n, rapid.IntRange(0, most).Draw(t, "part")) }
		text := digits(4, 9999) + "-" + digits(2, 13) + "-" + digits(2, 32) + "T" + digits(2, 25) + ":" + digits(2, 61) + ":" + digits(2, 61) + "." + digits(6, 999_999)
		text += rapid.SampledFrom([]string{"", "Z", "z", "+", " "}).Draw(t, "zone")
		from, _, err := parseDate(text)
		if got, ok := parseMicros(text); ok && (err != nil || got != from.UnixMicro()) {
			t.Errorf("%s: got %d microseconds, want %d, %v", text, got, from.UnixMicro(), err)
		}
	})
	for _, text := range []string{"0000-01-01T00:00:00.000000", "1970-01-01T00:00:00.000000Z", "2000-02-28T23:59:59.999999Z", "9999-12-28T23:59:59.999999Z"} {
		if _, ok := parseMicros(text); !ok {
			t.Errorf("%s: takes the slow way", text)
		}
	}
}

func TestParseDate(t *testing.T) {
	for text, want := range map[string][2]string{
		"2006":                             {"2006-01-01T00:00:00Z", "2007-01-01T00:00:00Z"},
		"2006-12":                          {"2006-12-01T00:00:00Z", "2007-01-01T00:00:00Z"},
		"2008-02-29":                       {"2008-02-29T00:00:00Z", "2008-03-01T00:00:00Z"},
		"2006-01-02T15:04:05Z":             {"2006-01-02T15:04:05Z", "2006-01-02T15:04:06Z"},
		"2006-01-02T15:04:05.25Z":          {"2006-01-02T15:04:05.25Z", "2006-01-02T15:04:05.26Z"},
		"2006-01-02T15:04:05.123456+02:00": {"2006-01-02T13:04:05.123456Z", "2006-01-02T13:04:05.123457Z"},
		"2006-01-02T15:04:05.123456789Z":   {"2006-01-02T15:04:05.123456Z", "2006-01-02T15:04:05.123457Z"},
	} {
		from, to, err := parseDate(text)
		got := [2]string{from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano)}
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "06", "2006-1", "2006-13", "2006-02-30", "15:04", "now"} {
		if from, _, err := parseDate(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, from)
		}
	}
}

// library has a column of each type.
var library = Mapping{
	Content:   []string{"title", "description"},
	Analyzer:  "standard",
	Stopwords: analysis.English(),
	Positions: true,
	Metadata:  []Field{{"rating", Keyword}, {"year", Number}, {"updated", Date}, {"rented", Boolean}, {"tags", Keyword}},
}

// actors has a child.
var actors = Mapping{
	Content:  []string{"title"},
	Analyzer: "en",
	Metadata: []Field{{"year", Number}},
	Children: []Child{{Name: "actors", Columns: []string{"name"}, Skip: []string{"film_id"}, Searched: true, Type: Keyword}},
}

func newSchema(t *testing.T, m Mapping) *Schema {
	t.Helper()
	s, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestHashOfColumns(t *testing.T) {
	s := newSchema(t, library)
	base := map[string]any{"title": "ab", "description": "c", "year": int64(5), "tags": []any{"x", "y"}}
	hash := func(s *Schema, change map[string]any) doc.DocHash {
		t.Helper()
		columns := map[string]any{}
		for _, m := range []map[string]any{base, change} {
			for k, v := range m {
				columns[k] = v
			}
		}
		row := doc.Row{}
		for _, name := range []string{"title", "description", "rating", "year", "updated", "rented", "tags"} {
			row.Names, row.Values = append(row.Names, name), append(row.Values, columns[name])
		}
		h, _, err := s.Hash(row)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	want := hash(s, nil)
	for name, same := range map[string]map[string]any{
		"nothing":                             {},
		"the same number":                     {"year": 5.0},
		"NULL or no text":                     {"rating": ""},
		"a column that is not in the mapping": {"stock": int64(3)},
	} {
		if got := hash(s, same); got != want {
			t.Errorf("%s: got %x, want %x", name, got, want)
		}
	}
	for name, change := range map[string]map[string]any{
		"text":          {"title": "abx"},
		"moved text":    {"title": "a", "description": "bc"},
		"number":        {"year": int64(6)},
		"no number":     {"year": nil},
		"fewer values":  {"tags": []any{"x"}},
		"joined values": {"tags": []any{"xy"}},
	} {
		if got := hash(s, change); got == want {
			t.Errorf("%s: got the same hash, want another", name)
		}
	}
	if hash(s, map[string]any{"rented": true, "tags": []any{"x"}}) == hash(s, map[string]any{"tags": []any{"true", "x"}}) {
		t.Error("moved value: got the same hash, want another")
	}
	other := library
	other.Analyzer = "en"
	if got := hash(newSchema(t, other), nil); got == want {
		t.Error("another mapping: got the same hash, want another")
	}
	if _, _, err := s.Hash(doc.Row{Names: []string{"title"}, Values: []any{"a"}}); err == nil || !strings.Contains(err.Error(), "column description is not in the row") {
		t.Errorf("a column that is missing: got %v, want an error", err)
	}
}

func TestMappingErrorsAndFingerprints(t *testing.T) {
	for want, m := range map[string]Mapping{
		"mapping: no content columns: name at least one":              {Analyzer: "standard"},
		"mapping: content column a is named twice":                    {Content: []string{"a", "b", "a"}, Analyzer: "standard"},
		"mapping: metadata column x is named twice":                   {Content: []string{"a"}, Metadata: []Field{{"x", Number}, {"x", Date}}},
		`mapping: metadata x: unknown type "text"`:                    {Content: []string{"a"}, Metadata: []Field{{"x", "text"}}},
		`unknown analyzer "german": write standard, en, cjk or ngram`: {Content: []string{"a"}, Analyzer: "german"},
	} {
		if _, err := New(m); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	seen := map[uint64]Mapping{library.Fingerprint(): library}
	for _, change := range []func(*Mapping){
		func(m *Mapping) { m.Analyzer = "en" },
		func(m *Mapping) { m.Stopwords = nil },
		func(m *Mapping) { m.Stopwords = []string{"der", "die"} },
		func(m *Mapping) { m.Positions = false },
		func(m *Mapping) { m.Content = []string{"description", "title"} },
		func(m *Mapping) { m.Metadata = m.Metadata[1:] },
		func(m *Mapping) { m.Metadata = []Field{{"rating", Number}} },
	} {
		m := library
		change(&m)
		if other, taken := seen[m.Fingerprint()]; taken {
			t.Errorf("%+v and %+v have the same fingerprint", m, other)
		}
		seen[m.Fingerprint()] = m
	}
}

func TestFlawed(t *testing.T) {
	m := Mapping{Content: []string{"title"}, Analyzer: "standard", Metadata: []Field{{Name: "price", Type: Number}}}
	row := func(key string, title, price any) doc.Doc {
		return doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: doc.OID(key)}}, Row: doc.Row{Names: []string{"title", "price"}, Values: []any{title, price}}}
	}
	partial, rejects, err := Flawed(m, []doc.Doc{row("a", "x", int64(1)), row("b", "x", "much"), row("c", "x", nil), row("d", math.NaN(), nil)})
	if err != nil || len(partial) != 1 || partial[0].OID != "b" || doc.FlawsText(partial[0].Flaws) != "column price: much is not a number" {
		t.Errorf("got %v, %v; want the document b, whose price is text", partial, err)
	}
	if len(rejects) != 1 || rejects[0].OID != "d" {
		t.Errorf("got rejects %v, want d, which is not JSON", rejects)
	}
	if _, _, err := Flawed(Mapping{}, nil); err == nil {
		t.Error("mapping without content: got no error")
	}
}

// A value that does not fit is left out alone: other elements of its list, other columns
// and its text are indexed. The row that a page has lacks the same, with the same hash.
func TestAFlawCostsTheValue(t *testing.T) {
	s := newSchema(t, Mapping{
		Content: []string{"title", "price"}, Analyzer: "standard", Metadata: []Field{{"price", Number}, {"tags", Keyword}, {"on", Boolean}},
		Children: []Child{{Name: "sizes", Columns: []string{"size"}, Searched: true, Type: Number}, {Name: "people", Columns: []string{"first", "last"}, Type: Keyword}},
	})
	bad := doc.NewBadValue("NaN", "NaN is no number that can be indexed")
	latin := doc.NewBadValue("Andr\xe9", "text is not valid UTF-8")
	row := doc.Row{Names: []string{"title", "price", "tags", "on"}, Values: []any{"a film", []any{int64(1), bad, "much"}, []any{"x", latin}, int64(2)}}
	row.Children = []doc.Child{
		{Name: "sizes", Rows: []doc.Row{{Names: []string{"size"}, Values: []any{"wide"}}, {Names: []string{"size"}, Values: []any{int64(3)}}}},
		{Name: "people", Rows: []doc.Row{{Names: []string{"first", "last"}, Values: []any{latin, "Ek"}}}},
	}
	body, err := row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := doc.ParseRow(body)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := s.Hash(row)
	for _, r := range []doc.Row{row, stored} {
		b, err := s.Build(r, new(Lists))
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Texts; !reflect.DeepEqual(got, [][]string{{"a film"}, {"1 NaN much"}, {"3", "wide"}}) {
			t.Errorf("texts: got %q", got)
		}
		if got := [][]string{b.Values[1], b.Values[2], b.Values[4]}; !reflect.DeepEqual(got, [][]string{{"x"}, {}, nil}) || len(b.Values[0]) != 1 || len(b.Values[3]) != 1 {
			t.Errorf("values: got %q", b.Values)
		}
		const flaws = "column price: NaN is no number that can be indexed; column tags: text is not valid UTF-8; column on: 2 is not a boolean; " +
			"column sizes: wide is not a number; column people: text is not valid UTF-8"
		if got := doc.FlawsText(b.Flaws); got != flaws {
			t.Errorf("got %s, want %s", got, flaws)
		}
		if got, _, err := s.Hash(r); err != nil || got != want {
			t.Errorf("hash: got %x, %v, want %x", got, err, want)
		}
	}
}

// A padded row fits the mapping. Pad does not change its argument, and adds nothing
// to a complete row.
func TestPadAddsMissingColumnsAndChildren(t *testing.T) {
	s := newSchema(t, actors)
	row := func(children []doc.Child, columns ...string) doc.Row {
		return doc.Row{Names: columns, Values: make([]any, len(columns)), Children: children}
	}
	cast := func(rows ...doc.Row) []doc.Child { return []doc.Child{{Name: "actors", Rows: rows}} }
	complete := row(cast(row(nil, "name")), "title", "year")
	for name, r := range map[string]doc.Row{
		"complete":               complete,
		"no year":                row(cast(), "title"),
		"no child":               row(nil, "title", "year"),
		"no column in the child": row(cast(row(nil, "film_id"), row(nil, "name")), "title", "year"),
		"another child":          row([]doc.Child{{Name: "shops"}}),
	} {
		before, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Hash(s.Pad(r)); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
		if after, _ := r.AppendJSON(nil); string(after) != string(before) {
			t.Errorf("%s: Pad changed the row to %s, want %s", name, after, before)
		}
	}
	if got := s.Pad(complete); !reflect.DeepEqual(got, complete) {
		t.Errorf("complete row: got %+v, want %+v", got, complete)
	}
	if _, flaws, err := s.Hash(s.Pad(doc.Row{Names: []string{"year"}, Values: []any{"soon"}})); err != nil || len(flaws) != 1 {
		t.Errorf("a value that does not fit: got %v, %v after Pad, want one flaw", flaws, err)
	}
}

// The text of a term is read as the same term.
func TestTextOfTerm(t *testing.T) {
	for _, c := range []struct {
		kind  Type
		value any
		want  string
	}{
		{Number, 2006.0, "2006"},
		{Number, -0.1, "-0.1"},
		{Number, 1e300, "1e+300"},
		{Date, "2006-02-15T04:46:27.12", "2006-02-15T04:46:27.12Z"},
		{Date, "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"},
		{Boolean, true, "true"},
		{Keyword, "PG-13", "PG-13"},
	} {
		f := Field{"f", c.kind}
		term, ok := f.term(c.value)
		got := c.kind.Text([]byte(term))
		if again, err := f.Value(got); !ok || got != c.want || err != nil || again.Min != term {
			t.Errorf("%s %v: got %s (%v), want %s", c.kind, c.value, got, err, c.want)
		}
	}
}
