package osapi

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/input"
)

// A scrolled is a search that is read in pages, and how far it has come.
type scrolled struct {
	body []byte
	url  url.Values
	position
}

// A position is a place in the hits of a search. The zero position is before the first.
type position struct {
	after string // as in search.Params
	ended bool   // no hit follows
}

// beginScroll returns the first page of a scroll.
func (s server) beginScroll(c *call, t *target, v url.Values) (any, error) {
	keep, err := keepAlive(v.Get("scroll"), "scroll")
	if err != nil {
		return nil, err
	}
	switch {
	case c.point != nil:
		return nil, input.Error(input.InvalidRequest, "using [point in time] is not allowed in a scroll context")
	case v.Get("request_cache") == "true":
		return nil, input.Error(input.InvalidRequest, "[request_cache] cannot be used in a scroll context")
	}
	one := cursor{owner: c.owner(), index: c.index(), keep: keep, request: scrolled{body: c.body, url: v}}
	a, next, err := s.page(c, t, one.request)
	if err != nil {
		return nil, err
	}
	one.request.position = next
	opened, err := s.open.add(one)
	if err != nil {
		return nil, err
	}
	a["_scroll_id"] = opened.id
	return a, nil
}

// page returns the page of a scroll at a position, and the next position. The request
// is parsed again for each page, so it names only what its caller may see now.
func (s server) page(c *call, t *target, r scrolled) (map[string]any, position, error) {
	parsed, err := t.parse(r.body, r.url, inBody)
	switch {
	case err != nil:
		return nil, position{}, err
	case parsed.From > 0:
		return nil, position{}, input.Error(input.InvalidRequest, "using [from] is not allowed in a scroll context")
	case parsed.Size == 0:
		return nil, position{}, input.Error(input.InvalidRequest, "[size] cannot be [0] in a scroll context")
	case parsed.Behind != nil:
		return nil, position{}, input.Error(input.InvalidRequest, "[search_after] cannot be used in a scroll context")
	case parsed.Collapse != "":
		return nil, position{}, input.Error("search_exception", "cannot use `collapse` in a scroll context")
	}
	parsed.Caller, parsed.After, parsed.scrolled = c.caller, r.after, true
	if r.ended {
		parsed.Size = 0
	}
	if r.ended || r.after != "" {
		parsed.aggs, parsed.Aggs = nil, nil // the first page has them
	}
	a, next, err := t.answer(c.ctx, parsed)
	if r.ended {
		next = r.position
	}
	if len(next.after) > maxCursorText {
		return nil, next, input.ParsingError("the values by which the hits are sorted are too long for a scroll: sort by [_doc]")
	}
	return a, next, err
}

// inScroll are the parameters of a page of a scroll in the URL.
var inScroll = []string{"scroll", "scroll_id", "rest_total_hits_as_int"}

// scroll returns the next page of a scroll.
func (s server) scroll(c *call) (any, error) {
	v := c.URL.Query()
	if err := checkURL(v, inScroll); err != nil {
		return nil, err
	}
	ids, keepFor, err := scrollIn(c)
	if err != nil {
		return nil, err
	}
	if len(ids) != 1 {
		return nil, input.Error(input.InvalidRequest, "a page needs one [scroll_id], not %d", len(ids))
	}
	var keep time.Duration
	if keepFor != "" {
		if keep, err = keepAlive(keepFor, "scroll"); err != nil {
			return nil, err
		}
	}
	one, err := s.open.get(c.owner(), ids[0], false, keep)
	if err != nil {
		return nil, err
	}
	t, err := s.target(one.index, c.caller, leniencyIn(one.request.url))
	if err != nil {
		return nil, err
	}
	c.table = t.name()
	if v.Has("rest_total_hits_as_int") {
		one.request.url = maps.Clone(one.request.url)
		one.request.url.Set("rest_total_hits_as_int", v.Get("rest_total_hits_as_int"))
	}
	a, next, err := s.page(c, t, one.request)
	if err != nil {
		return nil, err
	}
	s.open.advance(one.id, one.request.position, next)
	a["_scroll_id"] = one.id
	return a, nil
}

// scrollIn reads the ids of scrolls, and the keep alive, from the body or the URL.
func scrollIn(c *call) (ids []string, keep string, err error) {
	v := c.URL.Query()
	keep = v.Get("scroll")
	for _, id := range []string{c.PathValue("scroll_id"), v.Get("scroll_id")} {
		if id != "" {
			ids = strings.Split(id, ",")
		}
	}
	if len(strings.TrimSpace(string(c.body))) == 0 {
		return ids, keep, nil
	}
	m, err := input.ObjectOf(c.body, "body", "scroll", "scroll_id")
	if err != nil {
		return nil, "", err
	}
	if m["scroll"] != nil {
		if keep, err = input.Scalar(m["scroll"], "scroll"); err != nil {
			return nil, "", err
		}
	}
	if m["scroll_id"] != nil {
		ids, err = input.Strings(m["scroll_id"], "scroll_id")
	}
	return ids, keep, err
}

// endScroll closes scrolls of the caller's token.
func (s server) endScroll(c *call) (any, error) {
	if err := checkURL(c.URL.Query(), inScroll); err != nil {
		return nil, err
	}
	ids, _, err := scrollIn(c)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, input.Error(input.InvalidRequest, "no scroll ids specified")
	}
	if len(ids) == 1 && ids[0] == "_all" {
		ids = nil
		for _, one := range s.open.of(c.owner(), false) {
			ids = append(ids, one.id)
		}
	}
	freed := 0
	for _, id := range ids {
		if len(id) > 0 && s.open.remove(c.owner(), id, false) {
			freed++
		}
	}
	answer := map[string]any{"succeeded": true, "num_freed": freed}
	if freed == 0 && len(ids) > 0 {
		return httpapi.NotFound{Body: answer}, nil
	}
	return answer, nil
}
