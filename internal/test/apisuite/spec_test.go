package apisuite

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An api is how a call becomes a request.
type api struct {
	URL struct {
		Paths []struct {
			Path       string
			Methods    []string
			Parts      map[string]any
			Deprecated any
		}
	}
}

// apis reads the descriptions of all calls.
func apis(dir string) (map[string]api, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]api{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var some map[string]json.RawMessage
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for call, v := range some {
			var one api
			if call[0] != '_' && json.Unmarshal(v, &one) == nil {
				all[call] = one
			}
		}
	}
	return all, nil
}

// A message is one HTTP request.
type message struct{ method, path, body string }

// message returns the request of a call: that of the path which has the most of the
// parameters as its parts.
func (a api) message(params map[string]any) (message, error) {
	best, path, method := -1, "", ""
	var parts []string
	for _, p := range a.URL.Paths {
		var names []string
		missing := false
		for name := range p.Parts {
			names = append(names, name)
			missing = missing || params[name] == nil
		}
		if missing || len(names) <= best {
			continue
		}
		best, path, parts, method = len(names), p.Path, names, p.Methods[0]
		if params["body"] != nil && slices.Contains(p.Methods, "POST") && method != "PUT" {
			method = "POST"
		}
	}
	if best < 0 {
		return message{}, fmt.Errorf("no path has the parameters %v", params)
	}
	v := url.Values{}
	for name, value := range params {
		switch {
		case name == "body":
		case slices.Contains(parts, name):
			path = strings.ReplaceAll(path, "{"+name+"}", strings.ReplaceAll(url.PathEscape(joined(value)), "%2C", ","))
		default:
			v.Set(name, joined(value))
		}
	}
	if len(v) > 0 {
		path += "?" + v.Encode()
	}
	body, err := bodyOf(params["body"])
	return message{method, path, body}, err
}

// joined returns a parameter as text; a list with commas.
func joined(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	texts := make([]string, len(list))
	for i, one := range list {
		texts[i] = fmt.Sprint(one)
	}
	return strings.Join(texts, ",")
}

// bodyOf returns a body: JSON, or lines of it for a list.
func bodyOf(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case []any:
		var b strings.Builder
		for _, one := range v {
			line, err := bodyOf(one)
			if err != nil {
				return "", err
			}
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
		return b.String(), nil
	}
	text, err := json.Marshal(v)
	return string(text), err
}
