package dsl

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/mapping"
)

// Whatever the text of a query_string or a simple_query_string is, it becomes a query
// of bounded size or an error of the caller. The simple one has no faults but limits.
func FuzzQueryString(f *testing.F) {
	for _, text := range []string{
		`mad AND (title:shark OR NOT "a b"~2)^3`, `year:[2000 TO *} -x~1 +y*`, `/a.*b/ s?ark *:* _exists_:year`, `a\u0061\ b:>=5`, "((((((", `"`, `~~^^`, "-(--+|x)", "\xff*:\\",
		strings.Repeat("(", 9000), strings.Repeat(`"\`, 4000), strings.Repeat("(", 100) + strings.Repeat(")", 100), strings.Repeat("a ", 1200), strings.Repeat("a~ ", 200),
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	fields := mapping.Index{{Name: "title", Type: mapping.Text}, {Name: "title", Type: mapping.Keyword}, {Name: "year", Type: mapping.Double}, {Name: "seen", Type: mapping.Date}}
	f.Fuzz(func(t *testing.T, text string, simple bool) {
		kind := map[bool]string{true: "simple_query_string", false: "query_string"}[simple]
		body, err := json.Marshal(map[string]any{kind: map[string]any{"query": text}})
		if err != nil {
			t.Fatal(err)
		}
		tr := New(&Scope{Index: fields})
		n, err := tr.Node(body)
		var fault *httpapi.Error
		if err != nil && (!errors.As(err, &fault) || fault.Status != 400) {
			t.Fatalf("%s %q: got %v, want a query or status 400", kind, text, err)
		}
		if err == nil && (n == nil || tr.clauses > query.MaxClauses || tr.fuzzies > maxFuzzy || tr.depth != 0) {
			t.Fatalf("%s %q: got %v with %d clauses", kind, text, n, tr.clauses)
		}
	})
}
