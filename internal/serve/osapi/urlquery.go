package osapi

import (
	"encoding/json"
	"net/url"

	"indexerd/internal/serve/osapi/input"
)

// queryIn returns the query of the URL, nil if it has none: q is a query_string, with
// the field df and the operator default_operator.
func queryIn(v url.Values) (json.RawMessage, error) {
	if !v.Has("q") {
		for _, name := range []string{"df", "default_operator"} {
			if v.Has(name) {
				return nil, input.ArgumentError("URL parameter [%s] needs [q]", name)
			}
		}
		return nil, nil
	}
	options := map[string]string{"query": v.Get("q")}
	if v.Has("df") {
		options["default_field"] = v.Get("df")
	}
	if v.Has("default_operator") {
		options["default_operator"] = v.Get("default_operator")
	}
	return encode(map[string]any{"query_string": options})
}

// flagIn reports whether a flag is set. One without a value is.
func flagIn(v url.Values, name string) bool { return v.Has(name) && v.Get(name) != "false" }

// onlyQuery returns the parameters of a query.
func onlyQuery(v url.Values) url.Values {
	some := url.Values{}
	for _, name := range queryInURL {
		if v.Has(name) {
			some.Set(name, v.Get(name))
		}
	}
	return some
}
