package opensearch

import (
	"fmt"
	"net/http"

	"indexerd/internal/base/doc"
)

// maxIDs is how many documents one request asks for.
const maxIDs = 5000

// Versions returns the version of each document, 0 if there is none. It sees every
// write that was acknowledged, without a refresh.
func (ix *Index) Versions(oids []doc.OID) ([]doc.Version, error) {
	vs := make([]doc.Version, 0, len(oids))
	for len(vs) < len(oids) {
		part := oids[len(vs):min(len(vs)+maxIDs, len(oids))]
		found, err := ix.versions(part)
		if err != nil {
			return nil, fmt.Errorf("index %s: versions of %d documents: %w", ix.name, len(part), err)
		}
		vs = append(vs, found...)
	}
	return vs, nil
}

func (ix *Index) versions(oids []doc.OID) ([]doc.Version, error) {
	ids := make([]string, len(oids))
	for i, oid := range oids {
		ids[i] = id(oid)
	}
	var answer struct {
		Docs []struct {
			ID      string `json:"_id"`
			Found   *bool  `json:"found"` // absent if the shard is missing
			Version uint64 `json:"_version"`
		} `json:"docs"`
	}
	if err := ix.wire.ask(ix.ctx, http.MethodPost, "/"+ix.name+"/_mget?_source=false", map[string]any{"ids": ids}, &answer); err != nil {
		return nil, err
	}
	if len(answer.Docs) != len(ids) {
		return nil, fmt.Errorf("the cluster answered for %d documents of %d", len(answer.Docs), len(ids))
	}
	vs := make([]doc.Version, len(oids))
	for i, d := range answer.Docs {
		switch {
		case d.ID != ids[i] || d.Found == nil:
			return nil, fmt.Errorf("the cluster can't read document %s: a shard is missing", oids[i])
		case *d.Found:
			vs[i] = doc.Version(d.Version)
		}
	}
	return vs, nil
}

// page is the answer of a search in key order.
type page struct {
	TimedOut bool                            `json:"timed_out"`
	Shards   struct{ Total, Successful int } `json:"_shards"`
	Hits     struct {
		Total struct{ Value uint64 }
		Hits  []struct {
			Version doc.Version `json:"_version"`
			Sort    []string
		}
	}
}

// read searches all shards, after a refresh if there were writes. A red index
// answers with fewer documents unless partial results are forbidden.
func (ix *Index) read(body map[string]any) (p page, err error) {
	if err := ix.refresh(); err != nil {
		return page{}, fmt.Errorf("refresh index %s: %w", ix.name, err)
	}
	err = ix.wire.ask(ix.ctx, http.MethodPost, "/"+ix.name+"/_search?allow_partial_search_results=false", body, &p)
	if err == nil && (p.TimedOut || p.Shards.Successful != p.Shards.Total) {
		err = fmt.Errorf("%w: %d of %d shards answered", ErrAway, p.Shards.Successful, p.Shards.Total)
	}
	if err != nil {
		return page{}, fmt.Errorf("read index %s: %w", ix.name, err)
	}
	return p, nil
}

// refresh makes every acknowledged write visible to searches. A caller waits for
// the refresh of another one, which may be for its own writes.
func (ix *Index) refresh() error {
	ix.refreshing.Lock()
	defer ix.refreshing.Unlock()
	if !ix.stale.Swap(false) {
		return nil
	}
	err := ix.wire.ask(ix.ctx, http.MethodPost, "/"+ix.name+"/_refresh", nil, nil)
	if err != nil {
		ix.stale.Store(true)
	}
	return err
}

// Documents lists documents in key order, beginning at from; "" is the first key.
// next is the key to continue at, "" at the end. Each call reads the current index.
func (ix *Index) Documents(from doc.OID, n int) (docs []doc.Indexed, next doc.OID, err error) {
	n = min(n, maxIDs) // the cluster refuses pages of more than 10,000
	p, err := ix.read(map[string]any{
		"size": n + 1, "sort": []any{map[string]any{"ix.key": "asc"}}, "version": true, "stored_fields": "_none_", "track_total_hits": false,
		"query": map[string]any{"range": map[string]any{"ix.key": map[string]any{"gte": sortKey(from)}}},
	})
	if err != nil {
		return nil, "", err
	}
	for i, hit := range p.Hits.Hits {
		oid, err := parseSortKey(hit.Sort[0])
		if err != nil {
			return nil, "", fmt.Errorf("read index %s: field ix.key of a document is not a key: %w", ix.name, err)
		}
		if i == n {
			return docs, oid, nil
		}
		docs = append(docs, doc.Indexed{OID: oid, V: hit.Version})
	}
	return docs, "", nil
}

// Count returns the number of documents.
func (ix *Index) Count() (uint64, error) {
	p, err := ix.read(map[string]any{"size": 0, "track_total_hits": true})
	return p.Hits.Total.Value, err
}
