package pgsource

import (
	"errors"
	"strings"
)

// The text form of an array:
//
//	array   = [bounds "="] list        bounds, as in [0:2]={...}, are dropped
//	list    = "{" [item {"," item}] "}"
//	item    = list | quoted | bare     a bare NULL is NULL
//	quoted  = '"' {char | "\" char} '"'

var errArray = errors.New("the array has an unknown text form")

// maxDimensions is the server's limit of an array's depth.
const maxDimensions = 6

// arrayDecoder decodes arrays whose elements item decodes; arrays of several
// dimensions become lists of lists.
func arrayDecoder(item decoder) decoder {
	return func(text string) (any, error) {
		if strings.HasPrefix(text, "[") {
			var ok bool
			if _, text, ok = strings.Cut(text, "="); !ok {
				return nil, errArray
			}
		}
		list, rest, err := parseList(text, item, maxDimensions)
		if err != nil {
			return nil, err
		}
		if rest != "" {
			return nil, errArray
		}
		return list, nil
	}
}

// parseList reads a list of at most depth dimensions and returns what follows
// it.
func parseList(s string, item decoder, depth int) (list []any, rest string, err error) {
	if !strings.HasPrefix(s, "{") || depth == 0 {
		return nil, "", errArray
	}
	list = []any{}
	if s = s[1:]; strings.HasPrefix(s, "}") {
		return list, s[1:], nil
	}
	for {
		var v any
		if v, s, err = parseItem(s, item, depth); err != nil {
			return nil, "", err
		}
		list = append(list, v)
		if s == "" || s[0] != ',' && s[0] != '}' {
			return nil, "", errArray
		}
		end := s[0] == '}'
		if s = s[1:]; end {
			return list, s, nil
		}
	}
}

func parseItem(s string, item decoder, depth int) (v any, rest string, err error) {
	switch {
	case strings.HasPrefix(s, "{"):
		return parseList(s, item, depth-1)
	case strings.HasPrefix(s, `"`):
		var text string
		if text, rest, err = cutQuoted(s[1:]); err == nil {
			v, err = item(text)
		}
		return v, rest, err
	}
	end := strings.IndexAny(s, ",}")
	if end < 1 {
		return nil, "", errArray
	}
	if s[:end] == "NULL" {
		return nil, s[end:], nil
	}
	v, err = item(s[:end])
	return v, s[end:], err
}

// cutQuoted reads up to the closing quote.
func cutQuoted(s string) (text, rest string, err error) {
	var b strings.Builder
	for {
		i := strings.IndexAny(s, `"\`)
		if i < 0 || s[i] == '\\' && i+1 == len(s) {
			return "", "", errArray
		}
		b.WriteString(s[:i])
		if s[i] == '"' {
			return b.String(), s[i+1:], nil
		}
		b.WriteByte(s[i+1])
		s = s[i+2:]
	}
}

var itemEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// arrayLiteral writes an array of one dimension, for a parameter.
func arrayLiteral(items []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		itemEscape.WriteString(&b, item)
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}
