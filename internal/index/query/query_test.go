package query

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

func TestParse(t *testing.T) {
	word := func(s string) Node { return Word{Text: s} }
	for text, want := range map[string]Node{
		"":                        All{},
		"  ":                      All{},
		"*":                       All{},
		"drama":                   word("drama"),
		"drama shark":             And{[]Node{word("drama"), word("shark")}},
		"a OR b":                  Or{[]Node{word("a"), word("b")}},
		"a b OR c d":              Or{[]Node{And{[]Node{word("a"), word("b")}}, And{[]Node{word("c"), word("d")}}}},
		"a (b OR c)":              And{[]Node{word("a"), Or{[]Node{word("b"), word("c")}}}},
		"a(b)":                    And{[]Node{word("a"), word("b")}},
		"(a OR b) OR c":           Or{[]Node{word("a"), word("b"), word("c")}},
		"(a b) c":                 And{[]Node{word("a"), word("b"), word("c")}},
		"( a )":                   word("a"),
		"OR(a)":                   nil,
		"-x":                      Not{word("x")},
		"a -x":                    And{[]Node{word("a"), Not{word("x")}}},
		"-(a b)":                  Not{And{[]Node{word("a"), word("b")}}},
		"--x":                     Not{Not{word("x")}},
		"a - b":                   And{[]Node{word("a"), word("-"), word("b")}},
		"-":                       word("-"),
		"(-)":                     word("-"),
		`"mad scientist"`:         Phrase{Text: "mad scientist"},
		`"a \"b\" \\"`:            Phrase{Text: `a "b" \`},
		`-"a b"`:                  Not{Phrase{Text: "a b"}},
		`a"b"`:                    And{[]Node{word("a"), Phrase{Text: "b"}}},
		`"a b"~2`:                 Phrase{Text: "a b", Slop: 2},
		`f:"a b"~10 c`:            And{[]Node{Phrase{"f", "a b", 10}, word("c")}},
		`"a b"~0`:                 Phrase{Text: "a b"},
		`("a b"~2)`:               Phrase{Text: "a b", Slop: 2},
		`"a b"~2c`:                And{[]Node{Phrase{Text: "a b", Slop: 2}, word("c")}},
		"fuzzy~":                  Fuzzy{Text: "fuzzy"},
		"(fuzzy~1 -f:fuzzy~2)":    And{[]Node{Fuzzy{Text: "fuzzy", Edits: 1}, Not{Fuzzy{"f", "fuzzy", 2}}}},
		"武元衡~":                    Fuzzy{Text: "武元衡"},
		"a~1b":                    word("a~1b"),
		"pre*":                    Prefix{Text: "pre"},
		"a* b":                    And{[]Node{Prefix{Text: "a"}, word("b")}},
		"rating:PG-13":            Word{"rating", "PG-13"},
		`rating:"a b"`:            Phrase{Field: "rating", Text: "a b"},
		"rating:P*":               Prefix{"rating", "P"},
		"rating:*":                Range{Field: "rating"},
		"year:-5":                 Word{"year", "-5"},
		"year:>5":                 Range{"year", Bound{"5", true}, Bound{}},
		"year:>=5":                Range{"year", Bound{"5", false}, Bound{}},
		"year:<5":                 Range{"year", Bound{}, Bound{"5", true}},
		"year:<=-5":               Range{"year", Bound{}, Bound{"-5", false}},
		"year:[2005 TO 7]":        Range{"year", Bound{Text: "2005"}, Bound{Text: "7"}},
		"year:[ 5 TO * ]":         Range{"year", Bound{Text: "5"}, Bound{}},
		"year:[* TO 5] a":         And{[]Node{Range{"year", Bound{}, Bound{Text: "5"}}, word("a")}},
		`n:["a b" TO c]`:          Range{"n", Bound{Text: "a b"}, Bound{Text: "c"}},
		"t:>2006-01-02T15:04:05Z": Range{"t", Bound{"2006-01-02T15:04:05Z", true}, Bound{}},
		"t:2006-01-02T15:04:05Z":  Word{"t", "2006-01-02T15:04:05Z"},
		`a\:b`:                    word("a:b"),
		`\-a`:                     word("-a"),
		`\OR`:                     word("OR"),
		"ORB":                     word("ORB"),
		"or":                      word("or"),
		`a\ b`:                    word("a b"),
		`\*`:                      word("*"),
		`a\~`:                     word("a~"),
		"a~b":                     word("a~b"),
		"~":                       word("~"),
		":a":                      word(":a"),
		"]":                       word("]"),
		"武元衡　心":                   And{[]Node{word("武元衡"), word("心")}},
	} {
		got, err := Parse(text)
		if want == nil {
			if err == nil {
				t.Errorf("%s: got %v, want an error", text, got)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v; want %#v", text, got, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		`"a`:                                `unclosed quote at character 1: write the closing quote, or \" for a quote`,
		`é "a\`:                             `unclosed quote at character 3: write the closing quote, or \" for a quote`,
		"(a":                                `unclosed parenthesis at character 1: write ) or \(`,
		"a)":                                `closing parenthesis without an opening one at character 2: remove it or write \)`,
		"()":                                "missing word at character 2: write a word there",
		"a OR":                              "missing word at character 5: write a word there",
		"OR a":                              "missing word at character 1: write a word there",
		"a OR OR b":                         "missing word at character 6: write a word there",
		"a fuzzy~3":                         "invalid number ~3 of different letters at character 8: write ~1, ~2 or ~",
		"fuzzy~0.8":                         "invalid number ~0.8 of different letters at character 6: write ~1, ~2 or ~",
		"fuzzy~0":                           "invalid number ~0 of different letters at character 6: write ~1, ~2 or ~",
		`"a b"~`:                            `invalid ~ after a phrase at character 6: write ~ and how many positions the words may be away from their places, 0 to 100`,
		`"a b"~101`:                         `invalid ~ after a phrase at character 6: write ~ and how many positions the words may be away from their places, 0 to 100`,
		`"a b"~1.5`:                         `invalid ~ after a phrase at character 6: write ~ and how many positions the words may be away from their places, 0 to 100`,
		"year:[1~ TO 2]":                    "~ in the bound of a range at character 7: remove it",
		"year:[1 TO 2~]":                    "~ in the bound of a range at character 12: remove it",
		`year:>"1"~2`:                       "~ in the bound of a range at character 7: remove it",
		strings.Repeat("a~ ", MaxFuzzy+1):   "more than 64 words with ~ at character 194: search for fewer words with ~",
		"a*b":                               `* inside a word at character 2: write it at the end of the word, or \* for a star`,
		"**":                                `* inside a word at character 1: write it at the end of the word, or \* for a star`,
		"rating:":                           `no value after rating: at character 1: write \: for a colon in a word`,
		"rating: PG":                        `no value after rating: at character 1: write \: for a colon in a word`,
		"rating:]":                          `no value after rating: at character 1: write \: for a colon in a word`,
		"rating:(a b)":                      "parenthesis after rating: at character 8: write the field before each value, such as (a:1 OR a:2)",
		"year:>":                            "no value after year:> at character 7: write a value there",
		"year:>=*":                          "no value after year:>= at character 8: write a value there",
		"year:[1 2]":                        "invalid range at character 6: write year:[1 TO 5], with * for an open end",
		"year:[1 TO":                        "invalid range at character 6: write year:[1 TO 5], with * for an open end",
		"year:[ TO 2]":                      "invalid range at character 6: write year:[1 TO 5], with * for an open end",
		"year:[1* TO 2]":                    "* in the bound of a range at character 7: remove it",
		`a\`:                                `backslash at the end at character 2: write \\ for a backslash`,
		"\xff":                              "the query is not valid UTF-8: send it as UTF-8",
		strings.Repeat("a", MaxLength+1):    "the query has 8193 bytes, more than 8192: shorten it",
		strings.Repeat("a ", MaxClauses+1):  "more than 1024 words at character 2049: search for fewer words",
		strings.Repeat("(", MaxDepth) + "a": "nested deeper than 32 at character 33: use fewer parentheses and minus signs",
		strings.Repeat("-", MaxDepth) + "a": "nested deeper than 32 at character 33: use fewer parentheses and minus signs",
	} {
		_, err := Parse(text)
		var bad *Error
		if !errors.As(err, &bad) {
			t.Errorf("%.20q: got %v, want an Error", text, err)
		} else if bad.Error() != want {
			t.Errorf("%.20q:\ngot  %s\nwant %s", text, bad, want)
		}
	}
}

// text draws text with many special characters.
func text() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "b", "OR", "TO", "-", "*", "~", "~2", ":", `"`, `\`, "(", ")", "[", "]", ">", "<", "=", " ", "\t", "é", "武"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 1, 6).Draw(t, "pieces"), "")
	})
}

// node draws a tree that Parse could return.
func node(depth int) *rapid.Generator[Node] {
	return rapid.Custom(func(t *rapid.T) Node {
		kinds := 6
		if depth > 0 {
			kinds = 9
		}
		field := rapid.OneOf(rapid.Just(""), text()).Draw(t, "field")
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return Word{field, text().Draw(t, "text")}
		case 1:
			return Phrase{field, rapid.OneOf(rapid.Just(""), text()).Draw(t, "text"), rapid.IntRange(0, MaxSlop).Draw(t, "slop")}
		case 2:
			return Prefix{field, text().Draw(t, "text")}
		case 3:
			return All{}
		case 4:
			r := Range{Field: text().Draw(t, "field"), Min: Bound{Text: text().Draw(t, "min")}}
			if r.Min.Exclusive = rapid.Bool().Draw(t, "exclusive"); !r.Min.Exclusive {
				r.Max.Text = rapid.OneOf(rapid.Just(""), text()).Draw(t, "max")
			}
			return r
		case 5:
			return Fuzzy{field, text().Draw(t, "text"), rapid.IntRange(0, MaxEdits).Draw(t, "edits")}
		case 6:
			return Not{node(depth-1).Draw(t, "node")}
		case 7:
			return And{rapid.SliceOfN(node(depth-1).Filter(isNot[And]), 2, 3).Draw(t, "nodes")}
		default:
			return Or{rapid.SliceOfN(node(depth-1).Filter(isNot[Or]), 2, 3).Draw(t, "nodes")}
		}
	})
}

func isNot[Kind Node](n Node) bool {
	_, is := n.(Kind)
	return !is
}

func TestStringParsesToAnEqualNode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := node(3).Draw(t, "node")
		got, err := Parse(want.String())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\ngot  %#v, %v\nwant %#v", want, got, err, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a b OR c", `-(x "y z") f:[1 TO *]`, `f:>="a b" pre* a\:b`, "f:* g:<5 ~ a~1", `"a b"~2 f:c~`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := Parse(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("%q: error of several lines: %q", s, err)
			}
			return
		}
		again, err := Parse(n.String())
		if err != nil && len(n.String()) <= MaxLength || err == nil && !reflect.DeepEqual(again, n) {
			t.Errorf("%q: %s parses to %v, %v", s, n, again, err)
		}
	})
}

func TestShorten(t *testing.T) {
	for text, want := range map[string]string{
		"PG-13":                 "PG-13",
		"":                      `""`,
		"a b":                   `"a b"`,
		"a\nb":                  `"a\nb"`,
		"武元衡":                   "武元衡",
		strings.Repeat("武", 61): strings.Repeat("武", 60) + "...",
	} {
		if got := Shorten(text); got != want {
			t.Errorf("shorten %q: got %s, want %s", text, got, want)
		}
	}
}
