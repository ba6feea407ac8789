package dsl

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/mapping"
)

var dslFields = mapping.Index{
	{Name: "title", Type: mapping.Text}, {Name: "title", Type: mapping.Keyword}, {Name: "year", Type: mapping.Double}, {Name: "seen", Type: mapping.Date}, {Name: "cast", Type: mapping.Text, Child: true},
}

func translated(body string) (query.Node, error) {
	now := time.Date(2024, 3, 31, 12, 34, 56, 0, time.UTC)
	tr := Translator{Scope: &Scope{Index: dslFields}, now: now}
	return tr.Node(json.RawMessage(body))
}

// Each query becomes the node whose text is given.
func TestTranslation(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"match":{"title":"mad shark"}}`, `searched(atleast[1](title:mad OR title:shark) else -*)`},
		{`{"match":{"title":{"query":"don't 3.5 a,b","operator":"and"}}}`, `searched(title:don't title:3.5 title:a title:b else -*)`},
		{`{"match":{"title.keyword":"Mad"}}`, `score[1](title:=exact["Mad"])`},
		{`{"match":{"title":{"query":"x","fuzziness":"AUTO","boost":2}}}`, `boost[2](searched(atleast[1](title:similar["x" 0 3 6 0 50 false true]) else -*))`},
		{`{"match_phrase":{"title":{"query":"a b","slop":2}}}`, `searched(title:"a b"~2 else -*)`},
		{`{"match_phrase_prefix":{"title":"a b"}}`, `searched(title:"a b"*50 else -*)`},
		{`{"match_bool_prefix":{"title":"a b"}}`, `searched(atleast[1](title:a OR score[1](title:b*)) else -*)`},
		{`{"multi_match":{"query":"2005","fields":["title^2","y*"]}}`, `dismax[0](boost[2](searched(atleast[1](title:2005) else -*)) OR score[1](year:["2005" TO "2005"]))`},
		{`{"term":{"title":{"value":"Mad","case_insensitive":true}}}`, `score[1](title:exact["Mad"i])`},
		{`{"terms":{"title":["a","b"],"boost":2}}`, `boost[2](score[1](title:exact["a"] OR title:exact["b"]))`},
		{`{"exists":{"field":"title*"}}`, `score[1](title:* OR title:=*)`},
		{`{"wildcard":{"title":"a*"}}`, `score[1](title:wildcard["a*"])`},
		{`{"range":{"seen":{"gte":"now-1M/M","lt":"now/d"}}}`, `score[1](seen:<"2024-03-31T00:00:00.000Z")`},
		{`{"range":{"title":{"gt":"a"}}}`, `score[1](title:terms{"a" TO *[)`},
		{`{"bool":{"must":{"match_all":{}},"filter":{"match_all":{}},"should":{"match_all":{}},"must_not":{"match_all":{}}}}`, `* score[0](*) optional(*) -*`},
		{`{"dis_max":{"queries":[{"match_all":{}},{"match_none":{}}],"tie_breaker":0.5}}`, `dismax[0.5](* OR -*)`},
		{`{"nested":{"path":"cast","query":{"match":{"cast":"joe"}}}}`, `score[1](nested[cast](searched(atleast[1](cast:joe) else -*)))`},
		{`{"nested":{"path":"cast","query":{"match":{"title":"joe"}},"score_mode":"none"}}`, `score[0](nested[cast](-*))`},
		{`{"query_string":{"query":"a AND -b","default_field":"title"}}`, `searched(atleast[1](title:a) -atleast[1](title:b) else -*)`},
		{`{"simple_query_string":{"query":"a + b | c","fields":["title"]}}`, `searched(atleast[1](atleast[1](title:a) atleast[1](title:b) OR atleast[1](title:c)) else -*)`},
		{`{"boosting":{"positive":{"match_all":{}},"negative":{"match_none":{}},"negative_boost":0.5}}`, `reweighted[multiply multiply 0](*, 0.5 if -*)`},
	} {
		n, err := translated(c.body)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
		} else if n.String() != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.body, n, c.want)
		}
	}
}

// What is not supported is refused by its name.
func TestRefusals(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"geo_distance":{}}`, "query [geo_distance] is not supported"},
		{`{"mtach":{"title":"x"}}`, "did you mean [match]?"},
		{`{"match":{"title":{"query":"x","analyzer":"english"}}}`, "[match] does not support [analyzer]"},
		{`{"prefix":{"title":{"value":"x","rewrite":"scoring_boolean"}}}`, "rewrite [scoring_boolean] is not supported"},
		{`{"regexp":{"title":"a&b"}}`, "an intersection is not supported"},
		{`{"regexp":{"title":"<1-5>"}}`, "an interval is not supported"},
		{`{"regexp":{"title":{"value":"a","flags":"INTERSECTION"}}}`, "flags [intersection] is not supported"},
		{`{"range":{"seen":{"gte":"2006","format":"ww"}}}`, "date format [ww] is not supported"},
		{`{"range":{"year":{"gte":1,"relation":"disjoint"}}}`, "relation [disjoint] is not supported"},
		{`{"nested":{"path":"cast","query":{"match_all":{}},"inner_hits":{}}}`, "[nested] does not support [inner_hits]"},
		{`{"nested":{"path":"cast","query":{"nested":{"path":"cast","query":{"match_all":{}}}}}}`, "[nested] in [nested] is not supported"},
		{`{"nested":{"path":"cast","query":{"ids":{"values":[1]}}}}`, "[ids] in [nested] is not supported"},
		{`{"function_score":{"script_score":{}}}`, "[function_score] does not support [script_score]"},
		{`{"function_score":{"random_score":{}}}`, "[function_score] does not support [random_score]"},
		{`{"function_score":{"min_score":1}}`, "[function_score] does not support [min_score]"},
		{`{"query_string":{"query":"x","analyzer":"english"}}`, "[query_string] does not support [analyzer]"},
		{`{"terms":{"title":{"index":"film"}}}`, "a lookup in another index is not supported"},
		{`{"match":{"title":{"query":"x","slop":1}}}`, "[match] does not support [slop]"},
		{`{"match_phrase":{"title":{"query":"x","slop":101}}}`, "slop is a whole number from 0 to 100"},
		{`{"query_string":{"query":"` + strings.Repeat("x", 9000) + `"}}`, "more than 8192"},
		{`{"query_string":{"query":"` + strings.Repeat("(", 40) + strings.Repeat(")", 40) + `"}}`, "nested deeper than 32"},
		{`{"match":{"title":{"query":"` + strings.Repeat("x ", 300) + `","fuzziness":1}}}`, "more than 256 words with a fuzziness"},
		{`{"regexp":{"title":"` + strings.Repeat("x", 1001) + `"}}`, "more than 1000"},
	} {
		if n, err := translated(c.body); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s: got %v, %v, want the error %s", c.body, n, err, c.want)
		}
	}
}
