package apidiff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/apitest"
	"indexerd/internal/test/nodetest"
)

func TestMain(m *testing.M) { os.Exit(nodetest.Main(m)) }

// A pair is the two servers with the same documents.
type pair struct {
	t         testing.TB
	own, node string
	release   string // of the node
}

// start indexes a corpus in both. The second index has every tenth document.
func start(t testing.TB, c *corpus) *pair {
	t.Helper()
	p := &pair{t: t, node: nodetest.URL(t)}
	version, _ := decode(p.must("GET", "/", ""))["version"].(map[string]any)
	p.release, _ = version["number"].(string)
	s := apitest.New()
	for _, name := range []string{other, index} {
		step := map[string]int{index: 1, other: 10}[name]
		p.load(s, name, c, step)
	}
	server := httptest.NewServer(s.Handler())
	t.Cleanup(server.Close)
	p.own = server.URL
	return p
}

func (p *pair) load(s *apitest.Server, name string, c *corpus, step int) {
	p.t.Helper()
	p.must("DELETE", "/"+name+"?ignore_unavailable=true", "")
	p.must("PUT", "/"+name, byHand)
	var docs []doc.Doc
	var bulk bytes.Buffer
	lines := json.NewEncoder(&bulk)
	for i := 0; i < len(c.rows); i += step {
		oid, err := doc.NewOID(int64(i))
		if err != nil {
			p.t.Fatal(err)
		}
		docs = append(docs, doc.Doc{Meta: doc.Meta{Stamp: doc.Stamp{OID: oid}}, Row: c.rows[i]})
		for _, line := range []any{map[string]any{"index": map[string]string{"_id": fmt.Sprint(i)}}, source(c.rows[i])} {
			if err := lines.Encode(line); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	if err := s.Create(p.t, name, mapping, doc.Integer, nil).Add(docs, true); err != nil {
		p.t.Fatal(err)
	}
	if answer := p.must("POST", "/"+name+"/_bulk", bulk.String()); !strings.Contains(answer, `"errors":false`) {
		p.t.Fatalf("bulk: %.500s", answer)
	}
	p.must("POST", "/"+name+"/_refresh", "")
	p.must("POST", "/"+name+"/_forcemerge?max_num_segments=1", "")
}

// must sends a request to the node that has to succeed.
func (p *pair) must(method, path, body string) string {
	p.t.Helper()
	a := p.send(p.node, method, path, body)
	if a.status != http.StatusOK {
		p.t.Fatalf("%s %s: %d %.500s", method, path, a.status, a.text)
	}
	return a.text
}

// An answer is what a server answers.
type answer struct {
	status int
	text   string
	body   map[string]any // nil if it is no object
}

// send sends one request to a server.
func (p *pair) send(base, method, path, body string) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if strings.Contains(path, "_bulk") || strings.Contains(path, "_msearch") {
		r.Header.Set("Content-Type", "application/x-ndjson")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, text: string(text)}
	_ = json.Unmarshal(text, &a.body) // HEAD and lists in text have none
	return a
}
