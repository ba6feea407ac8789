package opensearch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
)

// A Refusal is a request of indexerd that the cluster refuses.
type Refusal struct {
	Request   string
	Privilege string // that it needs
	Err       error
}

// Try sends each kind of request that indexerd sends, to an index that it makes and
// removes. It returns those that the cluster refuses. After one without which no other
// can succeed it stops.
func (c Config) Try(ctx context.Context, f Flavor) (refused []Refusal) {
	c, w := c.watched()
	c.Name += "-check-" + strings.ToLower(rand.Text()[:10])
	try := func(request string, err error) bool {
		if err != nil {
			refused = append(refused, Refusal{request, f.privileges(cmp.Or(w.refused, bulkAction)), err})
		}
		return err == nil
	}
	ix, err := c.createOnly(ctx)
	if !try("create an index", err) {
		return refused
	}
	defer func() { try("delete an index", ix.Remove(context.WithoutCancel(ctx))) }()
	if !try("open an index", ix.open(ctx)) {
		return refused
	}
	ix.ctx, ix.cancel = context.WithCancel(ctx)
	defer ix.cancel()
	_, err = ix.used(ctx)
	try("find the index in use", err)
	one, err := doc.NewOID(int64(1))
	if err != nil {
		return append(refused, Refusal{"write documents", "", err})
	}
	if !try("write documents", ix.Apply([]doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: one}, V: 1}, Row: ix.Pad(doc.Row{})}}, doc.Removals(1, one+"x"))) {
		return refused
	}
	_, err = ix.Versions([]doc.OID{one})
	try("read documents by key", err)
	try("refresh an index", ix.refresh())
	try("change a setting of an index", ix.Serve(ctx))
	_, err = ix.Count()
	try("search", err)
	_, err = ix.Health(ctx)
	try("read the health of an index", err)
	return refused
}

// createOnly makes an index that is not opened.
func (c Config) createOnly(ctx context.Context) (*Index, error) {
	c.Patience = 1 // no waiting
	s, err := schema.New(c.Mapping)
	if err != nil {
		return nil, err
	}
	name := c.newName(1)
	if err := c.make(ctx, name, s, 1, 0); err != nil {
		return nil, err
	}
	return &Index{Requests: fulltext.Requests{Schema: s}, config: c, wire: newWire(c), name: name, generation: 1, patience: c.Patience}, nil
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
