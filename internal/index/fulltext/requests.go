package fulltext

import (
	"context"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/hits"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/fulltext/words"
	"indexerd/internal/index/query"
)

// Requests checks requests of a schema, and answers what does not need the index: so
// another engine, which stores documents elsewhere, answers as this one does.
type Requests struct{ *schema.Schema }

// Check returns the error of a request that Search would reject before it reads
// the index, nil if there is none.
func (r Requests) Check(req query.Request) error {
	_, err := hits.Prepare(r.Schema, req, searchLimits)
	return err
}

// Compile checks a request, and returns it for an engine that stores documents
// elsewhere. A fault of the request is a *query.Error.
func (r Requests) Compile(req query.Request) (compiled.Request, error) {
	return hits.Compile(r.Schema, req)
}

// Matcher returns a function that finds the matches of a query in the text of a
// content column, or of one row of a child.
func (r Requests) Matcher(n query.Node) func(ctx context.Context, field, text string) ([]query.Span, error) {
	return words.NewMatcher(r.Schema, n)
}

// Synonyms returns synonyms for queries, nil if there are none.
func (r Requests) Synonyms(all []query.Synonyms) *words.Synonyms {
	return words.NewSynonyms(r.Schema, all)
}
