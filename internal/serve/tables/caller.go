package tables

import (
	"net/http"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
)

// Caller returns the caller of a search as the table sees it.
func (t *Table) Caller(c search.Caller) (search.Caller, error) {
	if c.Admin {
		return c, nil
	}
	if !t.KnowsGroups() {
		return c, &httpapi.Error{
			Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "the index of " + t.Conf.Name + " can't tell yet who may see a document",
			Hint: "run: indexerd reindex " + t.Conf.Name,
		}
	}
	if t.hidden() != "" {
		c.Groups = nil // no group: totals, facets and scores are those of no document
	}
	return c, nil
}
