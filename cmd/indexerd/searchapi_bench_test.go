package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/apitest"
	"indexerd/internal/test/nodetest"
)

// BenchmarkSearchAPI prints what ten common requests of the OpenSearch API take, over
// HTTP, beside a real node with the same documents. Both must find as many.
// INDEXERD_ROWS is the number of rows.
func BenchmarkSearchAPI(b *testing.B) {
	rows := rounds(b, "INDEXERD_ROWS", 100_000, 100_000)
	node := nodetest.URL(b)
	texts := searchTexts(rows)
	own := serveAPI(b, texts)
	indexAPI(b, node, texts)
	failed := false
	for _, q := range commonRequests(wordsByShare(texts)) {
		mine, theirs := timeAPI(b, own, q.body), timeAPI(b, node, q.body)
		fmt.Printf("%-28s %7d rows, p50/p99 %7.2f/%7.2f ms; OpenSearch %7.2f/%7.2f; ratio %.2f/%.2f\n", q.name, mine.Total, mine.P50, mine.P99, theirs.P50, theirs.P99, mine.P50/theirs.P50, mine.P99/theirs.P99)
		if mine.Total != theirs.Total {
			b.Errorf("%s: got %d rows, OpenSearch %d", q.name, mine.Total, theirs.Total)
			failed = true
		}
	}
	fmt.Printf("search-api: rows=%d requests=10 %s\n", rows, outcome(failed))
}

type commonRequest struct{ name, body string }

// commonRequests are the requests that applications make most.
func commonRequests(words func(share float64) string) []commonRequest {
	match := func(text, more string) string {
		return fmt.Sprintf(`{"query":{"match":{"body":{"query":%q%s}}}}`, text, more)
	}
	rare, common, other := words(0.0001), words(0.07), words(0.08)
	return []commonRequest{
		{"match, rare word", match(rare, "")},
		{"match, common word", match(common, "")},
		{"match, two words, or", match(common+" "+other, "")},
		{"match, two words, and", match(common+" "+other, `,"operator":"and"`)},
		{"match_phrase", `{"query":{"match_phrase":{"body":"of the"}}}`},
		{"match_phrase_prefix", fmt.Sprintf(`{"query":{"match_phrase_prefix":{"body":{"query":"the %s","max_expansions":1000}}}}`, words(0.01)[:3])},
		{"bool with filters", fmt.Sprintf(`{"query":{"bool":{"must":{"match":{"body":%q}},"filter":[{"term":{"kind":"most"}},{"range":{"year":{"gte":1950,"lt":2000}}}]}}}`, common)},
		{"filter, sorted", `{"query":{"term":{"grp":"g3"}},"sort":[{"year":"desc"},{"code":"asc"}]}`},
		{"match with terms agg", fmt.Sprintf(`{"query":{"match":{"body":%q}},"aggs":{"g":{"terms":{"field":"grp"}}}}`, common)},
		{"histogram with avg of all", `{"size":0,"aggs":{"y":{"histogram":{"field":"year","interval":10},"aggs":{"n":{"avg":{"field":"n"}}}}}}`},
	}
}

// apiRow returns the values of a row besides its text.
func apiRow(i int) map[string]any {
	return map[string]any{"kind": kindOf(i), "grp": fmt.Sprint("g", i%10), "code": fmt.Sprintf("c%08d", i*7919%10_000_000), "year": int64(1900 + i*31%125), "n": float64(i%1000) / 4}
}

var apiNames = []string{"body", "kind", "grp", "code", "year", "n"}

// benchPages makes the pages of rows from their texts, so that they take no memory.
type benchPages struct {
	texts []string
	at    map[doc.OID]int
}

func (p benchPages) page(oid doc.OID) (doc.Page, error) {
	i, ok := p.at[oid]
	if !ok {
		return doc.Page{}, fmt.Errorf("no page %s", oid)
	}
	body, err := p.row(i).AppendJSON(nil)
	return doc.Page{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}, V: doc.Version(i + 1)}, Body: body}, err
}

func (p benchPages) row(i int) doc.Row {
	row := doc.Row{Names: apiNames, Values: []any{p.texts[i]}}
	for _, name := range apiNames[1:] {
		row.Values = append(row.Values, apiRow(i)[name])
	}
	return row
}

// View implements search.Pages.
func (p benchPages) View(oid doc.OID, see func(doc.Page) error) error {
	page, err := p.page(oid)
	if err != nil {
		return err
	}
	return see(page)
}

// Meta implements search.Pages.
func (p benchPages) Meta(oid doc.OID) (doc.Meta, bool, error) {
	page, err := p.page(oid)
	return page.Meta, err == nil, nil
}

// NewestVersions implements search.Pages.
func (p benchPages) NewestVersions(oid doc.OID, _ int) ([]doc.Page, bool, error) {
	page, err := p.page(oid)
	return []doc.Page{page}, false, err
}

// serveAPI indexes the rows and returns the address of their API.
func serveAPI(b *testing.B, texts []string) string {
	b.Helper()
	pages := benchPages{texts, make(map[doc.OID]int, len(texts))}
	s := apitest.New()
	table := s.Create(b, "rows", schema.Mapping{
		Content: []string{"body"}, Analyzer: "standard", Positions: true,
		Metadata: []schema.Field{
			{Name: "kind", Type: schema.Keyword}, {Name: "grp", Type: schema.Keyword}, {Name: "code", Type: schema.Keyword},
			{Name: "year", Type: schema.Number}, {Name: "n", Type: schema.Number},
		},
	}, doc.Integer, pages)
	const batch = 10_000
	for from := 0; from < len(texts); from += batch {
		var docs []doc.Doc
		for i := from; i < min(from+batch, len(texts)); i++ {
			oid, err := doc.NewOID(int64(i))
			if err != nil {
				b.Fatal(err)
			}
			pages.at[oid] = i
			docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: pages.row(i)})
		}
		if err := table.Add(docs, false); err != nil {
			b.Fatal(err)
		}
	}
	server := httptest.NewServer(s.Handler())
	b.Cleanup(server.Close)
	return server.URL
}

// indexAPI writes the rows into the node. Its words are split as the table's are.
func indexAPI(b *testing.B, node string, texts []string) {
	b.Helper()
	sendAPI(b, "DELETE", node+"/rows?ignore_unavailable=true", nil)
	sendAPI(b, "PUT", node+"/rows", []byte(`{"settings":{"number_of_shards":1,"number_of_replicas":0,"refresh_interval":-1,"translog.durability":"async","analysis":{
		"analyzer":{"default":{"type":"custom","tokenizer":"words","filter":["lowercase"]}},"tokenizer":{"words":{"type":"pattern","pattern":"[^\\p{L}\\p{Nd}\\p{M}_]+"}}}},
		"mappings":{"properties":{"body":{"type":"text"},"kind":{"type":"keyword"},"grp":{"type":"keyword"},"code":{"type":"keyword"},"year":{"type":"double"},"n":{"type":"double"}}}}`))
	const batch = 5000
	for from := 0; from < len(texts); from += batch {
		var bulk bytes.Buffer
		lines := json.NewEncoder(&bulk)
		for i := from; i < min(from+batch, len(texts)); i++ {
			row := apiRow(i)
			row["body"] = texts[i]
			for _, line := range []any{map[string]any{"index": map[string]string{"_id": strconv.Itoa(i)}}, row} {
				if err := lines.Encode(line); err != nil {
					b.Fatal(err)
				}
			}
		}
		if answer := sendAPI(b, "POST", node+"/rows/_bulk?filter_path=errors", bulk.Bytes()); !strings.Contains(answer, `"errors":false`) {
			b.Fatalf("bulk: %.300s", answer)
		}
	}
	sendAPI(b, "POST", node+"/rows/_refresh", nil)
}

func sendAPI(b *testing.B, method, url string, body []byte) string {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s %s: %d %.300s: %v", method, url, resp.StatusCode, text, err)
	}
	return string(text)
}

// timeAPI sends a request so often as searchOwn does, without a cache of answers. The
// node has a second before, to compile its code.
func timeAPI(b *testing.B, server, body string) (t timed) {
	b.Helper()
	url := server + "/rows/_search?request_cache=false&track_total_hits=true"
	for first := time.Now(); time.Since(first) < searchFor(); {
		sendAPI(b, "POST", url, []byte(body))
	}
	var took []float64
	for first := time.Now(); len(took) < searchRounds || time.Since(first) < searchFor(); {
		began := time.Now()
		answer := sendAPI(b, "POST", url, []byte(body))
		took = append(took, time.Since(began).Seconds()*1000)
		var found struct {
			Hits struct {
				Total struct{ Value uint64 }
			}
		}
		if err := json.Unmarshal([]byte(answer), &found); err != nil {
			b.Fatal(err)
		}
		t.Total = found.Hits.Total.Value
	}
	slices.Sort(took)
	t.P50, t.P99 = took[len(took)/2], took[len(took)*99/100]
	return t
}
