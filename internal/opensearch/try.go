package opensearch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

// A Refusal is a request of indexerd that the cluster refuses.
type Refusal struct {
	Request   string
	Privilege string // that it needs
	Err       error
}

// Version returns the product and the version of the cluster.
func (c Config) Version(ctx context.Context) (string, error) {
	var answer struct {
		Version struct{ Number, Distribution string }
	}
	if err := newWire(c).ask(ctx, http.MethodGet, "/", nil, &answer); err != nil {
		return "", err
	}
	if answer.Version.Distribution != "opensearch" {
		return "", fmt.Errorf("the server is not OpenSearch, but %s version %s", strings.TrimSpace(answer.Version.Distribution+" (unknown product)"), answer.Version.Number)
	}
	return answer.Version.Number, nil
}

// Try sends each kind of request that indexerd sends, to an index that it makes and
// removes. It returns those that the cluster refuses. After one without which no other
// can succeed it stops.
func (c Config) Try(ctx context.Context) []Refusal {
	c.Name += "-check-" + strings.ToLower(rand.Text()[:10])
	var refused []Refusal
	try := func(request, privilege string, err error) bool {
		if err != nil {
			refused = append(refused, Refusal{request, privilege, err})
		}
		return err == nil
	}
	ix, err := c.createOnly(ctx)
	if !try("create an index", "indices:admin/create", err) {
		return refused
	}
	defer func() { try("delete an index", "indices:admin/delete", ix.Remove(context.WithoutCancel(ctx))) }()
	if !try("open an index", "indices:admin/get, indices:admin/aliases, indices:admin/aliases/get, indices:admin/mapping/put and indices:monitor/stats", ix.open(ctx)) {
		return refused
	}
	ix.ctx, ix.cancel = context.WithCancel(ctx)
	defer ix.cancel()
	key, err := doc.NewOID(int64(1))
	if err != nil {
		return refused
	}
	if !try("write documents", "indices:data/write/bulk*, indices:data/write/index and indices:data/write/delete", ix.Apply(nil, doc.Removals(1, key))) {
		return refused
	}
	_, err = ix.Versions([]doc.OID{key})
	try("read documents by key", "indices:data/read/mget*", err)
	_, err = ix.Count()
	try("search", "indices:data/read/search* and indices:admin/refresh*", err)
	_, err = ix.Health(ctx)
	try("read the health of an index", "cluster:monitor/health", err)
	return refused
}

// createOnly makes an index that is not opened.
func (c Config) createOnly(ctx context.Context) (*Index, error) {
	c.Patience = 1 // no waiting
	schema, err := fulltext.NewSchema(c.Mapping)
	if err != nil {
		return nil, err
	}
	name := c.newName(1)
	if err := c.make(ctx, name, schema, 1, 0); err != nil {
		return nil, err
	}
	return &Index{Schema: schema, config: c, wire: newWire(c), name: name, generation: 1, patience: c.Patience}, nil
}

// Health returns green, yellow or red.
func (ix *Index) Health(ctx context.Context) (string, error) {
	var answer struct{ Status string }
	err := ix.wire.ask(ctx, http.MethodGet, "/_cluster/health/"+ix.name+"?timeout=1s", nil, &answer)
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusRequestTimeout {
		return "red", nil
	}
	return answer.Status, err
}
