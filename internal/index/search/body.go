package search

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

// ParsePOST parses the body of a POST. An empty body, and null for a member, mean
// the defaults:
//
//	{"q":"","from":0,"size":10,"after":"","filter":{"rating":["PG"]},
//	 "sort":["-year"],"facets":{"rating":10},"highlight":true,"fields":["title"],"fresh":true,"match":"most",
//	 "relevance":"plain","explain":true,"typing":true,"strict":true}
func ParsePOST(body []byte) (Params, error) {
	p := Defaults()
	if len(bytes.TrimSpace(body)) == 0 {
		return p, nil
	}
	var members map[string]json.RawMessage
	if err := unmarshal(body, &members); err != nil || members == nil {
		return Params{}, badQuery("send one object, as {\"q\":\"drama\"}", "the body is not a JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := p.member(name, members[name]); err != nil {
			return Params{}, err
		}
	}
	return p, nil
}

// unmarshal reads one JSON value, and rejects anything after it. Numbers keep
// their digits.
func unmarshal(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// member sets one member of the body.
func (p *Params) member(name string, value json.RawMessage) error {
	read := func(into any, form string) error {
		if unmarshal(value, into) != nil {
			return badQuery("write "+form, "%s %s can't be read", name, query.Shorten(string(value)))
		}
		return nil
	}
	switch name {
	case "q":
		return read(&p.Query, "text in quotes")
	case "after":
		return read(&p.After, "text in quotes")
	case "from":
		return read(&p.From, "a whole number")
	case "size":
		return read(&p.Size, "a whole number")
	case "highlight":
		return read(&p.Highlight, "true or false")
	case "explain":
		return read(&p.Explain, "true or false")
	case "typing":
		return read(&p.Typing, "true or false")
	case "strict":
		return read(&p.Strict, "true or false")
	case "fresh":
		return read(&p.Fresh, "true or false")
	case "match":
		value := string(query.MatchAll)
		if err := read(&value, "all, most or any, in quotes"); err != nil {
			return err
		}
		return p.match(value)
	case "relevance":
		value := (*string)(nil)
		if err := read(&value, "tuned or plain, in quotes"); err != nil || value == nil {
			return err
		}
		return p.relevance(*value)
	case "fields":
		return read(&p.Fields, `a list, as ["title"]`)
	case "sort":
		var list []string
		err := read(&list, `a list, as ["-year"]`)
		p.Sort = parseSort(list)
		return err
	case "facets":
		var sizes map[string]int
		err := read(&sizes, `an object, as {"rating":10}`)
		for _, field := range slices.Sorted(maps.Keys(sizes)) {
			p.Facets = append(p.Facets, query.Facet{Field: field, Size: sizes[field]})
		}
		return err
	case "filter":
		var values map[string][]any
		if err := read(&values, `an object of lists, as {"rating":["PG"]}`); err != nil {
			return err
		}
		return p.filters(values)
	}
	return unknown(name)
}

// filters sets the filters. Values are text, numbers, true and false.
func (p *Params) filters(values map[string][]any) error {
	for _, field := range slices.Sorted(maps.Keys(values)) {
		f := query.Filter{Field: field}
		if len(values[field]) == 0 {
			return badQuery("name one or leave the field out", "filter of %s has no values", query.Shorten(field))
		}
		for _, v := range values[field] {
			switch v.(type) {
			case string, json.Number, bool:
				f.Values = append(f.Values, doc.FormatText(v))
			default:
				return badQuery("write text, a number, true or false", "filter of %s has a value that can't be read", query.Shorten(field))
			}
		}
		p.Filters = append(p.Filters, f)
	}
	return nil
}
