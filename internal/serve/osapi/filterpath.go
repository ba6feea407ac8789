package osapi

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"

	"indexerd/internal/serve/osapi/input"
)

// A filterPath keeps or leaves out parts of an answer: filter_path of the URL, a list of
// paths such as hits.hits._source. In a path * is any part of a name and ** any number
// of names, and a path after a minus is left out.
type filterPath struct{ kept, dropped [][]string }

func parseFilterPath(text string) (f filterPath, err error) {
	for one := range strings.SplitSeq(text, ",") {
		name, minus := strings.CutPrefix(strings.TrimSpace(one), "-")
		if name == "" {
			continue
		}
		names := strings.Split(strings.ReplaceAll(name, `\.`, "\x00"), ".")
		for i := range names {
			names[i] = strings.ReplaceAll(names[i], "\x00", ".")
			if _, err := path.Match(names[i], ""); err != nil {
				return f, input.ParsingError("[filter_path] has a path that can't be read: write names and * only")
			}
		}
		if minus {
			f.dropped = append(f.dropped, names)
		} else {
			f.kept = append(f.kept, names)
		}
	}
	return f, nil
}

// apply returns the parts of an answer that the filter keeps.
func (f filterPath) apply(body any) (any, error) {
	text, err := encode(body)
	if err != nil {
		return nil, err
	}
	if len(f.dropped) > 0 {
		if text, err = drop(text, f.dropped); err != nil {
			return nil, err
		}
	}
	if len(f.kept) == 0 {
		return text, nil
	}
	text, err = keep(text, f.kept)
	if text == nil {
		text = json.RawMessage("{}")
	}
	return text, err
}

// keep returns the parts of a value on some paths, nil if there are none.
func keep(text json.RawMessage, paths [][]string) (json.RawMessage, error) {
	if text[0] != '{' && text[0] != '[' {
		return nil, nil // no path goes into it
	}
	return walk(text, func(name string, value json.RawMessage) (json.RawMessage, error) {
		whole, rest := below(paths, name)
		switch {
		case whole:
			return value, nil
		case len(rest) == 0:
			return nil, nil
		}
		return keep(value, rest)
	}, func(value json.RawMessage) (json.RawMessage, error) { return keep(value, paths) }, true)
}

// drop returns a value without what is on some paths.
func drop(text json.RawMessage, paths [][]string) (json.RawMessage, error) {
	return walk(text, func(name string, value json.RawMessage) (json.RawMessage, error) {
		whole, rest := below(paths, name)
		switch {
		case whole:
			return nil, nil
		case len(rest) == 0:
			return value, nil
		}
		return drop(value, rest)
	}, func(value json.RawMessage) (json.RawMessage, error) { return drop(value, paths) }, false)
}

// below returns what is left of paths inside a member, and whether one of them ends
// there.
func below(paths [][]string, name string) (whole bool, rest [][]string) {
	for _, p := range paths {
		if p[0] == "**" {
			rest = append(rest, p)
			if len(p) == 1 {
				whole = true
				continue
			}
			p = p[1:]
		}
		if ok, _ := path.Match(p[0], name); !ok { // the pattern is valid
			continue
		}
		if len(p) == 1 {
			whole = true
		} else {
			rest = append(rest, p[1:])
		}
	}
	return whole, rest
}

// walk replaces the members of an object, and the elements of a list, and leaves out
// those for which it gets nil. Another value stays as it is. It keeps the order of
// members. pruned leaves an object out that becomes empty.
func walk(text json.RawMessage, member func(string, json.RawMessage) (json.RawMessage, error), element func(json.RawMessage) (json.RawMessage, error), pruned bool) (json.RawMessage, error) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return text, nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out, n := []byte{text[0]}, 0
	for d.More() {
		name := ""
		if text[0] == '{' {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			name = token.(string) // a key is a string
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		var err error
		if text[0] == '{' {
			value, err = member(name, value)
		} else {
			value, err = element(value)
		}
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if n++; n > 1 {
			out = append(out, ',')
		}
		if text[0] == '{' {
			key, err := encode(name)
			if err != nil {
				return nil, err
			}
			out = append(append(out, key...), ':')
		}
		out = append(out, value...)
	}
	if n == 0 && pruned {
		return nil, nil
	}
	return append(out, text[0]+2), nil // in ASCII a closing bracket or brace follows 2 behind its opening one
}

// encode returns v as JSON, with the < and > of highlights as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
