package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
)

// nestedForm is dialect.Column.Form of types whose values were text once.
const nestedForm = "nested"

// form returns the form of the values of a type: see dialect.Column.
func (t columnType) form() string {
	switch {
	case t.isNamed("hstore"):
		return nestedForm
	case t.Element != 0:
		return formOf(t.Element)
	}
	return formOf(t.OID)
}

func formOf(oid uint32) string {
	switch oid {
	case pgtype.JSONOID, pgtype.JSONBOID, pgtype.XMLOID:
		return nestedForm
	}
	return ""
}

// decodeJSON keeps a text that is nested too deeply.
func decodeJSON(text string) (any, error) {
	if v, err := doc.ParseJSON(text); err == nil {
		return v, nil
	}
	return decodeText(text)
}

func decodeXML(text string) (any, error) { return decodeText(doc.TextOfXML(text)) }

var errHstore = errors.New("the hstore has an unknown text form")

// decodeHstore makes a JSON object of the text form of an hstore, such as
// "a"=>"1", "b"=>NULL.
func decodeHstore(text string) (any, error) {
	object := []byte("{")
	for text != "" {
		if len(object) > 1 {
			object = append(object, ',')
		}
		key, rest, err := cutQuoted(text)
		if err != nil {
			return nil, err
		}
		if object, err = doc.AppendString(object, key); err != nil {
			return nil, errNotUTF8
		}
		object = append(object, ':')
		rest, arrow := strings.CutPrefix(rest, "=>")
		if !arrow {
			return nil, errHstore
		}
		if after, null := strings.CutPrefix(rest, "NULL"); null {
			object, rest = append(object, "null"...), after
		} else {
			var value string
			if value, rest, err = cutQuoted(rest); err != nil {
				return nil, err
			}
			if object, err = doc.AppendString(object, value); err != nil {
				return nil, errNotUTF8
			}
		}
		text = strings.TrimPrefix(rest, ", ")
	}
	return doc.JSON(append(object, '}')), nil
}

// cutQuoted returns the text in quotes at the start of another one, and what follows. A
// backslash quotes the next byte.
func cutQuoted(text string) (inside, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(text) && text[0] == '"'; i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], nil
		case '\\':
			i++
		}
		if i < len(text) {
			b.WriteByte(text[i])
		}
	}
	return "", "", errHstore
}
