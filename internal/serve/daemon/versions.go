package daemon

import (
	"context"

	"indexerd/internal/index/search"
)

// Versions returns what is kept of one document.
func (e *Engine) Versions(_ context.Context, name, key string) (search.Versions, error) {
	t, oid, err := e.document(name, key)
	if err != nil {
		return search.Versions{}, err
	}
	return t.search().Versions(oid)
}
