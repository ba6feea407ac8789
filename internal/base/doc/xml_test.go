package doc

import "testing"

func TestTextOfXML(t *testing.T) {
	for text, want := range map[string]string{
		`<?xml version="1.0" encoding="ISO-8859-1"?><book xmlns="u" xmlns:x="v" lang="en"><!-- no --><title>A &amp; B</title><x:p>more<br/>words é</x:p><![CDATA[raw <b>]]></book>`: "en A & B more words é raw <b>",
		"plain text":            "plain text",
		"<a>one</a> and <b>two": "<a>one</a> and <b>two",
		"<a>one</a><b>two</b>":  "one two",
		"1 < 2":                 "1 < 2",
		"":                      "",
	} {
		if got := TextOfXML(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
