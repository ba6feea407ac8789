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
		if text, err = filter(text, f.dropped, false); err != nil {
			return nil, err
		}
	}
	if len(f.kept) == 0 {
		return text, nil
	}
	text, err = filter(text, f.kept, true)
	if text == nil {
		text = json.RawMessage("{}")
	}
	return text, err
}

// filter returns the parts of a value on some paths, nil if there are none. Without kept
// it returns the value without these parts. Members stay in their order.
func filter(text json.RawMessage, paths [][]string, kept bool) (json.RawMessage, error) {
	whole := func(text json.RawMessage, stays bool) json.RawMessage {
		if stays {
			return text
		}
		return nil
	}
	if text[0] != '{' && text[0] != '[' { // no path goes into it
		return whole(text, !kept), nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	out, n := []byte{text[0]}, 0
	for d.More() {
		ends, rest := false, paths // an element is on the paths of its list
		var key, value json.RawMessage
		if text[0] == '{' {
			token, err := d.Token()
			if err != nil {
				return nil, err
			}
			ends, rest = below(paths, token.(string)) // a key is a string
			if key, err = encode(token); err != nil {
				return nil, err
			}
			key = append(key, ':')
		}
		err := d.Decode(&value)
		switch {
		case err != nil:
		case ends:
			value = whole(value, kept)
		case len(rest) == 0:
			value = whole(value, !kept)
		default:
			value, err = filter(value, rest, kept)
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
		out = append(append(out, key...), value...)
	}
	if n == 0 && kept {
		return nil, nil
	}
	return append(out, text[0]+2), nil // in ASCII a closing bracket or brace follows 2 behind its opening one
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

// encode returns v as JSON, with the < and > of highlights as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
