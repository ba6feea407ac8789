package query

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseLenient(t *testing.T) {
	fields := []string{"title", "rating", "year"}
	for text, want := range map[string]struct {
		query string // canonical
		notes []string
	}{
		"":                            {"*", nil},
		"drama OR shark -x":           {`drama OR shark -x`, nil},
		"https://example.com/a/b?c=d": {`https\://example.com/a/b?c\=d`, []string{"read as text: https"}},
		"(https://x.org/Foo_(bar))":   {`https\://x.org/Foo_\(bar\)`, []string{"read as text: https"}},
		"12:30":                       {`12\:30`, []string{"read as text: 12"}},
		"error: x":                    {`error\: x`, []string{"read as text: error"}},
		"rting:PG":                    {`rting\:PG`, []string{"read as text: rting: did you mean rating?"}},
		"rting:PG*":                   {`rting\:PG*`, []string{"read as text: rting: did you mean rating?"}},
		`a:*`:                         {`a\:\*`, []string{"read as text: a"}},
		`error:"no such" file`:        {`error\: "no such" file`, []string{"read as text: error"}},
		"rating:PG":                   {"rating:PG", nil},
		"rating:":                     {`rating\:`, []string{"read as text: rating"}},
		"rating:(a b)":                {`rating\: a b`, []string{"read as text: rating"}},
		"(rating:)":                   {`rating\:`, []string{"read as text: rating"}},
		"year:[1 TO":                  {`year\:\[1 TO`, []string{"read as text: year"}},
		`year:["a TO 2]`:              {`year\:\[ "a TO 2]"`, []string{"read as text: year", `closed at the end: "`}},
		"year:>":                      {`year\:\>`, []string{"read as text: year"}},
		"OR":                          {`\OR`, []string{"read as text: OR"}},
		"(OR)":                        {`\OR`, []string{"read as text: OR"}},
		"OR a":                        {"a", []string{"ignored: OR"}},
		"a OR":                        {"a", []string{"ignored: OR"}},
		"a OR OR b":                   {"a OR b", []string{"ignored: OR"}},
		"(":                           {"*", []string{"closed at the end: ("}},
		")":                           {"*", []string{"ignored: )"}},
		"a) b":                        {"a b", []string{"ignored: )"}},
		"a ) OR b":                    {"a OR b", []string{"ignored: )"}},
		"() a":                        {"a", nil},
		"-() a":                       {"a", nil},
		"(a OR":                       {"a", []string{"ignored: OR", "closed at the end: ("}},
		`"`:                           {"*", []string{`closed at the end: "`}},
		`a "`:                         {"a", []string{`closed at the end: "`}},
		`title:"`:                     {"*", []string{`closed at the end: "`}},
		`"mad sci`:                    {`"mad sci"`, []string{`closed at the end: "`}},
		`"a b"~`:                      {`"a b"`, []string{"ignored: ~"}},
		`"a b"~101`:                   {`"a b"`, []string{"ignored: ~101"}},
		`""`:                          {`""`, nil},
		`\`:                           {`\\`, nil},
		`a\`:                          {`a\\`, nil},
		`C:\temp`:                     {`C\:\\temp`, []string{"read as text: C"}},
		`\\host\share`:                {`\\host\\share`, nil},
		`"C\temp\"`:                   {`"C\\temp\""`, []string{`closed at the end: "`}},
		`\OR`:                         {`\OR`, nil},
		`\ORB`:                        {`\\ORB`, nil},
		"a*b":                         {`a\*b`, nil},
		"*a":                          {`\*a`, nil},
		"a* b":                        {"a* b", nil},
		"a~3":                         {"a~", []string{"ignored: 3"}},
		"a~0.8":                       {"a~", []string{"ignored: 0.8"}},
		`3/4" pipe`:                   {`3/4\" pipe`, nil},
		`"size 5" pipe`:               {`"size 5" pipe`, nil},
		"-54-OR323014-":               {`-54\-OR323014\-`, nil},
		"a\xffb":                      {"a b", []string{"ignored: bytes that are not UTF-8"}},
		strings.Repeat("(", 40) + "a": {"a", []string{"ignored: parentheses and minus signs deeper than 32", "closed at the end: ("}},
		strings.Repeat("-", 40) + "a": {"-------a", []string{"ignored: parentheses and minus signs deeper than 32"}},
		strings.Repeat("a ", 33) + "rating:PG -x OR b":                  {strings.Repeat("a ", 32) + "rating:PG", []string{"only the first 32 words"}},
		strings.Repeat("a ", 30) + `"b c d" e`:                          {strings.Repeat("a ", 30) + `"b c"`, []string{"only the first 32 words"}},
		strings.Repeat("rating:PG ", 700) + strings.Repeat("a:b ", 100): {strings.TrimSpace(strings.Repeat("rating:PG ", 700) + strings.Repeat(`a\:b `, 32)), []string{"read as text: a", "only the first 32 words"}},
		"b " + strings.Repeat("é", 5000):                                {"b", []string{"cut after 8192 bytes"}},
		strings.Repeat("a* b~ ", 9):                                     {strings.Repeat("a* b~ ", 8) + "a b", []string{"ignored: * and ~ after the first 16"}},
		strings.Repeat("rating:a~ ", 65):                                {strings.Repeat("rating:a~ ", 64) + "rating:a", []string{"ignored: ~"}},
	} {
		n, notes := ParseLenient(text, fields)
		if n.String() != want.query || !slices.Equal(notes, want.notes) {
			t.Errorf("%.60s:\ngot  %.100s, notes %q\nwant %.100s, notes %q", text, n, notes, want.query, want.notes)
		}
	}
}

// fieldsOf lists the fields of a query.
func fieldsOf(n Node) (names []string) {
	Map(n, func(n Node) Node {
		names = append(names, FieldOf(n))
		return n
	})
	return names
}

// What the strict parser reads is read in the same way.
func TestLenientReadsWhatIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := node(3).Draw(t, "node")
		got, notes := ParseLenient(want.String(), fieldsOf(want))
		if slices.Contains(notes, "only the first 32 words") || slices.Contains(notes, "ignored: * and ~ after the first 16") {
			t.Skip("more than a person types")
		}
		if !reflect.DeepEqual(got, want) || notes != nil {
			t.Fatalf("%s:\ngot  %#v, notes %q\nwant %#v", want, got, notes, want)
		}
	})
}

// FuzzParseLenient: what becomes of any text is a valid query within the limits.
func FuzzParseLenient(f *testing.F) {
	for _, s := range []string{"a b OR c", `-(x "y z") f:[1 TO *]`, `f:>="a b" pre* a\:b`, "f:* g:<5 ~ a~1", `"a b"~2 f:c~`, "((a OR", `"`, `\`, "f:", "https://a/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, notes := ParseLenient(s, []string{"f", "title"})
		if len(notes) > maxNotes {
			t.Errorf("%q: %d notes", s, len(notes))
		}
		for _, note := range notes {
			if strings.ContainsAny(note, "\n\r") || len(note) > 400 {
				t.Errorf("%q: note %q", s, note)
			}
		}
		if again, err := Parse(n.String()); err != nil && len(n.String()) <= MaxLength || err == nil && !reflect.DeepEqual(again, n) {
			t.Errorf("%q: %s parses to %v, %v", s, n, again, err)
		}
	})
}

func TestPlainer(t *testing.T) {
	for text, want := range map[string][]string{
		"drama":            nil,
		"*":                nil,
		`year:"a b"~2`:     {`year:"a b"`, `year:a\ b`, `year\:a\ b`},
		"year:20*":         {"year:20", `year\:20`},
		"year:20~1":        {"year:20", `year\:20`},
		`title:[a TO "b"]`: {`title\:a\ b`},
	} {
		n, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for {
			plain, ok := Plainer(n)
			if n = plain; !ok {
				break
			}
			got = append(got, n.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestWordsAndFirst(t *testing.T) {
	n, _ := ParseLenient(`a* b~ "c d"~2 -(e f*) OR g OR year:>5`, []string{"year"})
	if got, want := Words(n).String(), `a b "c d" -(e f) OR g OR year:>"5"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for many, want := range map[int]string{
		0: "", 1: "a*", 3: `a* b~ "c d"~2`, 5: `a* b~ "c d"~2 -(e f*) OR g`, 6: n.String(), 7: n.String(),
	} {
		got, more := FirstParts(n, many)
		if got.String() != want || more != (many < 6) {
			t.Errorf("%d: got %s, %t, want %s", many, got, more, want)
		}
	}
}
