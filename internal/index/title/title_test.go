package title

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"indexerd/internal/base/doc"
)

func TestTitles(t *testing.T) {
	row := doc.Row{
		Names:  []string{"id", "title", "year", "first", "last", "note", "blank", "null"},
		Values: []any{int64(7), "Mad\tShark\n", int64(2006), "Ada", "Lovelace", strings.Repeat("wörter ", 1<<17), " \u00a0\x00", nil},
	}
	long := strings.TrimRight(strings.Repeat("wörter ", 28)+"wör", " ") + "…"
	for template, want := range map[string]string{
		"title":                         "Mad Shark",
		"{title}":                       "Mad Shark",
		"{title} ({year})":              "Mad Shark (2006)",
		"{ first } {last}":              "Ada Lovelace",
		"#{id}: {first}{last}":          "#7: AdaLovelace",
		"{null}{first} {null}":          "Ada",
		"{null} ({blank})":              "",
		"{title} ({null}) {year}":       "Mad Shark 2006",
		"{title} ({null})":              "Mad Shark",
		"{title} [{blank}]!":            "Mad Shark!",
		"{first}, {null}, {last}":       "Ada, Lovelace",
		"{null}, {first}: {null}":       "Ada",
		"({null}) {first} of {missing}": "Ada",
		"- {first} -":                   "- Ada -",
		"null":                          "",
		"missing":                       "",
		"{missing} {title}":             "Mad Shark",
		"note":                          long,
		"{title}: {note}":               "Mad Shark: " + string([]rune(long)[:188]) + "…",
		"\x1b[1m{title}\u2028end":       "[1mMad Shark end",
	} {
		parsed, err := Parse(template)
		if err != nil {
			t.Errorf("%s: %v", template, err)
			continue
		}
		got := parsed.Of(row)
		if got != want {
			t.Errorf("%s: got %q, want %q", template, got, want)
		}
		if n := utf8.RuneCountInString(got); n > most || !utf8.ValidString(got) {
			t.Errorf("%s: got %d characters of %q, want at most %d", template, n, got, most)
		}
	}
	if got := (Template{}).Of(row); got != "" {
		t.Errorf("no template: got %q, want no title", got)
	}
}

func TestBraces(t *testing.T) {
	for _, template := range []string{"{", "}", "{}", "{ }", "{title", "title}", "{a}}", "{{a}}", "{a{b}", "a } b {c}"} {
		if got, err := Parse(template); !errors.Is(err, ErrBraces) {
			t.Errorf("%s: got %v, %v, want the fault of its braces", template, got, err)
		}
	}
}

func TestColumnsAndText(t *testing.T) {
	for template, want := range map[string][]string{
		"title":                    {"title"},
		"{last}, {first} ({last})": {"last", "first"},
		"Film {title}":             {"title"},
	} {
		parsed, err := Parse(template)
		if err != nil {
			t.Fatal(err)
		}
		if got := parsed.Columns(); !slices.Equal(got, want) || parsed.String() != template {
			t.Errorf("%s: got columns %v and the text %s, want %v", template, got, parsed, want)
		}
	}
}

func TestDefault(t *testing.T) {
	for columns, want := range map[string]string{
		"description title":        "title",
		"name title":               "name",
		"body":                     "",
		"":                         "",
		"LastName FirstName Title": "{FirstName} {LastName}", // Chinook's employees: the title is their job
		"first_name email":         "first_name",
		"CompanyName ContactName":  "CompanyName",
		"author_name subject":      "subject",
		"Notes ProductName":        "ProductName",
		"TITLE BODY":               "TITLE",
		"rename subtitle entitled": "",
		"bezeichnung preis":        "bezeichnung",
		"内容 标题":                    "标题",
		"author_first_name author_last_name title": "title",
	} {
		if got := Default(strings.Fields(columns)).String(); got != want {
			t.Errorf("%s: got %q, want %q", columns, got, want)
		}
	}
}
