package opensearch

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/zeebo/xxh3"

	"indexerd/internal/doc"
)

// A Mapping says which columns are searched and how.
type Mapping struct {
	Content  []string // columns whose words are searched
	Metadata []Field  // columns that are searched by value
}

// A Field is a metadata column. Its type is keyword, number or boolean.
type Field struct{ Name, Type string }

var clusterTypes = map[string]string{"keyword": "keyword", "number": "double", "boolean": "boolean"}

func (m Mapping) fingerprint() string {
	return fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprintf("1 %q %q", m.Content, m.Metadata)))
}

// properties are the fields of the cluster's mapping.
func (m Mapping) properties() map[string]any {
	fields := map[string]any{"ix": map[string]any{"properties": map[string]any{
		"key": map[string]any{"type": "keyword", "index": false},
	}}}
	for _, f := range m.Metadata {
		fields[f.Name] = map[string]any{"type": clusterTypes[f.Type]}
	}
	for _, name := range m.Content {
		fields[name] = map[string]any{"type": "text"}
	}
	return fields
}

// source returns the fields of a row's document, without ix.
func (m Mapping) source(row doc.Row) (map[string]any, error) {
	fields := map[string]any{}
	for _, f := range m.Metadata {
		v, _ := row.Get(f.Name)
		converted, err := f.value(v)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", f.Name, err)
		}
		if converted != nil {
			fields[f.Name] = converted
		}
	}
	for _, name := range m.Content {
		if v, _ := row.Get(name); v != nil {
			fields[name] = doc.FormatText(v)
		}
	}
	return fields, nil
}

// value converts one value; nil is none. The cluster would accept many misfits
// silently, or round them.
func (f Field) value(v any) (any, error) {
	if v == nil || v == "" {
		return nil, nil
	}
	switch text := doc.FormatText(v); f.Type {
	case "number":
		if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			return n, nil
		}
		return nil, fmt.Errorf("the value is not a number")
	case "boolean":
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, fmt.Errorf("the value is not a boolean")
	default:
		return text, nil
	}
}

// Hash digests what the index would store of a row.
func (ix *Index) Hash(row doc.Row) (doc.DocHash, error) {
	fields, err := ix.mapping.source(row)
	if err != nil {
		return 0, err
	}
	b, err := json.Marshal(fields) // with sorted names
	return doc.DocHash(xxh3.HashString(ix.mapping.fingerprint() + string(b))), err
}

func id(oid doc.OID) string { return base64.RawURLEncoding.EncodeToString([]byte(oid)) }

func sortKey(oid doc.OID) string { return hex.EncodeToString([]byte(oid)) }

func parseSortKey(s string) (doc.OID, error) {
	b, err := hex.DecodeString(s)
	return doc.OID(b), err
}
