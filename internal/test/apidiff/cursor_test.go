package apidiff

import (
	"encoding/json"
	"maps"
)

// answers sends a request to a server and returns its answer. What follows the first
// page is part of it: node is the node's answer to the first page, whose last hit both
// continue behind.
func (p *pair) answers(base string, r request) answer {
	switch r.kind {
	case "scroll":
		return p.scroll(base, r)
	case "point in time":
		return p.pointInTime(base, r)
	}
	return p.send(base, r.method, r.path, r.body)
}

const mostPages = 10

// scroll reads up to ten pages of a scroll. The answer is the first one with the hits
// of all.
func (p *pair) scroll(base string, r request) answer {
	first := p.send(base, r.method, r.path+"/_search?scroll=1m", r.body)
	for a, n := first, 1; a.status < 400 && n < mostPages && grow(first, a, n > 1); n++ {
		a = p.send(base, "POST", "/_search/scroll", text(obj{"scroll": "1m", "scroll_id": a.body["_scroll_id"]}))
		if a.status >= 400 {
			return a
		}
	}
	p.send(base, "DELETE", "/_search/scroll", text(obj{"scroll_id": first.body["_scroll_id"]}))
	return first
}

// pointInTime reads up to ten pages of a point in time.
func (p *pair) pointInTime(base string, r request) answer {
	opened := p.send(base, "POST", r.path+"/_search/point_in_time?keep_alive=1m", "")
	if opened.status >= 400 {
		return opened
	}
	body := decode(r.body)
	body["pit"] = obj{"id": opened.body["pit_id"], "keep_alive": "1m"}
	first := p.send(base, "POST", "/_search", text(body))
	for a, n := first, 1; a.status < 400 && n < mostPages && grow(first, a, n > 1); n++ {
		hits := items(a.body["hits"].(map[string]any)["hits"])
		body["search_after"] = hits[len(hits)-1]["sort"]
		if a = p.send(base, "POST", "/_search", text(body)); a.status >= 400 {
			return a
		}
	}
	p.send(base, "DELETE", "/_search/point_in_time", text(obj{"pit_id": list{opened.body["pit_id"]}}))
	if first.status >= 400 {
		return first
	}
	for _, hit := range items(first.body["hits"].(map[string]any)["hits"]) {
		if keys, _ := hit["sort"].([]any); len(decode(r.body)["sort"].([]any)) < len(keys) {
			hit["sort"] = keys[:len(keys)-1] // the node adds one of its own
		}
	}
	return first
}

// grow adds the hits of a page to the first one. It reports whether the page has any.
func grow(first, page answer, add bool) bool {
	hits, _ := page.body["hits"].(map[string]any)
	all, _ := first.body["hits"].(map[string]any)
	list, _ := hits["hits"].([]any)
	if add && len(list) > 0 {
		all["hits"] = append(all["hits"].([]any), list...)
	}
	return len(list) > 0
}

// next returns the request for what follows the last hit of an answer, if there is
// such a hit.
func next(r request, a answer) (request, bool) {
	hits, _ := a.body["hits"].(map[string]any)
	list := items(hits["hits"])
	if !r.pages || len(list) == 0 || list[len(list)-1]["sort"] == nil {
		return r, false
	}
	var exact struct {
		Hits struct {
			Hits []struct{ Sort json.RawMessage }
		}
	}
	if err := json.Unmarshal([]byte(a.text), &exact); err != nil {
		panic(err) // it was read before
	}
	body := maps.Clone(decode(r.body))
	body["search_after"] = exact.Hits.Hits[len(list)-1].Sort // as it is written: numbers of 64 bits
	r.body, r.pages = text(body), false
	return r, true
}
