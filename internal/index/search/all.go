package search

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/base/recovered"
	"indexerd/internal/index/aggregate"
	"indexerd/internal/index/query"
)

// AllTables is the name that stands for all tables in a search.
const AllTables = "*"

// A Part is one table of a search in all tables, and the caller as this table sees
// it.
type Part struct {
	*Searcher
	Caller Caller
}

// A TableTotal is how many documents of a table match, before a fresh search leaves some out.
type TableTotal struct {
	Table string `json:"table"`
	Total uint64 `json:"total"`
}

// SearchAll makes one search in several tables. It reads as many tables side by side
// as there are processors, and keeps the hits that From and Size reach. Missing lists the tables that can't
// be searched now. Params.Caller is not used.
func SearchAll(ctx context.Context, parts []Part, missing []string, p Params) (Results, error) {
	return asked{p, parts, func(ctx context.Context, p Params, n query.Node) (Results, error) {
		return searchTables(ctx, parts, missing, p, n)
	}}.answer(ctx)
}

func searchTables(ctx context.Context, parts []Part, missing []string, p Params, n query.Node) (Results, error) {
	before, err := decodePositions(p.After)
	if err != nil {
		return Results{}, err
	}
	tables, err := fitAll(ctx, parts, p, n)
	if err != nil {
		return Results{}, err
	}
	m := newMerge(p, before)
	for some := range slices.Chunk(tables, runtime.GOMAXPROCS(0)) {
		if err := m.search(ctx, some); err != nil {
			return Results{}, asBadQuery(err)
		}
	}
	return m.answer(ctx, missing)
}

// A merge is the hits of several tables in one order, which is that of Params.Sort.
// Ties are sorted by table, in the order in which the tables are searched, and then
// as their table sorts them.
type merge struct {
	sorts  []query.Sort
	scored bool
	boosts map[string]float64
	from   int
	keep   int       // hits: those to skip and those to return
	before positions // of the tables when the search began

	hits   []ranked
	more   bool // hits follow those that are kept
	total  uint64
	totals []TableTotal // of tables with matches
	fresh  bool         // some table's hits are checked in the database
	facets []*sharedFacet
	bytes  int // of the values of facets

	aggs    []query.Agg
	results []query.AggResult // of the tables so far
	merging aggregate.Merge
}

// A ranked is a hit of one table. Its score is normalized. Its keys are those of
// all sorts, with none for a field that its table does not have.
type ranked struct {
	query.Hit
	table *fitted
	keys  []query.Key
}

func newMerge(p Params, before positions) *merge {
	m := &merge{sorts: p.Sort, from: p.From, keep: p.From + p.Size, before: before, aggs: p.Aggs, boosts: p.TableBoosts}
	if len(m.sorts) == 0 {
		m.sorts = []query.Sort{{Field: query.ByScore, Descending: true}}
	}
	m.scored = slices.ContainsFunc(m.sorts, func(s query.Sort) bool { return s.Field == query.ByScore })
	for _, f := range p.Facets {
		m.facets = append(m.facets, &sharedFacet{Facet: f, counts: map[string]int{}})
	}
	return m
}

// search searches some tables side by side, and then merges their hits in the order
// of the tables.
func (m *merge) search(ctx context.Context, tables []*fitted) error {
	found := make([]query.Result, len(tables))
	searches, ctx := errgroup.WithContext(ctx)
	for i, t := range tables {
		m.fresh = m.fresh || t.fresh
		if t.nothing {
			continue
		}
		t.request.Skipped, t.request.After = true, m.before[t.Table].after
		searches.Go(func() (err error) {
			defer recovered.Into(&err)
			if err := t.resolve(ctx); err != nil {
				return err
			}
			found[i], err = t.Index.Search(ctx, t.request)
			return err
		})
	}
	if err := searches.Wait(); err != nil {
		return err
	}
	for i, t := range tables {
		if t.nothing {
			continue
		}
		if err := m.add(t, found[i]); err != nil {
			return err
		}
	}
	return nil
}

// add merges what was found in one table.
func (m *merge) add(t *fitted, res query.Result) error {
	at, begun := m.before[t.Table]
	if !begun {
		at.best = float32(res.Best)
	}
	t.best = at.best
	if m.total += res.Total; res.Total > 0 {
		m.totals = append(m.totals, TableTotal{t.Table, res.Total})
	}
	m.more = m.more || res.Next != ""
	hits := make([]ranked, len(res.Hits))
	for i, h := range res.Hits {
		hits[i] = m.rank(t, h)
	}
	m.merge(hits)
	var err error
	if m.results, err = m.merging.Add(m.aggs, m.results, res.Aggs); err != nil {
		return err
	}
	return m.addFacets(res.Facets)
}

// rank normalizes the score of a hit, multiplies it by the boost of its table, and aligns its keys with the sorts.
func (m *merge) rank(t *fitted, h query.Hit) ranked {
	r := ranked{Hit: h, table: t, keys: make([]query.Key, len(m.sorts))}
	for i, at := range t.sorts {
		if h.Keys != nil {
			r.keys[at] = h.Keys[i]
		}
	}
	r.Score, r.Explain = 0, nil
	if m.scored && t.best > 0 {
		boost, boosted := m.boosts[t.Table]
		if !boosted {
			boost = 1
		}
		r.Score, r.Explain = h.Score/float64(t.best)*boost, h.Explain
		for i := range r.Explain {
			r.Explain[i].Score *= boost / float64(t.best)
		}
	}
	return r
}

// merge merges the hits of one more table, and keeps the first ones.
func (m *merge) merge(hits []ranked) {
	merged := make([]ranked, 0, min(len(m.hits)+len(hits), m.keep))
	a, b := m.hits, hits
	for len(a)+len(b) > 0 && len(merged) < m.keep {
		if len(b) == 0 || len(a) > 0 && m.compare(a[0], b[0]) <= 0 {
			merged, a = append(merged, a[0]), a[1:]
		} else {
			merged, b = append(merged, b[0]), b[1:]
		}
	}
	m.hits, m.more = merged, m.more || len(a)+len(b) > 0
}

// compare compares hits of two tables. Values of different types are sorted type
// by type.
func (m *merge) compare(a, b ranked) int {
	for i, by := range m.sorts {
		ka, kb := a.keys[i], b.keys[i]
		if c := cmp.Compare(min(len(kb.Type), 1), min(len(ka.Type), 1)); c != 0 {
			if by.First {
				c = -c
			}
			return c // without a value last, or first, in both directions
		}
		c := cmp.Or(cmp.Compare(ka.Type, kb.Type), bytes.Compare(ka.Term, kb.Term))
		if by.Field == query.ByScore {
			c = cmp.Compare(a.Score, b.Score)
		}
		if by.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// answer returns the answer.
func (m *merge) answer(ctx context.Context, missing []string) (Results, error) {
	if m.results == nil {
		m.results = aggregate.Empty(m.aggs)
	}
	if err := aggregate.Finish(m.aggs, m.results); err != nil {
		return Results{}, asBadQuery(err)
	}
	skipped := min(m.from, len(m.hits))
	hits := make([]shown, len(m.hits)-skipped)
	for i, h := range m.hits[skipped:] {
		h.Hit.Keys = h.keys
		hits[i] = shown{Hit: h.Hit, table: h.table.tableSearch, at: i}
	}
	r := Results{Table: AllTables, Total: m.total, Tables: append([]TableTotal{}, m.totals...), Missing: append([]string{}, missing...), Facets: m.topFacets(), Aggs: m.results}
	r.show(ctx, hits, m.fresh, func(n int) *string {
		if n == len(hits) && !m.more {
			return nil
		}
		next := m.after(m.hits[:skipped+n]).encode()
		return &next
	})
	return r, nil
}
