package search

import (
	"net/url"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// GET and POST have the same parameters.
func TestParseGETAndPOST(t *testing.T) {
	full := Params{
		Query: "drama shark", From: 20, Size: 5, After: "x",
		Filters:   []query.Filter{{Field: "rating", Values: []string{"PG", "a:b"}}, {Field: "year", Values: []string{"2006"}}},
		Sort:      []query.Sort{{Field: "year", Descending: true}, {Field: "title"}},
		Facets:    []query.Facet{{Field: "language", Size: 10}, {Field: "rating", Size: 3}},
		Highlight: false,
		Fields:    []string{"title", "year"},
		Fresh:     &no,
		Match:     query.MatchMost,
		Relevance: query.Plain,
		Explain:   true,
		Typing:    true,
	}
	for _, c := range []struct {
		get, post string
		want      Params
	}{
		{"", "", Defaults()},
		{"q=&after=&fields=&sort=&facets=", ` {} `, Defaults()},
		{"size=10", `{"after":null,"q":null,"sort":null,"filter":null,"fresh":null,"relevance":null}`, Defaults()},
		{
			"q=drama+shark&from=20&size=5&after=x&filter=rating:PG&filter=year:2006&filter=rating:a:b&sort=-year,title&facets=language,rating:3&highlight=false&fields=title,year&fresh=false&match=most&relevance=plain&explain=true&typing=true",
			`{"q":"drama shark","from":20,"size":5,"after":"x","filter":{"rating":["PG","a:b"],"year":[2006]},"sort":["-year","title"],"facets":{"rating":3,"language":10},"highlight":false,"fields":["title","year"],"fresh":false,"match":"most","relevance":"plain","explain":true,"typing":true}`,
			full,
		},
	} {
		values, err := url.ParseQuery(c.get)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseGET(values); err != nil || !equal(got, c.want) {
			t.Errorf("GET %s:\ngot  %+v, %v\nwant %+v", c.get, got, err, c.want)
		}
		if got, err := ParsePOST([]byte(c.post)); err != nil || !equal(got, c.want) {
			t.Errorf("POST %s:\ngot  %+v, %v\nwant %+v", c.post, got, err, c.want)
		}
	}
}

// equal compares, with an empty list equal to nil.
func equal(a, b Params) bool {
	for _, p := range []*Params{&a, &b} {
		if len(p.Fields) == 0 {
			p.Fields = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestParseGETErrors(t *testing.T) {
	for get, want := range map[string]string{
		"szie=5":          "unknown parameter szie: did you mean size?",
		"page=5":          "unknown parameter page: there are q, from, size, after, filter, sort, facets, highlight, fields, fresh, match, relevance, explain, typing, strict",
		"q=a&q=b":         "parameter q is given 2 times: give it once",
		"size=ten":        "size ten can't be read: write a whole number",
		"from=":           `from "" can't be read: write a whole number`,
		"highlight=maybe": "highlight maybe can't be read: write true or false",
		"fresh=maybe":     "fresh maybe can't be read: write true or false",
		"match=some":      "match some can't be read: write all, most or any",
		"relevance=best":  "relevance best can't be read: write tuned or plain",
		"filter=PG":       "filter PG can't be read: write it as field:value",
		"facets=rating:x": "facets rating:x can't be read: write it as field:10",
	} {
		values, err := url.ParseQuery(get)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ParseGET(values)
		checkBadQuery(t, err, want)
	}
}

func TestParsePOSTErrors(t *testing.T) {
	for body, want := range map[string]string{
		"q=drama":                       `the body is not a JSON object: send one object, as {"q":"drama"}`,
		"[]":                            `the body is not a JSON object: send one object, as {"q":"drama"}`,
		"null":                          `the body is not a JSON object: send one object, as {"q":"drama"}`,
		"{} {}":                         `the body is not a JSON object: send one object, as {"q":"drama"}`,
		`{"query":"drama"}`:             "unknown parameter query: there are q, from, size, after, filter, sort, facets, highlight, fields, fresh, match, relevance, explain, typing, strict",
		`{"filters":{}}`:                "unknown parameter filters: did you mean filter?",
		`{"q":5}`:                       "q 5 can't be read: write text in quotes",
		`{"size":"5"}`:                  `size "\"5\"" can't be read: write a whole number`,
		`{"size":1.5}`:                  "size 1.5 can't be read: write a whole number",
		`{"size":99999999999999999999}`: "size 99999999999999999999 can't be read: write a whole number",
		`{"highlight":1}`:               "highlight 1 can't be read: write true or false",
		`{"match":"none"}`:              `match none can't be read: write all, most or any`,
		`{"match":1}`:                   `match 1 can't be read: write all, most or any, in quotes`,
		`{"fresh":1}`:                   `fresh 1 can't be read: write true or false`,
		`{"sort":"-year"}`:              `sort "\"-year\"" can't be read: write a list, as ["-year"]`,
		`{"facets":["rating"]}`:         `facets "[\"rating\"]" can't be read: write an object, as {"rating":10}`,
		`{"filter":{"rating":"PG"}}`:    `filter "{\"rating\":\"PG\"}" can't be read: write an object of lists, as {"rating":["PG"]}`,
		`{"filter":{"rating":[]}}`:      "filter of rating has no values: name one or leave the field out",
		`{"filter":{"rating":[{}]}}`:    "filter of rating has a value that can't be read: write text, a number, true or false",
		`{"fields":[1]}`:                `fields [1] can't be read: write a list, as ["title"]`,
	} {
		_, err := ParsePOST([]byte(body))
		checkBadQuery(t, err, want)
	}
}

func FuzzParsePOST(f *testing.F) {
	f.Add([]byte(`{"q":"drama","from":1,"size":5,"after":"x","filter":{"rating":["PG",1,true]},"sort":["-year"],"facets":{"rating":3},"highlight":false,"fields":["title"]}`))
	f.Add([]byte(`{"q":null} x`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := ParsePOST(body); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: error of several lines: %q", body, err)
		}
	})
}

func FuzzParseGET(f *testing.F) {
	f.Add("q=a&filter=b:c&filter=b:d&sort=-e,f&facets=g:1,h&from=1&size=2&highlight=t&fields=i")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		if _, err := ParseGET(values); err != nil && strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%q: error of several lines: %q", text, err)
		}
	})
}
