package osapi

import (
	"context"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// names returns the names of the queries that match each hit, nil if no query has one.
// It searches the hits once more, a hundred at a time.
func (t *target) names(ctx context.Context, r request, results search.Results) ([][]string, error) {
	if len(r.named) == 0 || results.Len == 0 {
		return nil, nil
	}
	names := make([][]string, results.Len)
	at := map[string]map[doc.OID]int{} // places of hits, by table and key
	for i := range results.Len {
		hit, err := results.Hit(ctx, i)
		if err != nil {
			return nil, err
		}
		table := hit.Table
		if table == "" {
			table = t.Tables[0]
		}
		oid, err := t.engine.OID(table, hit.OID)
		if err != nil {
			return nil, err
		}
		if at[table] == nil {
			at[table] = map[doc.OID]int{}
		}
		at[table][oid] = i
	}
	for table, places := range at {
		oids := make([]doc.OID, 0, len(places))
		for oid := range places {
			oids = append(oids, oid)
		}
		for some := range slices.Chunk(oids, query.MaxTop) {
			if err := t.namesOf(ctx, r, table, some, func(oid doc.OID, name string) { names[places[oid]] = append(names[places[oid]], name) }); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// namesOf reports each name of the hits with some keys.
func (t *target) namesOf(ctx context.Context, r request, table string, oids []doc.OID, found func(oid doc.OID, name string)) error {
	p := search.Params{Node: query.Keys{OIDs: oids}, Relevance: r.Relevance, Fresh: new(bool), Caller: r.Caller}
	for _, n := range r.named {
		p.Aggs = append(p.Aggs, query.Agg{Of: query.FiltersAgg{Queries: []query.Node{n.Node}}, Subs: []query.Agg{{Of: query.TopAgg{Size: len(oids)}}}})
	}
	if err := t.Choose(ctx, &p, t.reader()); err != nil {
		return err
	}
	results, err := t.engine.Search(ctx, table, p)
	if err != nil {
		return err
	}
	for i, n := range r.named {
		for _, hit := range results.Aggs[i].Buckets[0].Subs[0].Hits {
			found(hit.OID, n.Name)
		}
	}
	return nil
}
