package osapi

import (
	"context"
	"encoding/json"
	"net/http"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/hits"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// get returns the documents with some keys that the caller may see, by key, with the
// fields of a selection. It searches, so that access is judged as in every search.
func (t *target) get(ctx context.Context, ids []string, fields hits.Source, c search.Caller) (map[string]search.Hit, error) {
	if len(ids) > query.MaxSize {
		return nil, input.ParsingError("%d documents are requested, more than %d", len(ids), query.MaxSize)
	}
	results, err := t.find(ctx, search.Params{Node: t.Keys(ids), Size: query.MaxSize, Fields: fields.Names, Caller: c})
	if err != nil {
		return nil, err
	}
	found, size := map[string]search.Hit{}, 0
	for i := range results.Len {
		hit, err := results.Hit(ctx, i)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(hit.Fields)
		if err != nil {
			return nil, err
		}
		if size += len(text); size > maxHits {
			return nil, input.ParsingError("the documents are larger than %d MiB: request fewer at a time", maxHits>>20)
		}
		found[hit.OID] = hit
	}
	return found, nil
}

// documents returns the documents of an index that the caller may see, of any index: none
// if there is no such index.
func (t *target) documents(ctx context.Context, index string, ids []string, c search.Caller) (list []search.Hit, err error) {
	other := server{engine: t.engine}.none()
	if err := other.add(index, c); status(err) == http.StatusNotFound {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	found, err := other.get(ctx, ids, hits.Source{}, c)
	for _, hit := range found {
		list = append(list, hit)
	}
	return list, err
}

// documentInURL are the parameters of a request for documents. realtime and refresh
// change nothing.
var documentInURL = []string{"_source", "_source_includes", "_source_excludes", "realtime", "refresh"}

// one returns the document that a request names.
func (s server) one(c *call) (hit search.Hit, there bool, fields hits.Source, err error) {
	if err := checkURL(c.URL.Query(), documentInURL); err != nil {
		return hit, false, fields, err
	}
	f := s.find(c, c.PathValue("index"), []string{c.PathValue("id")}, false)
	hit, there = f.hits[c.PathValue("id")]
	hit.Table, hit.OID = c.PathValue("index"), c.PathValue("id")
	return hit, there, f.fields, f.err
}

func (s server) document(c *call) (any, error) {
	hit, there, fields, err := s.one(c)
	if err != nil {
		return nil, err
	}
	answer := renderDocument(hit, there, fields)
	if !there {
		return httpapi.NotFound{Body: answer}, nil
	}
	return answer, nil
}

// renderDocument returns a document as _doc and _mget do.
func renderDocument(hit search.Hit, there bool, fields hits.Source) map[string]any {
	answer := map[string]any{"_index": hit.Table, "_id": hit.OID, "found": there}
	if there {
		fields.Show(answer, hit)
	}
	return answer
}

func (s server) source(c *call) (any, error) {
	if c.URL.Query().Get("_source") == "false" { // reported before a missing index
		return nil, input.Error(input.InvalidRequest, "fetching source can not be disabled")
	}
	hit, there, _, err := s.one(c)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, &httpapi.Error{Status: http.StatusNotFound, Code: "not_found", Message: "Document not found [" + hit.Table + "]/[" + query.Shorten(hit.OID) + "]"}
	}
	return hit.Fields, nil
}

// mget returns several documents, in the order of the request. It makes one search for
// each index.
func (s server) mget(c *call) (any, error) {
	c.table = search.AllTables
	if err := checkURL(c.URL.Query(), documentInURL); err != nil {
		return nil, err
	}
	list, err := wantedDocuments(c)
	if err != nil {
		return nil, err
	}
	ids, whole := map[string][]string{}, map[string]bool{}
	for _, w := range list {
		ids[w.index] = append(ids[w.index], w.id)
		whole[w.index] = whole[w.index] || w.source != nil
	}
	if len(ids) > maxSearches {
		return nil, input.ParsingError("[docs] name more than %d indices", maxSearches)
	}
	groups := map[string]*found{}
	for index, texts := range ids {
		groups[index] = s.find(c, index, texts, whole[index])
	}
	docs := make([]any, len(list))
	for i, w := range list {
		g := groups[w.index]
		if g.err != nil {
			docs[i] = map[string]any{"_index": w.index, "_id": w.id, "error": errorBody(httpapi.ErrorOf(g.err))["error"]}
			continue
		}
		hit, there := g.hits[w.id]
		hit.Table, hit.OID = w.index, w.id
		fields := g.fields
		if w.source != nil {
			if fields, err = hits.ParseSource(w.source, g.Index); err != nil {
				return nil, err
			}
		}
		docs[i] = renderDocument(hit, there, fields)
	}
	return map[string]any{"docs": docs}, nil
}

// A wanted is one document of a _mget. It has the fields of its source, if it has one,
// and of those of the URL otherwise.
type wanted struct {
	index, id string
	source    json.RawMessage
}

// wantedDocuments reads the body of a _mget: ids of the index in the URL, or docs.
func wantedDocuments(c *call) (list []wanted, err error) {
	m, err := input.ObjectOf(c.body, "body", "ids", "docs")
	if err != nil {
		return nil, err
	}
	var ids []json.RawMessage
	var docs []map[string]json.RawMessage
	if m["ids"] != nil && json.Unmarshal(m["ids"], &ids) != nil || m["docs"] != nil && json.Unmarshal(m["docs"], &docs) != nil {
		return nil, input.ParsingError("[ids] and [docs] are lists")
	}
	for _, id := range ids {
		docs = append(docs, map[string]json.RawMessage{"_id": id})
	}
	for _, d := range docs {
		if err := input.Only(d, "docs", "_index", "_id", "_source"); err != nil {
			return nil, err
		}
		w := wanted{index: c.PathValue("index"), source: d["_source"]}
		if d["_index"] != nil {
			if w.index, err = input.Scalar(d["_index"], "_index"); err != nil {
				return nil, err
			}
		}
		if d["_id"] == nil {
			return nil, input.Error(input.InvalidRequest, "_id is missing for a document")
		}
		if w.id, err = input.Scalar(d["_id"], "_id"); err != nil {
			return nil, err
		}
		if w.index == "" {
			return nil, input.Error(input.InvalidRequest, "[docs] need [_index]")
		}
		list = append(list, w)
	}
	if len(list) == 0 {
		return nil, input.Error(input.InvalidRequest, "no documents to get: write [ids] or [docs]")
	}
	return list, nil
}

// A found is the documents of one index that are found.
type found struct {
	mapping.Index
	hits   map[string]search.Hit
	fields hits.Source
	err    error
}

// find gets documents with the fields that the URL names, or with all.
func (s server) find(c *call, index string, ids []string, whole bool) *found {
	t, err := s.target(index, c.caller, leniency{})
	if err == nil && len(t.Tables) != 1 {
		err = input.ParsingError("a document needs one index, not %d", len(t.Tables))
	}
	if err != nil {
		return &found{err: err}
	}
	f := &found{Index: t.Index}
	if f.fields, f.err = hits.SourceInURL(c.URL.Query(), t.Index); f.err != nil {
		return f
	}
	fetched := f.fields
	if whole {
		fetched = hits.Source{}
	}
	f.hits, f.err = t.get(c.ctx, ids, fetched, c.caller)
	return f
}
