package osapi

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// A pageOfHits is what the tests read of an answer.
type pageOfHits struct {
	Scroll string `json:"_scroll_id"`
	Point  string `json:"pit_id"`
	Hits   struct {
		Hits []struct {
			Index string `json:"_index"`
			ID    string `json:"_id"`
			Sort  []any
		}
	}
}

func (w *world) page(t *testing.T, token, method, path, body string) pageOfHits {
	t.Helper()
	status, text := w.ask(token, method, path, body)
	var p pageOfHits
	if err := json.Unmarshal([]byte(text), &p); err != nil || status != 200 {
		t.Fatalf("%s %s: got %d %s", method, path, status, text)
	}
	return p
}

// scrollAll returns the keys of all pages of a scroll, in order.
func (w *world) scrollAll(t *testing.T, token, path, body string) (keys []string) {
	t.Helper()
	p := w.page(t, token, "POST", path, body)
	for id := p.Scroll; len(p.Hits.Hits) > 0; {
		for _, h := range p.Hits.Hits {
			keys = append(keys, h.Index+"/"+h.ID)
		}
		p = w.page(t, token, "POST", "/_search/scroll", `{"scroll":"1m","scroll_id":"`+id+`"}`)
		if p.Scroll != id {
			t.Fatalf("got scroll id %s, want %s, as clients keep the first", p.Scroll, id)
		}
	}
	return keys
}

func TestScrollReadsEachDocumentOnce(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	w.numbered(t, 10, 95)
	for name, c := range map[string]struct {
		token, path, body string
		n                 int
	}{
		"by score":          {sales, "/film/_search?scroll=1m", `{"size":10,"query":{"match":{"title":"shark numbered"}}}`, 97},
		"by key":            {sales, "/film/_search?scroll=1m", `{"size":7,"sort":["_doc"]}`, 97},
		"by a field":        {sales, "/film/_search?scroll=1m", `{"size":10,"sort":[{"year":"desc"}]}`, 97},
		"by two fields":     {ops, "/film/_search?scroll=1m", `{"size":33,"sort":[{"year":"desc"},"title.keyword"]}`, 98},
		"in two indices":    {sales, "/_search?scroll=1m", `{"size":10,"sort":["year"]}`, 98},
		"all in one page":   {ops, "/film/_search?scroll=1m&size=98", ``, 98},
		"none":              {guest, "/film/_search?scroll=1m", ``, 0},
		"a query of no one": {sales, "/film/_search?scroll=1m", `{"query":{"match":{"title":"secret"}}}`, 0},
	} {
		keys := w.scrollAll(t, c.token, c.path, c.body)
		if len(keys) != c.n || len(slices.Compact(slices.Sorted(slices.Values(keys)))) != c.n {
			t.Errorf("%s: got %d hits, %d of them distinct, want %d", name, len(keys), len(slices.Compact(slices.Sorted(slices.Values(keys)))), c.n)
		}
	}
}

// Rows that change between two pages neither repeat nor hide others.
func TestScrollIsStableForWhatIsNotWritten(t *testing.T) {
	w := newWorld(t)
	w.numbered(t, 10, 30)
	p := w.page(t, sales, "POST", "/film/_search?scroll=1m", `{"size":10,"sort":["_doc"]}`)
	w.numbered(t, 1, 5)     // before the first page
	w.remove(t, "film", 12) // in the first page
	w.remove(t, "film", 25) // in the second page
	w.numbered(t, 1000, 1)  // behind the last
	var got []string
	for len(p.Hits.Hits) > 0 {
		for _, h := range p.Hits.Hits {
			got = append(got, h.ID)
		}
		p = w.page(t, sales, "GET", "/_search/scroll?scroll=1m&scroll_id="+p.Scroll, "")
	}
	var want []string
	for i := 10; i < 40; i++ {
		if i != 25 {
			want = append(want, fmt.Sprint(i))
		}
	}
	if want = append(want, "1000"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A scroll finds for each page what its caller may see then.
func TestScrollLooksAtRightsForEachPage(t *testing.T) {
	w := newWorld(t)
	w.numbered(t, 10, 30)
	p := w.page(t, sales, "POST", "/film/_search?scroll=1m", `{"size":10,"sort":["_doc"]}`)
	w.put(t, "film", map[string]any{"id": 20, "title": "numbered 20", "grp": "boss"}) // sales lost it
	p = w.page(t, sales, "POST", "/_search/scroll", `{"scroll_id":"`+p.Scroll+`"}`)
	if first := p.Hits.Hits[0].ID; first != "21" {
		t.Errorf("got key %s, want 21: sales may not see 20 any more", first)
	}
}

func TestCursorsBelongToAToken(t *testing.T) {
	w := newWorld(t)
	w.numbered(t, 10, 30)
	scroll := w.page(t, sales, "POST", "/film/_search?scroll=1m", "").Scroll
	_, text := w.ask(sales, "POST", "/film/_search/point_in_time?keep_alive=1m", "")
	var point pageOfHits
	if err := json.Unmarshal([]byte(text), &point); err != nil || point.Point == "" {
		t.Fatalf("got %s, want a point in time", text)
	}
	inPoint := `{"pit":{"id":"` + point.Point + `"}}`
	for _, foreign := range []string{ops, press, guest} {
		w.want(t, foreign, "POST", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 404, `"search_context_missing_exception"`)
		w.want(t, foreign, "DELETE", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 404, `"num_freed":0`)
		w.want(t, foreign, "DELETE", "/_search/scroll/_all", "", 200, `"num_freed":0`)
		w.want(t, foreign, "POST", "/_search", inPoint, 404, `"search_context_missing_exception"`)
		w.want(t, foreign, "GET", "/_search/point_in_time/_all", "", 200, `"pits":[]`)
		w.want(t, foreign, "DELETE", "/_search/point_in_time", `{"pit_id":["`+point.Point+`"]}`, 404, `"successful":false`)
		w.want(t, foreign, "DELETE", "/_search/point_in_time/_all", "", 200, `"pits":[]`)
	}
	w.want(t, sales, "POST", "/_search/scroll", `{"scroll_id":"`+point.Point+`"}`, 404, "search_context_missing_exception") // no scroll
	w.want(t, sales, "POST", "/_search", `{"pit":{"id":"`+scroll+`"}}`, 404, "search_context_missing_exception")            // no point
	w.want(t, sales, "POST", "/_search", inPoint, 200, `"pit_id":"`+point.Point+`"`)
	w.want(t, sales, "GET", "/_search/point_in_time/_all", "", 200, `"keep_alive":60000,"pit_id":"`+point.Point+`"`)
	w.want(t, sales, "DELETE", "/_search/point_in_time", `{"pit_id":"`+point.Point+`"}`, 200, `{"pits":[{"pit_id":"`+point.Point+`","successful":true}]}`)
	w.want(t, sales, "POST", "/_search", inPoint, 404, "search_context_missing_exception")
	w.want(t, sales, "DELETE", "/_search/scroll/"+scroll, "", 200, `{"num_freed":1,"succeeded":true}`)
	w.want(t, sales, "POST", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 404, "search_context_missing_exception")
}

func TestPointInTimeIsPagedBySearchAfter(t *testing.T) {
	w := newWorld(t)
	w.numbered(t, 10, 25)
	_, text := w.ask(sales, "POST", "/film/_search/point_in_time?keep_alive=1m", "")
	var opened pageOfHits
	if err := json.Unmarshal([]byte(text), &opened); err != nil {
		t.Fatal(err)
	}
	for _, sort := range []string{`["_shard_doc"]`, `["year","_shard_doc"]`, `[{"year":"desc"},{"_id":"asc"}]`} {
		seen, after := map[string]bool{}, ""
		for {
			p := w.page(t, sales, "POST", "/_search", `{"size":10,"pit":{"id":"`+opened.Point+`","keep_alive":"2m"},"sort":`+sort+after+`}`)
			if len(p.Hits.Hits) == 0 {
				break
			}
			for _, h := range p.Hits.Hits {
				if seen[h.ID] {
					t.Fatalf("sort %s: got %s twice", sort, h.ID)
				}
				seen[h.ID] = true
			}
			values, err := json.Marshal(p.Hits.Hits[len(p.Hits.Hits)-1].Sort)
			if err != nil {
				t.Fatal(err)
			}
			after = `,"search_after":` + string(values)
		}
		if len(seen) != 25 {
			t.Errorf("sort %s: got %d hits, want 25", sort, len(seen))
		}
	}
}

func TestCursorsExpire(t *testing.T) {
	w := newWorld(t)
	w.numbered(t, 10, 30)
	now := time.Now()
	w.open.now = func() time.Time { return now }
	scroll := w.page(t, sales, "POST", "/film/_search?scroll=1m", "").Scroll
	now = now.Add(59 * time.Second)
	w.want(t, sales, "POST", "/_search/scroll", `{"scroll":"10m","scroll_id":"`+scroll+`"}`, 200, `"_id"`)
	now = now.Add(9 * time.Minute)
	w.want(t, sales, "POST", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 200, `"_id"`) // does not extend it
	now = now.Add(time.Minute)
	w.want(t, sales, "POST", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 404, "No search context found for id ["+scroll+"]")
	w.want(t, sales, "DELETE", "/_search/scroll", `{"scroll_id":"`+scroll+`"}`, 404, `"num_freed":0`)
}

func TestCursorsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	now := time.Now()
	w.open.now = func() time.Time { return now }
	for range maxOfToken {
		w.want(t, sales, "POST", "/film/_search/point_in_time?keep_alive=1m", "", 200, "pit_id")
	}
	w.want(t, sales, "POST", "/film/_search/point_in_time?keep_alive=1m", "", 429, "rejected_execution_exception")
	w.want(t, sales, "POST", "/film/_search?scroll=1m", "", 429, "a token may have 100")
	w.want(t, press, "POST", "/film/_search?scroll=1m", "", 200, "_scroll_id") // others are not affected
	now = now.Add(time.Minute)
	w.want(t, sales, "POST", "/film/_search/point_in_time?keep_alive=1m", "", 200, "pit_id") // the others expired
	if n := len(w.open.open); n != 1 {
		t.Errorf("got %d cursors in memory, want 1", n)
	}
}

// Large hits make a page of a scroll shorter, so that no request of a client fails.
func TestScrollOfLargeHits(t *testing.T) {
	w := newWorld(t)
	large := strings.Repeat("x", 1_200_000)
	for i := range 6 {
		w.put(t, "film", map[string]any{"id": i, "plot": large, "grp": "sales"})
	}
	w.want(t, sales, "POST", "/film/_search", "", 400, "the hits are larger than 4 MiB")
	if keys := w.scrollAll(t, sales, "/film/_search?scroll=1m", `{"sort":["_doc"]}`); len(keys) != 6 {
		t.Errorf("got %d hits, want 6", len(keys))
	}
}

func TestCursorRequests(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/film/_search?scroll=soon", "", 400, "[scroll] of soon can't be read"},
		{"POST", "/film/_search?scroll=", "", 400, "[scroll]"},
		{"POST", "/film/_search?scroll=0s", "", 400, "not longer than 0"},
		{"POST", "/film/_search?scroll=25h", "", 400, "longer than a day"},
		{"POST", "/film/_search?scroll=1m", `{"from":1}`, 400, "using [from] is not allowed in a scroll context"},
		{"POST", "/film/_search?scroll=1m", `{"size":0}`, 400, "[size] cannot be [0] in a scroll context"},
		{"POST", "/film/_search?scroll=1m", `{"sort":["year"],"search_after":[1]}`, 400, "[search_after] cannot be used in a scroll context"},
		{"POST", "/book/_search?scroll=1m", ``, 404, "index_not_found_exception"},
		{"POST", "/film/_search?search_type=scan", ``, 400, "search_type [scan] is not supported"},
		{"POST", "/_search/scroll", `{}`, 400, "a page needs one [scroll_id]"},
		{"POST", "/_search/scroll", `{"scroll_id":["a","b"]}`, 400, "a page needs one [scroll_id]"},
		{"POST", "/_search/scroll", `{"scroll_id":"made up","scroll":"1m"}`, 404, "search_context_missing_exception"},
		{"POST", "/_search/scroll?size=1", `{"scroll_id":"x"}`, 400, "URL parameter [size] is not supported"},
		{"GET", "/_search/scroll/made_up", ``, 404, "search_context_missing_exception"},
		{"DELETE", "/_search/scroll", ``, 400, "no scroll ids specified"},
		{"DELETE", "/_search/scroll", `{"scroll_id":["a","b"]}`, 404, `"num_freed":0`},
		{"POST", "/film/_search/point_in_time", ``, 400, "[keep_alive]"},
		{"POST", "/book/_search/point_in_time?keep_alive=1m", ``, 404, "index_not_found_exception"},
		{"POST", "/_search", `{"pit":{"id":"made up"}}`, 404, "search_context_missing_exception"},
		{"POST", "/film/_search", `{"pit":{"id":"x"}}`, 400, "[indices] cannot be used with point in time"},
		{"POST", "/_search", `{"\u0070it":{"id":"x"}}`, 404, "search_context_missing_exception"}, // the same key, written in another way
		{"POST", "/_search", `{"pit":{}}`, 400, "[pit.id]"},
		{"POST", "/_search", `{"pit":{"id":"x","slice":1}}`, 400, "[pit] does not support [slice]"},
		{"POST", "/_count", `{"pit":{"id":"x"}}`, 400, "[body] does not support [pit]"},
		{"DELETE", "/_search/point_in_time", ``, 400, "the body needs [pit_id]"},
	} {
		w.want(t, sales, c.method, c.path, c.body, c.status, c.want)
	}
}

func TestScrollOfAnOldClientHasAPlainTotal(t *testing.T) {
	w := newWorld(t)
	w.films(t)
	_, text := w.ask(sales, "POST", "/film/_search?scroll=1m&size=1&rest_total_hits_as_int=true", "")
	var p struct {
		Scroll string `json:"_scroll_id"`
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Scroll == "" {
		t.Fatalf("got %s, want a scroll", text)
	}
	w.want(t, sales, "GET", "/_search/scroll?"+url.Values{"scroll_id": {p.Scroll}, "rest_total_hits_as_int": {"true"}}.Encode(), "", 200, `"total":2}`)
	w.want(t, sales, "GET", "/_search/scroll/"+p.Scroll, "", 200, `"hits":[]`)
}
