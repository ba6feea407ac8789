package osapi

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"indexerd/internal/serve/osapi/hits"
)

func TestHighlight(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	long := "First a word. " + strings.Repeat("Filler text. ", 30) + "Then the submarine dives. " + strings.Repeat("Filler text. ", 30) + "Two submarine words of a submarine."
	w.put(t, "film", map[string]any{"id": 7, "title": "long", "plot": long, "grp": "sales"})
	for name, c := range map[string]struct{ highlight, query, want string }{
		"default":                   {`{"fields":{"title":{}}}`, `{"match":{"title":"mad"}}`, `"highlight":{"title":["<em>mad</em> shark"]}`},
		"list of fields":            {`{"fields":[{"title":{}},{"plot":{}}]}`, `{"multi_match":{"query":"mad","fields":["title","plot"]}}`, `"highlight":{"plot":["A <em>mad</em> shark swims. Then it sleeps & dreams of <fish>."],"title":["<em>mad</em> shark"]}`},
		"pattern":                   {`{"fields":{"*":{}}}`, `{"match":{"title":"mad"}}`, `"highlight":{"title":["<em>mad</em> shark"]}`},
		"tags":                      {`{"pre_tags":["<b>","<i>"],"post_tags":"</b>","fields":{"title":{}}}`, `{"match":{"title":"mad"}}`, `["<b>mad</b> shark"]`},
		"tags of a field":           {`{"pre_tags":"x","fields":{"*":{},"title":{"pre_tags":["<b>"],"post_tags":["</b>"]}}}`, `{"match":{"title":"mad"}}`, `["<b>mad</b> shark"]`},
		"styled":                    {`{"tags_schema":"styled","fields":{"title":{}}}`, `{"match":{"title":"mad"}}`, `["<em class=\"hlt1\">mad</em> shark"]`},
		"encoder":                   {`{"encoder":"html","fields":{"plot":{}}}`, `{"match":{"plot":"dreams"}}`, `Then it sleeps &amp; <em>dreams</em> of &lt;fish&gt;.`},
		"fragment size":             {`{"fragment_size":18,"fields":{"plot":{}}}`, `{"match":{"plot":"mad"}}`, `["A <em>mad</em> shark swims."]`},
		"whole field":               {`{"number_of_fragments":0,"fields":{"plot":{"type":"plain"}}}`, `{"match":{"plot":"submarine"}}`, `["First a word. Filler`},
		"number":                    {`{"number_of_fragments":1,"fields":{"plot":{}}}`, `{"match":{"plot":"submarine"}}`, `["Filler text. Filler text. Filler text. Filler text. Filler text. Two <em>submarine</em> words of a <em>submarine</em>."]`},
		"in order":                  {`{"fragment_size":40,"fields":{"plot":{}}}`, `{"match":{"plot":"submarine"}}`, `["Then the <em>submarine</em> dives. Filler text.","Two <em>submarine</em> words of a <em>submarine</em>."]`},
		"by score":                  {`{"fragment_size":40,"order":"score","fields":{"plot":{"type":"fvh"}}}`, `{"match":{"plot":"submarine"}}`, `["Two <em>submarine</em> words of a <em>submarine</em>.","Then the <em>submarine</em> dives. Filler text."]`},
		"no match":                  {`{"fields":{"plot":{"no_match_size":14}}}`, `{"match":{"title":"mad"}}`, `"highlight":{"plot":["A mad shark"]}`},
		"no match and a short text": {`{"fields":{"plot":{"no_match_size":500}}}`, `{"match":{"title":"mad"}}`, `"highlight":{"plot":["A mad shark swims. Then it sleeps & dreams of <fish>."]}`},
		"other field":               {`{"fields":{"plot":{"require_field_match":false}}}`, `{"match":{"title":"mad"}}`, `"highlight":{"plot":["A <em>mad</em> shark swims. Then it sleeps & dreams of <fish>."]}`},
		"other query":               {`{"fields":{"title":{"highlight_query":{"match":{"title":"shark"}}}}}`, `{"match":{"title":"mad"}}`, `["mad <em>shark</em>"]`},
		"phrase":                    {`{"fields":{"title":{}}}`, `{"match_phrase":{"title":"mad shark"}}`, `["<em>mad</em> <em>shark</em>"]`},
		"filter":                    {`{"fields":{"title":{}}}`, `{"bool":{"filter":[{"match":{"title":"mad"}}]}}`, `["<em>mad</em> shark"]`},
		"must_not":                  {`{"fields":{"title":{}}}`, `{"bool":{"must":[{"match":{"title":"shark"}}],"must_not":[{"match":{"title":"secret"}}]}}`, `["mad <em>shark</em>"]`},
		"prefix":                    {`{"fields":{"title":{}}}`, `{"prefix":{"title":"sha"}}`, `["mad <em>shark</em>"]`},
		"fuzzy":                     {`{"fields":{"title":{}}}`, `{"match":{"title":{"query":"shaqk","fuzziness":1}}}`, `["mad <em>shark</em>"]`},
		"query string":              {`{"fields":{"*":{}}}`, `{"query_string":{"query":"title:mad OR plot:swims"}}`, `{"plot":["A mad shark <em>swims</em>. Then it sleeps & dreams of <fish>."],"title":["<em>mad</em> shark"]}`},
		"prefix of another field":   {`{"fields":{"plot":{"require_field_match":false}}}`, `{"prefix":{"title":"ma"}}`, `["A <em>mad</em> shark`},
		"no match at all":           {`{"fields":{"plot":{}}}`, `{"match":{"title":"mad"}}`, `"_source":{"title":"mad shark"}}]`},
		"unknown and hidden fields": {`{"fields":{"grp":{},"nothing":{},"rating":{}}}`, `{"match":{"title":"mad"}}`, `"_source":{"title":"mad shark"}}]`},
		"hidden document":           {`{"fields":{"*":{}}}`, `{"match":{"plot":"espionage"}}`, `"hits":[]`},

		"unknown option":          {`{"fields":{"title":{"matched_fields":["x"]}}}`, `{"match_all":{}}`, "[highlight.fields] does not support [matched_fields]"},
		"encoder of a field":      {`{"fields":{"title":{"encoder":"html"}}}`, `{"match_all":{}}`, "[highlight.fields] does not support [encoder]"},
		"unknown encoder":         {`{"encoder":"xml","fields":{"title":{}}}`, `{"match_all":{}}`, "encoder [xml] is not supported"},
		"unknown type":            {`{"type":"semantic","fields":{"title":{}}}`, `{"match_all":{}}`, "type [semantic] is not supported: write unified or plain or fvh"},
		"boundaries":              {`{"boundary_scanner":"chars","fields":{"title":{}}}`, `{"match_all":{}}`, "boundary_scanner [chars] is not supported"},
		"no object":               {`{"fields":1}`, `{"match_all":{}}`, "[highlight.fields]"},
		"many fragments":          {`{"number_of_fragments":1000,"fields":{"title":{}}}`, `{"match_all":{}}`, "more than 100 fragments"},
		"fragments below nothing": {`{"number_of_fragments":-1,"fields":{"title":{}}}`, `{"match_all":{}}`, "[number_of_fragments] is not a whole number"},
		"bad query":               {`{"fields":{"title":{"highlight_query":{"geo":{}}}}}`, `{"match_all":{}}`, "query [geo] is not supported"},
	} {
		status, got := w.ask(sales, "POST", "/film/_search", `{"_source":"title","query":`+c.query+`,"highlight":`+c.highlight+`}`)
		want := 200
		if !strings.ContainsAny(c.want, `"<`) {
			want = 400
		}
		if c.want == "[highlight.fields]" {
			want = 400
		}
		if status != want || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %d with %s", name, status, got, want, c.want)
		}
	}
}

// Matches are marked in several indices too, in the fields that each has.
func TestHighlightInSeveralIndices(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	body := `{"_source":false,"query":{"multi_match":{"query":"mark mad","fields":["title","name"]}},"highlight":{"fields":{"title":{},"name":{}}}}`
	got := w.want(t, sales, "POST", "/_search", body, 200, `"highlight":{"title":["<em>mad</em> shark"]}`)
	if want := `"highlight":{"name":["<em>Mark</em> Shark"]}`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFieldsOfHits(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`"fields":["title","year"],"_source":false`, 200, `"fields":{"title":["mad shark"],"year":[2005]}}`},
		{`"fields":["title","year"],"_source":["rating"]`, 200, `"_source":{"rating":"PG"},"fields":{"title":["mad shark"],"year":[2005]}}`},
		{`"fields":["ti*"],"_source":false`, 200, `"fields":{"title":["mad shark"],"title.keyword":["mad shark"]}}`},
		{`"fields":["released"],"_source":false`, 200, `"fields":{"released":["2005-01-02T03:04:05.678Z"]}`},
		{`"fields":[{"field":"released","format":"epoch_millis"},"colour"],"_source":false`, 200, `"fields":{"colour":[true],"released":["1104635045678"]}`},
		{`"docvalue_fields":[{"field":"released","format":"yyyy-MM-dd"},"year","title.keyword"],"_source":false`, 200, `"fields":{"released":["2005-01-02"],"title.keyword":["mad shark"],"year":[2005]}`},
		{`"docvalue_fields":["r*","title.*",{"field":"year","format":"#,##0.0"}],"_source":false`, 200, `"fields":{"rating":["PG"],"released":["2005-01-02T03:04:05.678Z"],"title.keyword":["mad shark"],"year":["2,005.0"]}`},
		{`"docvalue_fields":["*"]`, 400, "[docvalue_fields] on text field"},
		{`"docvalue_fields":[{"field":"released","format":"yyyy"}],"fields":[{"field":"released","format":"MMM d, yyyy h:mm a SSS"}],"_source":false`, 200, `"fields":{"released":["Jan 2, 2005 3:04 AM 678"]}`},
		{`"fields":["grp","nothing"],"_source":["year","grp"]`, 200, `"_score":0,"_source":{"year":2005}}`},
		{`"fields":["grp"],"_source":false`, 200, `"_index":"film","_score":0}`},
		{`"docvalue_fields":["title"]`, 400, "[docvalue_fields] on text field [title] is not supported"},
		{`"fields":[{"field":"year","format":"epoch_millis"}]`, 400, "Field [year] of type [double] doesn't support formats"},
		{`"fields":[{"field":"released","format":"QQQ"}]`, 400, "Invalid format: [QQQ] is not supported"},
		{`"fields":"title"`, 400, "[fields] is a list"},
		{`"fields":[{"field":"title","include_unmapped":true}]`, 400, "[fields] does not support [include_unmapped]"},
		{`"stored_fields":[]`, 200, `{"_id":"1","_index":"film","_score":0}`},
		{`"stored_fields":["title"]`, 200, `{"_id":"1","_index":"film","_score":0}`},
		{`"stored_fields":["title"],"_source":["year"]`, 200, `"_source":{"year":2005}}`},
		{`"stored_fields":["_source"],"fields":["year"]`, 200, `"rating":"PG"`},
		{`"stored_fields":["_source"],"_source":false`, 200, `"rating":"PG"`},
		{`"stored_fields":"_none_"`, 200, `[{"_index":"film","_score":0}]`},
		{`"stored_fields":"_none_","_source":true`, 400, "[stored_fields] cannot be disabled"},
		{`"version":true,"_source":false`, 200, `"_score":0,"_version":1000001}`},
		{`"version":"maybe"`, 400, "[version] is true or false"},
		{`"seq_no_primary_term":false`, 200, `"_id":"1"`},
		{`"seq_no_primary_term":true`, 400, "[seq_no_primary_term] is not supported"},
		{`"terminate_after":1,"size":0`, 200, `"terminated_early":false,"timed_out":false`},
		{`"terminate_after":"x"`, 400, "[terminate_after] is not a whole number"},
		{`"timeout":"2s"`, 200, `"_id":"1"`},
		{`"timeout":-1`, 200, `"_id":"1"`},
		{`"timeout":"1nanos"`, 504, "timeout_exception"},
		{`"timeout":"soon"`, 400, "[timeout] of soon can't be read"},
		{`"script_fields":{}`, 400, "[body] does not support [script_fields]"},
	} {
		w.want(t, sales, "POST", "/film/_search", `{"query":{"bool":{"filter":{"term":{"year":2005}}}},`+c.body+`}`, c.status, c.want)
	}
	w.want(t, sales, "GET", "/film/_search?size=1&_source=false&docvalue_fields=year,rating&version=true&explain=false&timeout=1s&terminate_after=9", "", 200, `"fields":{"rating":["PG"],"year":[2005]}`)
	w.want(t, sales, "GET", "/film/_search?size=1&stored_fields=_none_", "", 200, `[{"_index":"film","_score":1}]`)
	w.want(t, sales, "GET", "/film/_search?size=1&stored_fields=title&_source=year", "", 200, `"_source":{"year":2005}`)
	w.want(t, sales, "GET", "/film/_search?version=maybe", "", 400, "[version] is true or false")
}

// The tree of an explanation adds up to the score.
func TestExplanationAddsUp(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	body := `{"explain":true,"query":{"bool":{"should":[{"match":{"title":"mad shark"}},{"match":{"plot":"shark"}}]}}}`
	_, text := w.ask(sales, "POST", "/film/_search", body)
	var got struct {
		Hits struct {
			Hits []struct {
				Score       float64        `json:"_score"`
				Shard       string         `json:"_shard"`
				Explanation hits.Explained `json:"_explanation"`
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Hits.Hits) != 2 {
		t.Fatalf("got %s, want two hits", text)
	}
	for _, h := range got.Hits.Hits {
		if h.Shard != "[film][0]" || math.Abs(h.Explanation.Value-h.Score) > 1e-6 {
			t.Errorf("got shard %s and value %g, want that of the score %g", h.Shard, h.Explanation.Value, h.Score)
		}
		checkSums(t, h.Explanation)
	}
	if d := got.Hits.Hits[0].Explanation; d.Description != "sum of:" || len(d.Details) != 3 || !strings.HasPrefix(d.Details[0].Description, "weight(title:mad)") {
		t.Errorf("got %+v, want three parts, the greatest first", d)
	}
	w.want(t, sales, "POST", "/film/_search", `{"explain":true,"sort":["year"],"size":1}`, 200, `"description":"no score, since the hits are sorted by a field"`)
	w.want(t, sales, "POST", "/film/_search", `{"explain":true,"size":1}`, 200, `"_explanation":{"value":1,"description":"ConstantScore(*:*)","details":[]}`)
}

// checkSums checks each sum and each product of an explanation.
func checkSums(t *testing.T, e hits.Explained) {
	t.Helper()
	sum, product := 0.0, 1.0
	for _, d := range e.Details {
		sum, product = sum+d.Value, product*d.Value
		checkSums(t, d)
	}
	if strings.HasPrefix(e.Description, "sum of:") && math.Abs(sum-e.Value) > 1e-6 {
		t.Errorf("got a sum of %g, want %g: %+v", sum, e.Value, e)
	}
	if strings.Contains(e.Description, "computed as boost * idf * tf") && math.Abs(product-e.Value) > 1e-6 {
		t.Errorf("got a product of %g, want %g: %+v", product, e.Value, e)
	}
}
