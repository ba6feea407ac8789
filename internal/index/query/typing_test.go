package query

import (
	"strings"
	"testing"
)

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
		"spider-man":      `spider\-man OR spider\-man*`,
		"wi-f":            `wi\-f`, // too short
		`drama\ sh`:       `drama\ sh OR drama\ sh*`,
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

// The last word of a phrase that is not closed may be incomplete.
func TestTypingInAPhrase(t *testing.T) {
	for text, want := range map[string]string{
		`drama "mad sci`:  `drama "mad sci"*0`,
		`title:"mad sci`:  `title:"mad sci"*0`,
		`drama "mad sci `: `drama "mad sci "`,
		`drama "mad sci"`: `drama "mad sci"`,
		`drama "mad s`:    `drama "mad s"`, // too short
	} {
		n, _ := ParseLenient(text, []string{"title"})
		if got := Typing(n, text).String(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestSlips(t *testing.T) {
	for text, want := range map[string]string{
		"dram":                     "dram",
		"drama -shark":             "(drama OR drama~1) -shark",
		"dinosaur":                 "dinosaur OR dinosaur~1",
		"(drama OR -shark)":        "drama OR drama~1 OR -shark",
		"scientist OR écrivains":   "scientist OR scientist~2 OR écrivains OR écrivains~2",
		"x1000 title:shark shark*": "x1000 title:shark shark*",
		strings.Repeat("a", 51):    strings.Repeat("a", 51),
	} {
		n, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, slipped := Slips(n)
		if got.String() != want || slipped != strings.Contains(want, "~") {
			t.Errorf("%s: got %s, %t, want %s", text, got, slipped, want)
		}
	}
}

func TestSlipsOfFewWords(t *testing.T) {
	for words, want := range map[int]bool{maxSlipped: true, maxSlipped + 1: false} {
		n, _ := ParseLenient(strings.Repeat("shark ", words), nil)
		if _, got := Slips(n); got != want {
			t.Errorf("%d words: got %t, want %t", words, got, want)
		}
	}
}
