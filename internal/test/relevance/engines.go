package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A ranking has the documents that each query finds, by its number, the best first.
type ranking map[int][]int

// wordsOf returns the words of a text for all engines, with the apostrophes inside: each
// engine reads don't in its own way.
func wordsOf(text string) (words []string) {
	isGap := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }
	for _, w := range strings.FieldsFunc(strings.ToLower(text), isGap) {
		if w = strings.Trim(w, "'"); w != "" {
			words = append(words, w)
		}
	}
	return words
}

// ownRanking searches any of the words in an index with titles and bodies.
func ownRanking(c *collection, m schema.Mapping, tuned bool) (ranking, error) {
	m.Content, m.Positions = []string{"title", "body"}, true
	dir, err := os.MkdirTemp("", "relevance")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ix, err := fulltext.Create(filepath.Join(dir, "index"), m, 1)
	if err != nil {
		return nil, err
	}
	numbers := map[doc.OID]int{}
	var docs []doc.Doc
	for _, d := range c.docs {
		oid, err := doc.NewOID(int64(d.id))
		if err != nil {
			return nil, err
		}
		numbers[oid] = d.id
		docs = append(docs, doc.Doc{
			Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: 1},
			Row:  doc.Row{Names: []string{"title", "body"}, Values: []any{d.title, d.body}},
		})
	}
	if err := ix.Apply(docs, nil); err != nil {
		return nil, err
	}
	found := ranking{}
	for _, q := range c.queries {
		n, err := query.Parse(strings.Join(wordsOf(q.body), " "))
		if err != nil {
			return nil, err
		}
		n, _ = query.MatchAny.In(n)
		req := query.Request{Query: n, Size: query.MaxSize, Tuned: tuned}
		for more := true; more; more = req.After != "" {
			res, err := ix.Search(context.Background(), req)
			if err != nil {
				return nil, err
			}
			for _, h := range res.Hits {
				found[q.id] = append(found[q.id], numbers[h.OID])
			}
			req.After = res.Next
		}
	}
	return found, ix.Close()
}

// fts5Ranking searches any of the words in SQLite, by its bm25.
func fts5Ranking(c *collection) (ranking, error) {
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	queries, docs := map[int][]string{}, [][3]any{}
	for _, q := range c.queries {
		if words := wordsOf(q.body); len(words) > 0 {
			queries[q.id] = words
		}
	}
	for _, d := range c.docs {
		docs = append(docs, [3]any{d.id, d.title, d.body})
	}
	if err := enc.Encode([]any{queries, docs}); err != nil {
		return nil, err
	}
	cmd := exec.Command("python3", "-c", fts5Program)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("FTS5 by python3: %w", err)
	}
	found := ranking{}
	return found, json.Unmarshal(out, &found)
}

const fts5Program = `
import json, sqlite3, sys
queries, docs = json.load(sys.stdin)
db = sqlite3.connect(":memory:")
db.execute("CREATE VIRTUAL TABLE t USING fts5(title, body)")
db.executemany("INSERT INTO t (rowid, title, body) VALUES (?, ?, ?)", docs)
print(json.dumps({
    q: [r for r, in db.execute("SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid", [" OR ".join('"%s"' % w for w in words)])]
    for q, words in queries.items()
}))
`

// An openSearch is a server whose index is made and removed.
type openSearch struct{ url string }

const openSearchIndex = "indexerd-relevance"

func (o openSearch) call(method, path string, body []byte, into any) (err error) {
	req, err := http.NewRequest(method, strings.TrimSuffix(o.url, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s %.200s, %v", method, path, res.Status, answer, err)
	}
	return json.Unmarshal(answer, into)
}

// rankings searches with multi_match, by its default and by others of its types.
func (o openSearch) rankings(c *collection, types []string) (_ []ranking, err error) {
	var bulk bytes.Buffer
	enc := json.NewEncoder(&bulk)
	for _, d := range c.docs {
		_ = enc.Encode(map[string]any{"index": map[string]any{"_index": openSearchIndex, "_id": strconv.Itoa(d.id)}})
		_ = enc.Encode(map[string]any{"title": d.title, "body": d.body})
	}
	var loaded struct{ Errors bool }
	if err := o.call("PUT", "/"+openSearchIndex, []byte(`{"settings":{"number_of_shards":1,"number_of_replicas":0}}`), &struct{}{}); err != nil {
		return nil, err
	}
	defer func() {
		if gone := o.call("DELETE", "/"+openSearchIndex, nil, &struct{}{}); err == nil {
			err = gone
		}
	}()
	if err := o.call("POST", "/_bulk?refresh=true", bulk.Bytes(), &loaded); err != nil || loaded.Errors {
		return nil, fmt.Errorf("bulk: refused documents %t, %w", loaded.Errors, err)
	}
	var all []ranking
	for _, kind := range types {
		found := ranking{}
		for _, q := range c.queries {
			if found[q.id], err = o.search(q, kind); err != nil {
				return nil, err
			}
		}
		all = append(all, found)
	}
	return all, nil
}

func (o openSearch) search(q text, kind string) (ids []int, err error) {
	body, err := json.Marshal(map[string]any{"size": 10_000, "_source": false, "query": map[string]any{"multi_match": map[string]any{
		"query": strings.Join(wordsOf(q.body), " "), "fields": []string{"title", "body"}, "type": kind,
	}}})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Hits struct {
			Hits []struct {
				ID string `json:"_id"`
			}
		}
	}
	if err := o.call("POST", "/"+openSearchIndex+"/_search", body, &answer); err != nil {
		return nil, err
	}
	for _, h := range answer.Hits.Hits {
		id, err := strconv.Atoi(h.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
