package osapi

import (
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// listOf joins n values, of which those that hit are n-3, n-2 and n-1.
func listOf(n int, value func(i int) string) string {
	values := make([]string, n)
	for i := range values {
		values[i] = value(i)
	}
	return "[" + strings.Join(values, ",") + "]"
}

// Lists of many values are one clause: keywords, numbers and keys.
func TestListsOfManyValues(t *testing.T) {
	w := newWorld(t)
	const n = 10_000
	uuid := func(i int) string { return fmt.Sprintf("550e8400-e29b-41d4-a716-%012x", i) }
	rows := make([]map[string]any, 5)
	for i := range rows {
		rows[i] = map[string]any{"id": i + n - 3, "title": "a film", "rating": uuid(i + n - 3), "year": i + n - 3, "grp": "sales"}
	}
	rows[4]["grp"] = "press"
	w.put(t, "film", rows...)
	for name, query := range map[string]string{
		"keywords":         `{"terms":{"rating":` + listOf(n, func(i int) string { return `"` + uuid(i) + `"` }) + `}}`,
		"numbers":          `{"terms":{"year":` + listOf(n, func(i int) string { return fmt.Sprint(i) }) + `}}`,
		"numbers as text":  `{"terms":{"year":` + listOf(n, func(i int) string { return fmt.Sprintf(`" %d.0"`, i) }) + `}}`,
		"keys":             `{"terms":{"_id":` + listOf(n, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `}}`,
		"ids":              `{"ids":{"values":` + listOf(n, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + `}}`,
		"two lists":        `{"bool":{"must":[{"terms":{"year":` + listOf(n, func(i int) string { return fmt.Sprint(i) }) + `}},{"terms":{"rating":` + listOf(n, func(i int) string { return `"` + uuid(i) + `"` }) + `}}]}}`,
		"beside 450 words": `{"bool":{"filter":{"terms":{"year":` + listOf(n, func(i int) string { return fmt.Sprint(i) }) + `}},"should":` + listOf(450, func(int) string { return `{"match":{"title":"film"}}` }) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.want(t, sales, "POST", "/film/_count", `{"query":`+query+`}`, 200, `"count":3`)
			w.want(t, sales, "POST", "/_all/_count", `{"query":`+query+`}`, 200, `"count":3`)
		})
	}
	w.want(t, ops, "POST", "/film/_search", `{"query":{"terms":{"year":[9998,9999.0,10001],"boost":3}}}`, 200, `"_score":3`)
	w.want(t, sales, "POST", "/film/_search", `{"query":{"terms":{"year":["x"]}}}`, 400, "For input string")
	w.want(t, sales, "POST", "/film/_count", `{"query":{"terms":{"rating":[]}}}`, 200, `"count":0`)
	w.want(t, sales, "POST", "/film/_count", `{"query":{"terms":{"rating":[""]}}}`, 200, `"count":0`)
	w.want(t, sales, "POST", "/film/_count", `{"query":{"terms":{"year":`+listOf(query.MaxAnyTerms+1, func(int) string { return "1" })+`}}}`, 400, "lists of more than 65536 values")
	w.want(t, sales, "POST", "/film/_count", `{"query":{"terms":{"title":`+listOf(query.MaxClauses+1, func(int) string { return `"a"` })+`}}}`, 400, "more than 1024 clauses")
}

// A body may have 1 MiB.
func TestLargeBody(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	padded := func(size int) string { return `{"query":{"match_all":{}}}` + strings.Repeat(" ", size-26) }
	w.want(t, sales, "POST", "/film/_count", padded(1<<20), 200, `"count":2`)
	w.want(t, sales, "POST", "/film/_count", `{"query":{"bool":{"should":`+listOf(300, func(i int) string { return `{"match":{"title":"mad"}}` + strings.Repeat(" ", 3000) })+`}}}`, 200, `"count":`)
	long := strings.Repeat("a ", 10<<10)
	for name, query := range map[string]string{
		"one text":   `{"match_phrase":{"title":"` + strings.Repeat(long, 4) + `"}}`,
		"some texts": `{"bool":{"should":` + listOf(4, func(int) string { return `{"match_phrase":{"title":"` + long + `"}}` }) + `}}`,
		"a pattern":  `{"wildcard":{"title":"` + strings.Repeat("a*", 40<<10) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			w.want(t, sales, "POST", "/film/_count", `{"query":`+query+`}`, 400, "the texts of the query have more than 64 KiB")
		})
	}
	w.want(t, sales, "POST", "/film/_search", `{"_source":`+listOf(1025, func(int) string { return `"a*"` })+`}`, 400, "[_source] names more than 1024 fields")
	w.want(t, sales, "POST", "/film/_count", padded(1<<20+1), 413, "the body is larger than 1024 KiB")
}

// The requests of open scrolls are as large as 64 KiB each would be.
func TestScrollsOfLargeRequests(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	body := `{"size":1,"query":{"match_all":{}}}` + strings.Repeat(" ", 1<<20-64)
	for range maxOfToken * maxCursorBody / (1 << 20) {
		w.want(t, sales, "POST", "/film/_search?scroll=1m", body, 200, `"_scroll_id"`)
	}
	w.want(t, sales, "POST", "/film/_search?scroll=1m", body, 429, "with requests of 64 KiB on average")
	w.want(t, sales, "POST", "/film/_search?scroll=1m", `{"size":1}`, 200, `"_scroll_id"`)
	w.want(t, press, "POST", "/film/_search?scroll=1m", body, 200, `"_scroll_id"`)
}
