// Package askedtest has a table of what people ask, and of the texts that they expect to
// find, by script and language, with the source of each case. The test of an engine runs it.
package askedtest

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

//go:embed asked.tsv
var table string

// A Case is one line of the table.
type Case struct {
	Group string // a language, none, cjk, ngram, or nopos: an index without positions
	How   string // the query is read: parse, lenient, or typing
	Query string
	Found []string // texts that are found
	First string   // the first hit of these; "" for any
	Not   []string // texts that are not found
}

// Cases returns the lines of a group, or of all.
func Cases(t *testing.T) (all []Case) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 || f[5] == "" {
			t.Fatalf("line %d of asked.tsv has %d fields, or no source: write group, how, query, found, not found, source", i+1, len(f))
		}
		c := Case{Group: f[0], How: f[1], Query: f[2], Found: texts(f[3]), Not: texts(f[4])}
		for k, text := range c.Found {
			if first, ok := strings.CutPrefix(text, "^"); ok {
				c.First, c.Found[k] = first, first
			}
		}
		all = append(all, c)
	}
	return all
}

func texts(field string) []string {
	if field == "" {
		return nil
	}
	return strings.Split(field, " ¦ ")
}

// An Index is an index of the column title that answers searches.
type Index interface {
	Apply(puts []doc.Doc, deletes []doc.Removal) error
	Search(context.Context, query.Request) (query.Result, error)
}

// Run runs all cases in indexes that create makes, with the tuned order or the plain one.
func Run(t *testing.T, tuned bool, create func(*testing.T, schema.Mapping) Index) {
	groups := map[string][]Case{}
	for _, c := range Cases(t) {
		groups[c.Group] = append(groups[c.Group], c)
	}
	for name, cases := range groups {
		t.Run(name, func(t *testing.T) { runGroup(t, tuned, create(t, mappingOf(name)), cases) })
	}
}

func mappingOf(group string) schema.Mapping {
	m := schema.Mapping{Content: []string{"title"}, Analyzer: "standard", AnalysisVersion: analysis.Latest, Positions: true}
	switch group {
	case "none":
	case "nopos":
		m.Positions = false
	case "cjk", "ngram":
		m.Analyzer = group
	default:
		m.Language = group
	}
	return m
}

func runGroup(t *testing.T, tuned bool, ix Index, cases []Case) {
	var all []string
	for _, c := range cases {
		all = append(append(all, c.Found...), c.Not...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	docs := make([]doc.Doc, len(all))
	for i, text := range all {
		oid, err := doc.NewOID(int64(i))
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: doc.Version(i + 1)}, Row: doc.Row{Names: []string{"title"}, Values: []any{text}}}
	}
	if err := ix.Apply(docs, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		n, err := c.read()
		if err != nil {
			t.Errorf("%s: %v", c.Query, err)
			continue
		}
		res, err := ix.Search(t.Context(), query.Request{Query: n, Size: len(all), Tuned: tuned})
		if err != nil {
			t.Errorf("%s: %v", c.Query, err)
			continue
		}
		found := make([]string, len(res.Hits))
		for i, h := range res.Hits {
			k := slices.IndexFunc(docs, func(d doc.Doc) bool { return d.OID == h.OID })
			found[i] = all[k]
		}
		c.check(t, found)
	}
}

// read reads the query as its case says.
func (c Case) read() (query.Node, error) {
	if c.How == "lenient" {
		n, _ := query.ParseLenient(c.Query, []string{"title"})
		return n, nil
	}
	n, err := query.Parse(c.Query)
	if err == nil && c.How == "typing" {
		n = query.Typing(n, c.Query)
	}
	return n, err
}

func (c Case) check(t *testing.T, found []string) {
	t.Helper()
	for _, text := range c.Found {
		if !slices.Contains(found, text) {
			t.Errorf("%s %s: did not find %q, but %q", c.Group, c.Query, text, found)
		}
	}
	for _, text := range c.Not {
		if slices.Contains(found, text) {
			t.Errorf("%s %s: found %q", c.Group, c.Query, text)
		}
	}
	if first := slices.IndexFunc(found, func(text string) bool { return slices.Contains(c.Found, text) }); c.First != "" && (first < 0 || found[first] != c.First) {
		t.Errorf("%s %s: want %q first, found %q", c.Group, c.Query, c.First, found)
	}
}
