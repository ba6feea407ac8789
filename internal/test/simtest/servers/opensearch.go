package servers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
)

// A Cluster is an OpenSearch of one node.
type Cluster struct {
	// Wrote is called with each write that an index has accepted, the alias that it came
	// by, and the process that sent it.
	Wrote func(by, alias string, d Document)
	// Opened is called when a process has made a write alias, and Fenced when it has removed
	// one.
	Opened, Fenced func(by, alias string)

	made    int // indexes so far
	indexes map[string]*index
}

// NewCluster returns a cluster without indexes.
func NewCluster() *Cluster {
	return &Cluster{Wrote: func(string, string, Document) {}, Opened: func(string, string) {}, Fenced: func(string, string) {}, indexes: map[string]*index{}}
}

// An index is what the cluster has of one index.
type index struct {
	uuid       string
	aliases    map[string]bool
	mappings   map[string]json.RawMessage
	refresh    string
	durability string
	docs       map[string]Document // by _id, also of removals
	operations int64
}

// A Document is a document or its removal.
type Document struct {
	ID      string
	Version uint64
	Removed bool
	Source  json.RawMessage
	Key     string // ix.key
}

// Documents returns the documents of the index that an alias leads to, by _id.
func (s *Cluster) Documents(alias string) map[string]Document {
	found := map[string]Document{}
	for _, ix := range s.indexes {
		if !ix.aliases[alias] {
			continue
		}
		for id, d := range ix.docs {
			if !d.Removed {
				found[id] = d
			}
		}
	}
	return found
}

// Connect returns the client of a process.
func (s *Cluster) Connect(by string, gate Gate) *http.Client {
	return &http.Client{Transport: transport{s, by, gate}}
}

// A transport is the way of one process to the cluster.
type transport struct {
	*Cluster
	by   string
	gate Gate
}

// An answer of the cluster.
type answer struct {
	status int
	body   any
}

func ok(body any) answer { return answer{http.StatusOK, body} }

func failure(status int, kind string) answer {
	return answer{status, object{"error": object{"type": kind}, "status": status}}
}

var missing = failure(http.StatusNotFound, "index_not_found_exception")

type object = map[string]any

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answers := make(chan answer, 1) // effect may run after a caller that has given up
	err = t.gate.Send(r.Context(), OpenSearch, nameOf(r, body), func() (later func()) {
		name, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if action == "_bulk" {
			return t.bulk(name, body, answers)
		}
		answers <- t.do(r.Method, name, action, body)
		return nil
	})
	if err != nil {
		return nil, err
	}
	a := <-answers
	text, err := json.Marshal(a.body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(text)), Request: r}, nil
}

// nameOf names a request without the random parts of names.
func nameOf(r *http.Request, body []byte) string {
	name, action, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	name, _, _ = strings.Cut(name, "-g")
	text := r.Method + " " + name + " " + action
	switch path.Base(action) {
	case "_bulk", "_mget":
		return text + " " + string(body)
	}
	return text
}

// do answers a request.
func (t transport) do(method, name, action string, body []byte) answer {
	switch ix := t.indexes[name]; {
	case name == "":
		return ok(object{"version": object{"distribution": "opensearch", "number": "2.19.1"}})
	case name == "_aliases":
		return t.replaceAliases(body)
	case name == "_cluster":
		return ok(object{"status": "green"})
	case name == "_alias":
		return t.aliased(action)
	case method == http.MethodPut && action == "":
		return t.create(name, body)
	case method == http.MethodGet && action == "":
		return t.states(name)
	case ix == nil:
		return missing
	case method == http.MethodDelete:
		delete(t.indexes, name)
		return ok(object{})
	case action == "_mapping":
		return ix.merge(body)
	case action == "_settings":
		return ix.set(body)
	case action == "_stats":
		return ok(object{"indices": object{name: ix.stats()}})
	case action == "_stats/store":
		return ok(object{"_all": object{"total": object{"store": object{"size_in_bytes": 1000 * len(ix.docs)}}}})
	case action == "_mget":
		return ix.versions(body)
	case action == "_search":
		return ix.search(body)
	case action == "_refresh":
		return ok(object{})
	}
	panic(fmt.Sprintf("servers: %s /%s/%s is not simulated", method, name, action))
}

func (s *Cluster) create(name string, body []byte) answer {
	var r struct {
		Settings struct {
			Index struct {
				Durability string `json:"translog.durability"`
				Refresh    string `json:"refresh_interval"`
			} `json:"index"`
		} `json:"settings"`
		Mappings map[string]json.RawMessage `json:"mappings"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	if s.indexes[name] != nil {
		return failure(http.StatusBadRequest, "resource_already_exists_exception")
	}
	s.made++
	s.indexes[name] = &index{
		uuid: fmt.Sprint("uuid ", s.made), aliases: map[string]bool{}, mappings: r.Mappings,
		refresh: r.Settings.Index.Refresh, durability: r.Settings.Index.Durability, docs: map[string]Document{},
	}
	return ok(object{"acknowledged": true})
}

// named returns the indexes that a name, an alias or a pattern leads to.
func (s *Cluster) named(name string) []string {
	var found []string
	for one, ix := range s.indexes {
		if match, err := path.Match(name, one); err == nil && match || ix.aliases[name] {
			found = append(found, one)
		}
	}
	slices.Sort(found)
	return found
}

func (s *Cluster) aliased(alias string) answer {
	found := object{}
	for name, ix := range s.indexes {
		if ix.aliases[alias] {
			found[name] = object{}
		}
	}
	if len(found) == 0 {
		return failure(http.StatusNotFound, "alias_not_found_exception")
	}
	return ok(found)
}

func (s *Cluster) states(name string) answer {
	found := object{}
	for _, name := range s.named(name) {
		ix, aliases := s.indexes[name], object{}
		for alias := range ix.aliases {
			aliases[alias] = object{}
		}
		found[name] = object{
			"aliases": aliases, "mappings": ix.mappings,
			"settings": object{"index": object{
				"uuid": ix.uuid, "number_of_shards": "1", "refresh_interval": ix.refresh, "translog": object{"durability": ix.durability},
			}},
		}
	}
	if len(found) == 0 && !strings.Contains(name, "*") {
		return missing
	}
	return ok(found)
}

// replaceAliases makes all actions, or none.
func (t transport) replaceAliases(body []byte) answer {
	var r struct {
		Actions []map[string]struct{ Index, Alias string }
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	for _, action := range r.Actions {
		for _, a := range action {
			if len(t.named(a.Index)) == 0 && !strings.Contains(a.Index, "*") {
				return missing
			}
		}
	}
	for _, action := range r.Actions {
		for verb, a := range action {
			for _, name := range t.named(a.Index) {
				t.replaceAlias(verb, name, a.Alias)
			}
		}
	}
	return ok(object{"acknowledged": true})
}

func (t transport) replaceAlias(verb, index, alias string) {
	aliases, writes := t.indexes[index].aliases, strings.HasPrefix(alias, index+"-w-")
	switch {
	case verb == "add":
		aliases[alias] = true
		if writes {
			t.Opened(t.by, alias)
		}
	case aliases[alias]:
		delete(aliases, alias)
		if writes {
			t.Fenced(t.by, alias)
		}
	}
}

func (ix *index) merge(body []byte) answer {
	var r map[string]json.RawMessage
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	maps.Copy(ix.mappings, r)
	return ok(object{"acknowledged": true})
}

func (ix *index) set(body []byte) answer {
	var r struct {
		Index struct {
			Refresh string `json:"refresh_interval"`
		} `json:"index"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	ix.refresh = cmp.Or(r.Index.Refresh, ix.refresh)
	return ok(object{"acknowledged": true})
}

func (ix *index) stats() object {
	shard := object{
		"routing": object{"state": "STARTED", "primary": true, "node": "one"},
		"commit":  object{"user_data": object{"history_uuid": ix.uuid}},
		"seq_no":  object{"max_seq_no": ix.operations - 1},
	}
	return object{"shards": object{"0": []object{shard}}}
}

func (ix *index) versions(body []byte) answer {
	var r struct{ IDs []string }
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	docs := []object{}
	for _, id := range r.IDs {
		d, there := ix.docs[id]
		there = there && !d.Removed
		one := object{"_id": id, "found": there}
		if there {
			one["_version"] = d.Version
		}
		docs = append(docs, one)
	}
	return ok(object{"docs": docs})
}

// search lists documents from a key on, or counts them.
func (ix *index) search(body []byte) answer {
	var r struct {
		Size  int
		Query struct {
			Range map[string]struct{ Gte string }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return failure(http.StatusBadRequest, "parse_exception")
	}
	var found []Document
	total := 0
	for _, d := range ix.docs {
		if !d.Removed {
			total++
			if d.Key >= r.Query.Range["ix.key"].Gte {
				found = append(found, d)
			}
		}
	}
	slices.SortFunc(found, func(a, b Document) int { return strings.Compare(a.Key, b.Key) })
	hits := []object{}
	for _, d := range found[:min(r.Size, len(found))] {
		hits = append(hits, object{"_id": d.ID, "_version": d.Version, "sort": []string{d.Key}})
	}
	return ok(object{"timed_out": false, "_shards": object{"total": 1, "successful": 1}, "hits": object{"total": object{"value": total}, "hits": hits}})
}
