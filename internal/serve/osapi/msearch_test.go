package osapi

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMultiSearch(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	body := strings.Join([]string{
		`{"index":"film"}`, `{"query":{"match":{"title":"mad"}}}`,
		`{}`, `{"query":{"match":{"name":"shark"}},"_source":false}`,
		``, `{"size":0}`,
		`{"index":["film","actor"],"preference":"x","search_type":"query_then_fetch"}`, `{"size":0}`,
		`{"index":"book"}`, `{}`,
		`{"index":"film,book","ignore_unavailable":true}`, `{"size":0}`,
		`{"index":"film"}`, `{"query":{"geo_shape":{}}}`,
		`{"index":"film"}`, `{"query":{"match":{"title":"secret"}}}`,
		`{"index":"film"}`, `not json`,
		`{"index":"film","search_type":"scan"}`, `{}`,
	}, "\n") + "\n"
	status, text := w.ask(sales, "POST", "/actor/_msearch", body)
	var got struct{ Responses []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &got); err != nil || status != 200 {
		t.Fatalf("got %d %s", status, text)
	}
	wants := []string{
		`"_id":"1"`, `"_index":"actor"`, `"total":{"relation":"eq","value":1}`, `"total":{"relation":"eq","value":3}`, `"type":"index_not_found_exception"`,
		`"value":2`, `query [geo_shape] is not supported`, `"hits":[]`, `[body] is not a JSON object`, "search_type [scan]",
	}
	if len(got.Responses) != len(wants) {
		t.Fatalf("got %d answers, want %d: %s", len(got.Responses), len(wants), text)
	}
	for i, want := range wants {
		ok := `"status":200`
		switch {
		case i == 4:
			ok = `"status":404`
		case strings.Contains(want, "["):
			ok = `"status":400`
		}
		if i == 7 {
			ok = `"status":200`
		}
		if one := string(got.Responses[i]); !strings.Contains(one, want) || !strings.Contains(one, ok) {
			t.Errorf("answer %d: got %s, want %s and %s", i, one, want, ok)
		}
	}
}

func TestMultiSearchRequests(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for _, c := range []struct{ body, want string }{
		{"", "end with a newline"},
		{`{}`, "end with a newline"},
		{"\n", "a header and no body"},
		{"{}\n{}\n{}\n", "a header and no body"},
		{`{"routing":"x"}` + "\n{}\n", "[header] does not support [routing]"},
		{"[]\n{}\n", "[header] is not a JSON object"},
		{strings.Repeat("{}\n{\"size\":0}\n", maxSearches+1), "more than 64 searches"},
	} {
		w.want(t, sales, "POST", "/film/_msearch", c.body, 400, c.want)
	}
	w.want(t, sales, "POST", "/film/_msearch", strings.Repeat("{}\n{\"size\":0}\n", maxSearches), 200, `"responses"`)
	w.want(t, sales, "GET", "/film/_msearch?size=1", "{}\n{}\n", 400, "URL parameter [size] is not supported")
	w.want(t, sales, "POST", "/film/_msearch?typed_keys=true&rest_total_hits_as_int=true", "{}\n{\"size\":0}\n", 200, `"total":2}`)
}

// The answers of one request share the bytes of one answer.
func TestMultiSearchIsBounded(t *testing.T) {
	w := newWorld(t)
	w.put(t, "film", map[string]any{"id": 1, "plot": strings.Repeat("x", 1_800_000), "grp": "sales"})
	got := w.want(t, sales, "POST", "/film/_msearch", strings.Repeat("{}\n{}\n", 9), 200, "the hits are larger than 4 MiB")
	if len(got) > maxHits+64<<10 {
		t.Errorf("got %d bytes, want at most about %d", len(got), maxHits)
	}
}
