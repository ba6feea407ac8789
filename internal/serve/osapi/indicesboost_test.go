package osapi

import (
	"net/http"
	"testing"
)

func TestIndicesBoost(t *testing.T) {
	w := newShop(t)
	w.films(t)
	w.put(t, "actor", map[string]any{"id": 2, "name": "Red Zara", "year": 2006})
	for _, c := range []struct {
		path, boosts string
		status       int
		want         string
	}{
		{"/film/_search", `[{"film": 2.5}]`, 200, `"max_score":2.5`},
		{"/film/_search", `{"film": 2.5}`, 200, `"max_score":2.5`},
		{"/film/_search", `[{"actor": 7}, {"fi*": 3}, {"film": 2}]`, 200, `"max_score":3`},
		{"/film/_search", `{"_all": 4, "film": 2}`, 200, `"max_score":4`},
		{"/film/_search", `[{"film": 0}]`, 200, `"max_score":0`},
		{"/film/_search", `[{"nope*": 2}]`, 200, `"max_score":1`},
		{"/film/_search", `[]`, 200, `"max_score":1`},
		{"/film/_search", `[{"actor": -2}]`, 200, `"max_score":1`},
		{"/film,actor/_search", `[{"actor": 2}, {"film": 3}]`, 200, `"hits":[{"_id":"1","_index":"film","_score":3`},
		{"/film,actor/_search", `[{"actor": 4}]`, 200, `"hits":[{"_id":"1","_index":"actor","_score":4`},
		{"/film/_search?ignore_unavailable=true", `[{"nope": 2}]`, 200, `"max_score":1`},

		{"/film/_search", `[{"nope": 2}]`, 404, `"type":"index_not_found_exception"`},
		{"/film/_search", `{"film,actor": 2}`, 404, `"type":"index_not_found_exception"`},
		{"/film/_search", `[{"_nope": 2}]`, 400, `"type":"invalid_index_name_exception"`},
		{"/film/_search", `[{"film": -2}]`, 400, `"type":"illegal_argument_exception"`},
		{"/film/_search", `[{"film": "2"}]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `[{"film": null}]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `[{"film": [2]}]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `[{"film": 2, "actor": 3}]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `[{}]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `["film"]`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `"film"`, 400, `"type":"parsing_exception"`},
		{"/film/_search", `null`, 400, `"type":"parsing_exception"`},
	} {
		w.want(t, ops, http.MethodPost, c.path, `{"indices_boost": `+c.boosts+`}`, c.status, c.want)
	}
}
