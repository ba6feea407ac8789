package query

import "testing"

func TestTyping(t *testing.T) {
	for text, want := range map[string]string{
		"":                "*",
		"s":               "s", // too short
		"sh":              "sh OR sh*",
		"drama sh":        "drama (sh OR sh*)",
		"drama OR sh":     "drama OR sh OR sh*",
		"drama OR cat sh": "drama OR cat (sh OR sh*)",
		"title:sh":        "title:sh OR title:sh*",
		"-drama sh":       "-drama (sh OR sh*)",
		"é漢":              "é漢 OR é漢*",
		"drama sh ":       "drama sh", // a blank ends the word
		"drama sh*":       "drama sh*",
		"drama sh~":       "drama sh~",
		`drama "mad sh"`:  `drama "mad sh"`,
		"(drama sh)":      "drama sh",
		"drama -sh":       "drama -sh",
		"year:>=20":       `year:["20" TO *]`,
		"spider-man":      `spider\-man`,
		`drama\ sh`:       `drama\ sh`,
	} {
		n, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		before := n.String()
		if got := Typing(n, text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		if after := n.String(); after != before {
			t.Errorf("%s: the query became %s", text, after)
		}
	}
}
