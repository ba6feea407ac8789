package query

import (
	"fmt"
	"testing"
)

func TestParseRange(t *testing.T) {
	for text, want := range map[string]string{
		">=2005":                  "f 2005 false  false",
		">=2005 <2008":            "f 2005 false 2008 true",
		"<2008 >2005":             "f 2005 true 2008 true",
		"[2005 TO *]":             "f 2005 false  false",
		`>="2006-01-02 15:04:05"`: "f 2006-01-02 15:04:05 false  false",
		">=-1.5e3":                "f -1.5e3 false  false",
	} {
		r, ok, err := ParseRange("f", text)
		if got := fmt.Sprintf("%s %s %t %s %t", r.Field, r.Min.Text, r.Min.Exclusive, r.Max.Text, r.Max.Exclusive); err != nil || !ok || got != want {
			t.Errorf("%s: got %s, %t, %v, want %s", text, got, ok, err, want)
		}
	}
	for _, text := range []string{"", "2005", "a>1", " >1", "-5"} {
		if r, ok, err := ParseRange("f", text); ok || err != nil {
			t.Errorf("%q is a value: got %v, %v", text, r, err)
		}
	}
	for _, text := range []string{">", ">=1 >=2", ">=1 2", "[1 TO", "<1 OR >2", ">=1 <2 <3", "[1 TO 2] >3"} {
		if r, ok, err := ParseRange("f", text); !ok || err == nil {
			t.Errorf("%q: got %v, %t, want an error", text, r, ok)
		}
	}
}
