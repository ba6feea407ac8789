package opensearch

import (
	"slices"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/query"
)

// refuse reports what the cluster can't answer as the embedded index does.
func (ix *Index) refuse(req query.Request, c compiled.Clause) error {
	switch {
	case req.Tuned:
		return query.Errorf("leave relevance out, or write plain", "relevance tuned needs the embedded index")
	case req.Explain:
		return query.Errorf("leave explain out, or ask the cluster", "explain needs the embedded index")
	case req.Collapse != "" && (req.After != "" || req.Behind != nil):
		return query.Errorf("use from, or the embedded index", "the hits after others are not collapsed in an index of OpenSearch")
	case req.Collapse != "" && !ix.stores.numbers:
		return query.Errorf("wait until the index is rebuilt", "the index has no numbers to collapse by, since an older version has built it")
	case len(req.Aggs) > 0 && !ix.stores.numbers:
		return query.Errorf("wait until the index is rebuilt", "the index has no numbers for aggregations, since an older version has built it")
	case anyIn(c, valueFunction):
		return query.Errorf("use weights with filters, or the embedded index", "a function of the values of a field needs the embedded index")
	case anyIn(c, sloppyPrefix):
		return query.Errorf("leave the ~ out, or write the next character", "a phrase with ~ ends in a single character, whose words an OpenSearch index can't find")
	}
	return nil
}

// sloppyPrefix reports whether a clause is a phrase with slop whose last term is a
// prefix.
func sloppyPrefix(c compiled.Clause) bool {
	terms, ok := c.(compiled.Terms)
	return ok && terms.Open && terms.Slop > 0 && terms.Most == 0
}

// valueFunction reports whether a clause has a function of the values of a field. In the
// cluster they are terms.
func valueFunction(c compiled.Clause) bool {
	r, ok := c.(compiled.Reweighted)
	return ok && slices.ContainsFunc(r.Functions, func(f query.Function) bool { return f.Value != nil })
}

// anyIn reports whether a clause or any of its parts is so.
func anyIn(c compiled.Clause, is func(compiled.Clause) bool) bool {
	if is(c) {
		return true
	}
	var parts []compiled.Clause
	switch c := c.(type) {
	case compiled.Both:
		parts = slices.Concat(c.Must, c.Not)
	case compiled.Any:
		parts = c.Clauses
	case compiled.Optional:
		parts = c.Clauses
	case compiled.DisMax:
		parts = c.Clauses
	case compiled.Constant:
		parts = []compiled.Clause{c.Clause}
	case compiled.Weighted:
		parts = []compiled.Clause{c.Clause}
	case compiled.Reweighted:
		parts = append([]compiled.Clause{c.Clause}, c.Filters...)
	}
	return slices.ContainsFunc(parts, func(c compiled.Clause) bool { return anyIn(c, is) })
}
