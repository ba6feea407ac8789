package osapi

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/dsl"
	"indexerd/internal/serve/osapi/input"
)

// An indexBoost is a factor of the scores in the indices that a name or pattern means.
type indexBoost struct {
	name   string
	factor float64
}

// maxBoosts is how many indices indices_boost may name.
const maxBoosts = 64

// indicesBoost reads factors of the scores of indices. Of several for one index the first
// one counts. It runs after the query and the sort are known.
func (r *request) indicesBoost(text json.RawMessage, v url.Values, t *target) error {
	boosts, err := indexBoosts(text)
	if err != nil {
		return err
	}
	factors := map[string]float64{}
	for _, b := range boosts {
		names, err := t.meantBy(b.name, leniencyIn(v).missing)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, known := factors[name]; !known {
				factors[name] = b.factor
			}
		}
	}
	for _, name := range t.Tables {
		if factor, ok := factors[name]; ok && !(factor >= 0) {
			return input.ArgumentError("boost must be a positive float, got %g", factor)
		}
	}
	if len(t.Tables) != 1 {
		r.TableBoosts = factors
	} else if factor, ok := factors[t.Tables[0]]; ok && !r.alike {
		r.Node = dsl.Weighted(r.Node, factor)
	}
	return nil
}

// meantBy returns the indices that a name or pattern means.
func (t *target) meantBy(name string, lenient bool) ([]string, error) {
	if strings.HasPrefix(name, "_") && name != "_all" {
		return nil, input.Error("invalid_index_name_exception", "Invalid index name [%s], must not start with '_'.", query.Shorten(name))
	}
	all := t.engine.Tables(t.caller)
	switch {
	case name == "_all":
		return all, nil
	case strings.ContainsAny(name, `?[]\`):
		return nil, input.ParsingError("index [%s] is not supported: a pattern has * only", query.Shorten(name))
	case strings.Contains(name, "*"):
		return slices.DeleteFunc(slices.Clone(all), func(one string) bool {
			ok, _ := path.Match(name, one) // the pattern is valid
			return !ok
		}), nil
	case slices.Contains(all, name):
		return []string{name}, nil
	case lenient:
		return nil, nil
	}
	return nil, noIndex(name, all)
}

// indexBoosts reads an object of factors, or a list of objects with one each.
func indexBoosts(text json.RawMessage) ([]indexBoost, error) {
	if text[0] == '{' {
		return pairs(text)
	}
	var list []json.RawMessage
	if text[0] != '[' || json.Unmarshal(text, &list) != nil {
		return nil, input.ParsingError("Unknown key for a value in [indices_boost]: it is a list of objects, or an object")
	}
	var all []indexBoost
	for _, one := range list {
		some, err := pairs(one)
		if err != nil {
			return nil, err
		}
		if len(some) != 1 {
			return nil, input.ParsingError("an object in [indices_boost] has %d indices, not one", len(some))
		}
		all = append(all, some[0])
	}
	if len(all) > maxBoosts {
		return nil, input.ParsingError("[indices_boost] has %d indices, more than %d", len(all), maxBoosts)
	}
	return all, nil
}

// pairs reads an object of factors in the order in which it is written.
func pairs(text json.RawMessage) (all []indexBoost, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, input.ParsingError("[indices_boost] has a value that is no object")
	}
	for d.More() {
		key, _ := d.Token() // the text is valid
		value, _ := d.Token()
		factor, ok := value.(float64)
		if !ok {
			return nil, input.ParsingError("Expected a number in [indices_boost]")
		}
		if all = append(all, indexBoost{key.(string), factor}); len(all) > maxBoosts {
			return nil, input.ParsingError("[indices_boost] has more than %d indices", maxBoosts)
		}
	}
	return all, nil
}
