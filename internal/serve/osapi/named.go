package osapi

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// maxNamed is how many queries of a search may have names.
const maxNamed = 32

// A namedQuery is a query with _name. Hits that it matches have the name in
// matched_queries.
type namedQuery struct {
	name string
	node query.Node
}

// name keeps a query that has a name. Of several with one name the last one counts. A
// name in a nested query is one of rows, and of no hit.
func (t *translator) name(body json.RawMessage, n query.Node) error {
	if t.path != "" || !bytes.Contains(body, []byte(`"_name"`)) {
		return nil
	}
	name, err := nameOf(body, 2)
	if err != nil || name == "" {
		return err
	}
	t.named = slices.DeleteFunc(t.named, func(other namedQuery) bool { return other.name == name })
	if t.named = append(t.named, namedQuery{name, n}); len(t.named) > maxNamed {
		return parsing("more than %d queries have a [_name]", maxNamed)
	}
	return nil
}

// nameOf returns the _name in the options of a query, which are one or two levels deep.
func nameOf(body json.RawMessage, levels int) (string, error) {
	var m map[string]json.RawMessage
	if levels == 0 || json.Unmarshal(body, &m) != nil {
		return "", nil
	}
	if m["_name"] != nil {
		if string(m["_name"]) == "null" {
			return "", nil
		}
		return scalar(m["_name"], "_name")
	}
	for _, inner := range m {
		if name, err := nameOf(inner, levels-1); name != "" || err != nil {
			return name, err
		}
	}
	return "", nil
}

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
			table = t.tables[0]
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
		p.Aggs = append(p.Aggs, query.Agg{Of: query.FiltersAgg{Queries: []query.Node{n.node}}, Subs: []query.Agg{{Of: query.TopAgg{Size: len(oids)}}}})
	}
	if err := t.choose(ctx, &p); err != nil {
		return err
	}
	results, err := t.engine.Search(ctx, table, p)
	if err != nil {
		return err
	}
	for i, n := range r.named {
		for _, hit := range results.Aggs[i].Buckets[0].Subs[0].Hits {
			found(hit.OID, n.name)
		}
	}
	return nil
}
