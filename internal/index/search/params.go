package search

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
)

// Params are the parameters of a search, and its caller.
type Params struct {
	Query       string
	Strict      bool            // what is no query is an error, and not text
	Node        query.Node      // searched in place of Query and Match if not nil; nothing is suggested then
	Match       query.Match     // how many of the query's words a document must have
	Relevance   query.Relevance // how hits are ordered by score; "": as the table's configuration sets it
	From        int
	Size        int
	After       string
	Behind      *query.Place // like After; not in a search in several tables
	Filters     []query.Filter
	Sort        []query.Sort
	Facets      []query.Facet
	Aggs        []query.Agg
	Post        query.Node         // nil: none; as in query.Request
	MinScore    float64            // as in query.Request
	TableBoosts map[string]float64 // factors of the scores of a table, which are applied in a search in several tables only
	Collapse    string             // as in query.Request; not in a search in several tables
	Highlight   bool
	Markings    []Marking // other highlights, of the fields that they name
	Explain     bool      // return the parts of the scores
	Typing      bool      // the last word of Query may be incomplete, and others may have slips
	Fields      []string  // to return; none: all
	Fresh       *bool     // whether hits are checked in the database; nil: as the table's configuration sets it
	Caller      Caller
}

// A Caller identifies the access of a client. The server sets it, and no request
// can. The zero Caller sees no document of a table with acl.
type Caller struct {
	Admin  bool           // sees all documents and fields
	Groups []string       // sees the documents of these groups
	Tables []string       // sees these tables; nil: all
	Only   []query.Filter // sees documents that match each of them
}

// Sees reports whether a table exists for the caller.
func (c Caller) Sees(table string) bool {
	return c.Admin || c.Tables == nil || slices.Contains(c.Tables, table)
}

// Defaults returns the parameters of a search without parameters: all documents.
func Defaults() Params { return Params{Size: 10, Highlight: true} }

// facetSize is the default number of values of a facet.
const facetSize = 10

// names lists the parameters, which are the same for GET and POST.
func names() []string {
	return []string{"q", "from", "size", "after", "filter", "sort", "facets", "highlight", "fields", "fresh", "match", "relevance", "explain", "typing", "strict"}
}

func unknown(name string) *Error {
	hint := "there are " + strings.Join(names(), ", ")
	if near := nearest.Name(name, names()); near != "" {
		hint = "did you mean " + near + "?"
	}
	return badQuery(hint, "unknown parameter %s", query.Shorten(name))
}

// ParseGET parses the parameters of a URL:
//
//	q=drama&filter=rating:PG&filter=year:2006&sort=-year,title&facets=rating:10
//	&from=0&size=10&after=&highlight=true&fields=title,year&fresh=true&match=most&relevance=plain&explain=true&typing=true&strict=true
//
// Only filter may be repeated. Several values of a field are alternatives.
func ParseGET(values url.Values) (Params, error) {
	p := Defaults()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list := values[name]
		if len(list) > 1 && name != "filter" {
			return Params{}, badQuery("give it once", "parameter %s is given %d times", query.Shorten(name), len(list))
		}
		if err := p.set(name, list); err != nil {
			return Params{}, err
		}
	}
	return p, nil
}

// set sets one parameter of a URL.
func (p *Params) set(name string, list []string) (err error) {
	value := list[0]
	switch name {
	case "q":
		p.Query = value
	case "after":
		p.After = value
	case "from":
		p.From, err = parseInt(name, value)
	case "size":
		p.Size, err = parseInt(name, value)
	case "highlight":
		p.Highlight, err = parseBool(name, value)
	case "explain":
		p.Explain, err = parseBool(name, value)
	case "typing":
		p.Typing, err = parseBool(name, value)
	case "strict":
		p.Strict, err = parseBool(name, value)
	case "fresh":
		var fresh bool
		fresh, err = parseBool(name, value)
		p.Fresh = &fresh
	case "match":
		return p.match(value)
	case "relevance":
		return p.relevance(value)
	case "fields":
		p.Fields = splitList(value)
	case "sort":
		p.Sort = parseSort(splitList(value))
	case "filter":
		return p.filter(list)
	case "facets":
		return p.facets(splitList(value))
	default:
		return unknown(name)
	}
	return err
}

func (p *Params) match(value string) error {
	if !slices.Contains(query.Matches(), value) {
		return badQuery("write all, most or any", "match %s can't be read", query.Shorten(value))
	}
	p.Match = query.Match(value)
	return nil
}

func (p *Params) relevance(value string) error {
	if !slices.Contains(query.Relevances(), value) {
		return badQuery("write tuned or plain", "relevance %s can't be read", query.Shorten(value))
	}
	p.Relevance = query.Relevance(value)
	return nil
}

func parseBool(name, value string) (bool, error) {
	b, err := strconv.ParseBool(value)
	if err != nil {
		return false, badQuery("write true or false", "%s %s can't be read", name, query.Shorten(value))
	}
	return b, nil
}

func parseInt(name, value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, badQuery("write a whole number", "%s %s can't be read", name, query.Shorten(value))
	}
	return n, nil
}

// splitList splits at commas and drops empty elements.
func splitList(value string) []string {
	return slices.DeleteFunc(strings.Split(value, ","), func(s string) bool { return s == "" })
}

// parseSort parses field names; a minus means descending.
func parseSort(list []string) []query.Sort {
	var sorts []query.Sort
	for _, name := range list {
		field, descending := strings.CutPrefix(name, "-")
		sorts = append(sorts, query.Sort{Field: field, Descending: descending})
	}
	return sorts
}

// filter parses field:value pairs.
func (p *Params) filter(list []string) error {
	if len(list) > query.MaxValues {
		return asBadQuery(query.TooManyValues(len(list)))
	}
	for _, pair := range list {
		field, value, ok := strings.Cut(pair, ":")
		if !ok {
			return badQuery("write it as field:value", "filter %s can't be read", query.Shorten(pair))
		}
		i := slices.IndexFunc(p.Filters, func(f query.Filter) bool { return f.Field == field })
		if i < 0 {
			i = len(p.Filters)
			p.Filters = append(p.Filters, query.Filter{Field: field})
		}
		p.Filters[i].Values = append(p.Filters[i].Values, value)
	}
	return nil
}

// facets parses field names, each with an optional :number.
func (p *Params) facets(list []string) error {
	for _, item := range list {
		f := query.Facet{Field: item, Size: facetSize}
		if at := strings.LastIndexByte(item, ':'); at >= 0 {
			n, err := strconv.Atoi(item[at+1:])
			if err != nil {
				return badQuery("write it as field:10", "facets %s can't be read", query.Shorten(item))
			}
			f = query.Facet{Field: item[:at], Size: n}
		}
		p.Facets = append(p.Facets, f)
	}
	return nil
}
