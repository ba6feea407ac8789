package osapi

import (
	"fmt"
	"testing"
)

// A hit has the names of the queries that it matches, of several with one name the
// last one's.
func TestNamedQueries(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	many := ""
	for i := range 33 {
		many += fmt.Sprintf(`{"match_all":{"_name":"n%d"}},`, i)
	}
	for _, c := range []struct {
		query, post string
		status      int
		want        string
	}{
		{`{"match":{"title":{"query":"shark","_name":"word"}}}`, "", 200, `"matched_queries":["word"]`},
		{`{"match_all":{}}`, `{"term":{"year":{"value":2005,"_name":"post"}}}`, 200, `"matched_queries":["post"]`},
		{`{"bool":{"should":[{"term":{"year":{"value":2005,"_name":"old"}}},{"exists":{"field":"year","_name":"dated"}},{"exists":{"field":"nothing","_name":"none"}}]}}`, "", 200, `"matched_queries":["old","dated"]`},
		{`{"bool":{"must":{"constant_score":{"filter":{"terms":{"year":[2005],"_name":"inner"}}}},"must_not":{"ids":{"values":["9"],"_name":"not"}},"_name":"outer"}}`, "", 200, `"matched_queries":["inner","outer"]`},
		{`{"bool":{"should":[{"term":{"year":{"value":2005,"_name":"x"}}},{"term":{"year":{"value":2006,"_name":"x"}}}]}}`, `{"term":{"year":2005}}`, 200, `{"title":"mad shark"}}]`},
		{`{"query_string":{"query":"mad","_name":"text"}}`, "", 200, `"matched_queries":["text"]`},
		{`{"match_all":{"_name":["x"]}}`, "", 400, "[match_all] is not text"},
		{`{"bool":{"should":[` + many + `{"match_all":{}}]}}`, "", 400, "more than 32 queries have a [_name]"},
	} {
		post := ""
		if c.post != "" {
			post = `,"post_filter":` + c.post
		}
		w.want(t, sales, "POST", "/film/_search", `{"_source":"title","query":`+c.query+post+`}`, c.status, c.want)
	}
	w.want(t, sales, "POST", "/film,actor/_search", `{"_source":false,"query":{"term":{"year":{"value":1970,"_name":"born"}}}}`, 200, `"_index":"actor","_score":1,"matched_queries":["born"]`)
}
