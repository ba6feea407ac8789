package osapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/input"
)

// inHeader are the keys of the header of a search in a _msearch. Those besides index
// change nothing here, or name missing indices that are left out.
var inHeader = []string{"index", "indices", "preference", "search_type", "request_cache", "ignore_unavailable", "ignore_throttled", "allow_no_indices", "expand_wildcards", "ccs_minimize_roundtrips", "allow_partial_search_results"}

// msearch answers several searches, each with an error of its own. They share the time
// and the size of one answer.
func (s server) msearch(c *call) (any, error) {
	began := time.Now()
	c.table = search.AllTables
	v := c.URL.Query()
	if err := checkURL(v, []string{"rest_total_hits_as_int", "search_type"}); err != nil {
		return nil, err
	}
	list, err := searchesIn(c.body)
	if err == nil {
		err = checkSearchType(v.Get("search_type"))
	}
	if err != nil {
		return nil, err
	}
	if flagIn(v, "rest_total_hits_as_int") {
		for _, one := range list {
			if err := one.countsAll(); err != nil {
				return nil, err
			}
		}
	}
	answers, room := make([]any, len(list)), maxHits
	for i, one := range list {
		a, err := s.searchOf(c, one, v, &room)
		if err != nil {
			e := httpapi.ErrorOf(err)
			answers[i] = errorBody(e)
			continue
		}
		a["status"] = http.StatusOK
		answers[i] = a
	}
	return map[string]any{"took": time.Since(began).Milliseconds(), "responses": answers}, nil
}

// A headed is a search of a _msearch with its header.
type headed struct {
	header map[string]json.RawMessage
	body   []byte
}

// countsAll returns an error if the search counts its matches up to a number only, which
// a total that is a number can't say.
func (h headed) countsAll() error {
	var b struct {
		UpTo json.RawMessage `json:"track_total_hits"`
	}
	var r request
	if json.Unmarshal(h.body, &b) != nil || b.UpTo == nil || r.track(b.UpTo) != nil || r.upTo == nil {
		return nil // what is wrong is an error of the search alone
	}
	return inexactTotal(*r.upTo)
}

// searchesIn reads lines of a header and a body in turns.
func searchesIn(text []byte) (list []headed, err error) {
	if len(text) == 0 {
		return nil, input.Error("parse_exception", "the body of a _msearch is required: it has to end with a newline")
	}
	if !bytes.HasSuffix(text, []byte("\n")) {
		return nil, input.ArgumentError("the body of a _msearch has to end with a newline")
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for len(lines) > 0 {
		one := headed{header: map[string]json.RawMessage{}}
		if len(bytes.TrimSpace(lines[0])) > 0 {
			if one.header, err = input.Object(lines[0], "header"); err != nil {
				return nil, err
			}
		}
		if err := input.Only(one.header, "header", inHeader...); err != nil {
			return nil, err
		}
		if len(lines) < 2 {
			return nil, input.Error(input.InvalidRequest, "the last search of the _msearch has a header and no body")
		}
		one.body, lines = lines[1], lines[2:]
		if list = append(list, one); len(list) > maxSearches {
			return nil, input.ParsingError("a _msearch has more than %d searches", maxSearches)
		}
	}
	return list, nil
}

// searchOf answers one search of a _msearch. v are the parameters of its URL.
func (s server) searchOf(c *call, one headed, v url.Values, room *int) (map[string]any, error) {
	index, err := one.index()
	if err != nil {
		return nil, err
	}
	item := *c
	item.body = one.body
	point, err := s.pointOf(&item)
	switch {
	case err != nil:
		return nil, err
	case point != "" && index != "":
		return nil, input.Error(input.InvalidRequest, "[indices] cannot be used with point in time: leave the index out of the header")
	case point != "":
		index = item.point.index
	case index == "":
		index = c.index()
	}
	t, err := s.target(index, c.caller, leniency{one.is("ignore_unavailable", "true"), one.is("allow_no_indices", "false")})
	if err != nil {
		return nil, err
	}
	t.room = room
	in := url.Values{}
	if text := one.header["search_type"]; text != nil {
		kind, err := input.Scalar(text, "search_type")
		if err == nil {
			err = checkSearchType(kind)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"rest_total_hits_as_int", "typed_keys"} {
		if v.Has(name) {
			in.Set(name, v.Get(name))
		}
	}
	return t.search(c, one.body, in, point)
}

// index returns the list of the indices that a header names, "" if it names none.
func (h headed) index() (string, error) {
	text := h.header["index"]
	if text == nil {
		text = h.header["indices"]
	}
	if text == nil || string(text) == "null" {
		return "", nil
	}
	list, err := input.Strings(text, "index")
	return strings.Join(list, ","), err
}

// is reports whether a value, which may be in quotes, is a word.
func (h headed) is(name, word string) bool {
	text := string(h.header[name])
	return text == word || text == `"`+word+`"`
}
