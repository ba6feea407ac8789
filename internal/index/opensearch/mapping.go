package opensearch

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// format changes whenever the same configuration makes another index than before.
const format = "4"

// fingerprint identifies what an index is built with.
func (c Config) fingerprint() string {
	return fmt.Sprintf("%016x", xxh3.HashString(fmt.Sprintf("%s %d %v %t", format, c.Mapping.Fingerprint(), *c.bm25(), c.Source)))
}

func (c Config) bm25() *query.BM25 { return cmp.Or(c.BM25, &query.DefaultBM25) }

// noWord stands in a text of terms for a position without one. The analyzer of the
// index drops it. It is not a letter, so no term is equal to it.
const noWord = "!"

// maxForms is more than the characters of all terms of one position with | between them.
const maxForms = 8 * 256

// refresh_interval of a new index, until Serve, and then.
const (
	noRefresh = "-1"
	refresh   = "1s"
)

// settings are those of a new index. Each that matters is given, because templates of
// the cluster add theirs to what is not.
func (c Config) settings(s *schema.Schema) map[string]any {
	return map[string]any{"index": map[string]any{
		"translog.durability": "request", "refresh_interval": noRefresh, "gc_deletes": "1h",
		"number_of_shards": c.Shards, "number_of_replicas": c.Replicas, "max_result_window": query.MaxWindow + 1,
		"default_pipeline": "_none", "final_pipeline": "_none",
		"similarity": map[string]any{"default": map[string]any{"type": "BM25", "k1": c.bm25().K1, "b": c.bm25().B}},
		"analysis":   c.analysis(s),
	}}
}

// analysis are the analyzers of a new index: ix splits terms that are ready, and text, if
// there is one, splits columns into the same terms.
func (c Config) analysis(s *schema.Schema) map[string]any {
	analyzers := map[string]any{ready: map[string]any{"type": "custom", "tokenizer": "ix", "filter": []string{"ix"}}}
	tokenizers := map[string]any{"ix": map[string]any{"type": "whitespace", "max_token_length": 2 * 256}}
	filters := map[string]any{"ix": map[string]any{"type": "stop", "stopwords": []string{noWord}}}
	if s.Analysis.IsLatest() {
		analyzers[ready] = map[string]any{"type": "custom", "tokenizer": "ix", "filter": []string{"forms", "ix"}}
		tokenizers["ix"] = map[string]any{"type": "whitespace", "max_token_length": maxForms}
		filters["forms"] = map[string]any{"type": "pattern_capture", "preserve_original": false, "patterns": []string{"([^|]+)"}}
	}
	if split, ok := s.Splitting(); ok && c.Source {
		steps := []string{"lowercase", "cut"}
		tokenizers["text"] = map[string]any{"type": "simple_pattern", "pattern": split.Pattern}
		filters["cut"] = map[string]any{"type": "truncate", "length": split.MaxWord}
		if len(split.Stopwords) > 0 {
			steps = append(steps, "drop")
			filters["drop"] = map[string]any{"type": "stop", "stopwords": split.Stopwords}
		}
		analyzers["text"] = map[string]any{"type": "custom", "tokenizer": "text", "filter": steps}
	}
	return map[string]any{"analyzer": analyzers, "tokenizer": tokenizers, "filter": filters}
}

// shares reports whether the words of a column are indexed once, for clients and
// searches of indexerd: under the name of the column, to which ix.words.NAME leads.
func (c Config) shares(s *schema.Schema, name string) bool {
	_, ok := s.Splitting()
	both := slices.ContainsFunc(c.Mapping.Metadata, func(f schema.Field) bool { return f.Name == name })
	return ok && c.Source && c.Mapping.Positions && slices.Contains(c.Mapping.Content, name) && !both && !strings.Contains(name, ".")
}

// properties are the fields of the cluster's mapping.
func (c Config) properties(s *schema.Schema) map[string]any {
	words, values, numbers := map[string]any{}, map[string]any{}, map[string]any{}
	for _, name := range s.WordsFields() {
		field := map[string]any{"type": "text", "analyzer": ready, "position_increment_gap": schema.RowGap, "index_options": "positions"}
		if !c.Mapping.Positions {
			field = map[string]any{"type": "text", "analyzer": ready, "index_options": "freqs"}
		}
		if c.shares(s, afterDot(name)) {
			field = map[string]any{"type": "alias", "path": afterDot(name)}
		}
		words[afterDot(name)] = field
	}
	for _, name := range s.ValuesFields() {
		values[afterDot(name)] = map[string]any{"type": "keyword"}
	}
	for name, t := range s.NumbersFields() {
		numbers[afterDot(name)] = map[string]any{"type": "double", "index": false}
		if t == schema.Date {
			numbers[afterDot(name)] = map[string]any{"type": "date", "format": "epoch_millis", "index": false}
		}
	}
	ix := map[string]any{
		"key":   map[string]any{"type": "keyword", "index": false},
		"words": map[string]any{"properties": words}, "values": map[string]any{"properties": values}, "numbers": map[string]any{"properties": numbers},
	}
	all := map[string]any{}
	if c.Source {
		all = c.own(s)
		ix["row"] = map[string]any{"type": "object", "enabled": false}
	}
	all["ix"] = map[string]any{"properties": ix}
	return all
}

// sourceOf returns the setting of _source: everything that clients read, or nothing. What
// else there is of a document whose words are shared is short, and stays in it: the cluster
// parses and writes a source again to leave a part out, and stores it twice until a merge.
func (c Config) sourceOf(s *schema.Schema) map[string]any {
	if !c.Source {
		return map[string]any{"enabled": false}
	}
	if !slices.ContainsFunc(s.WordsFields(), func(field string) bool { return !c.shares(s, afterDot(field)) }) {
		return map[string]any{}
	}
	return map[string]any{"excludes": []string{"ix.key", "ix.words", "ix.values", "ix.numbers"}}
}

func afterDot(name string) string {
	_, after, _ := strings.Cut(name, ".")
	return after
}

// Types of the columns' own fields. A value that does not fit its type is left out of
// the field, and stays in _source.
var ownTypes = map[schema.Type]map[string]any{
	schema.Keyword: {"type": "keyword", "ignore_above": 8191},
	schema.Number:  {"type": "double", "ignore_malformed": true},
	schema.Date:    {"type": "date", "ignore_malformed": true},
	schema.Boolean: {"type": "boolean"},
}

var ownAnalyzers = map[string]string{"en": "english", "cjk": "cjk"}

// own are the fields under the names of columns, for clients of the cluster. A column
// that is searched by words and by value has its values in NAME.keyword, as in the
// OpenSearch API of indexerd.
func (c Config) own(s *schema.Schema) map[string]any {
	all := map[string]any{}
	text := func(name string) {
		all[name] = map[string]any{"type": "text", "analyzer": cmp.Or(ownAnalyzers[c.Mapping.Analyzer], "standard")}
		if c.shares(s, name) {
			all[name] = map[string]any{"type": "text", "analyzer": "text", "position_increment_gap": 0}
		}
	}
	value := func(f schema.Field) {
		if field, ok := all[f.Name].(map[string]any); ok {
			field["fields"] = map[string]any{"keyword": ownTypes[f.Type]}
		} else {
			all[f.Name] = ownTypes[f.Type]
		}
	}
	for _, name := range c.Mapping.Content {
		text(name)
	}
	for _, f := range c.Mapping.Metadata {
		value(f)
	}
	for _, child := range c.Mapping.Children {
		if child.Searched {
			text(child.Name)
		}
		if child.Type != "" {
			value(schema.Field{Name: child.Name, Type: child.Type})
		}
	}
	return all
}

// source returns the fields of a row's document, as the index in use has them, which need
// not be as configured.
func (ix *Index) source(d doc.Doc) (map[string]any, error) {
	stored, err := ix.Document(d.Row, func(field string) bool { return ix.stores.shared[afterDot(field)] })
	if err != nil {
		return nil, err
	}
	own := map[string]any{"key": sortKey(d.OID), "values": valuesOf(stored)}
	if len(stored.Words) > 0 {
		own["words"] = wordsOf(stored)
	}
	fields := map[string]any{}
	if ix.stores.columns {
		if fields, err = ix.ownFields(d.Row); err != nil {
			return nil, err
		}
	}
	if ix.stores.numbers {
		own["numbers"] = ix.numbersOf(stored)
	}
	if rest := ix.rest(d.Row); ix.stores.rest && len(rest) > 0 {
		own["row"] = rest
	}
	fields["ix"] = own
	return fields, nil
}

func wordsOf(d schema.Document) map[string][]string {
	all := map[string][]string{}
	for field, texts := range d.Words {
		for _, terms := range texts {
			all[afterDot(field)] = append(all[afterDot(field)], joined(terms))
		}
	}
	return all
}

// joined returns terms as the analyzer of the index splits them.
func joined(terms []string) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cmp.Or(t, noWord))
	}
	return b.String()
}

func valuesOf(d schema.Document) map[string][]string {
	all := map[string][]string{}
	for field, terms := range d.Values {
		all[afterDot(field)] = terms
	}
	return all
}

// numbersOf returns the numbers of a document; those of dates are whole.
func (ix *Index) numbersOf(d schema.Document) map[string][]any {
	types, all := ix.NumbersFields(), map[string][]any{}
	for field, numbers := range d.Numbers {
		for _, n := range numbers {
			var v any = n
			if types[field] == schema.Date {
				v = int64(n)
			}
			all[afterDot(field)] = append(all[afterDot(field)], v)
		}
	}
	return all
}

// ownFields returns the columns and children of the mapping as JSON.
func (ix *Index) ownFields(row doc.Row) (map[string]any, error) {
	fields := map[string]any{}
	add := func(name string) {
		if v, _ := row.Get(name); v != nil && v != "" && ix.fits(name, v) {
			fields[name] = flat(v)
		}
	}
	m := ix.Mapping
	for _, name := range m.Content {
		if !ix.stores.shared[name] {
			add(name)
			continue
		}
		v, _ := row.Get(name)
		if plain, _ := ix.Plain(v); plain != nil {
			fields[name] = plain
		}
	}
	for _, f := range m.Metadata {
		add(f.Name)
	}
	for _, c := range m.Children {
		for _, d := range row.Children {
			if d.Name != c.Name {
				continue
			}
			var values []any
			for _, r := range d.Rows {
				v, err := query.ChildValue(r, c.Columns, c.Skip)
				if err != nil {
					return nil, err
				}
				if v != nil && v != "" && ix.fits(c.Name, v) {
					values = append(values, flat(v))
				}
			}
			if values != nil {
				fields[c.Name] = values
			}
		}
	}
	return fields, nil
}

// flat returns a value as a field of the cluster takes it: a JSON is the list of its
// values.
func flat(v any) any {
	switch v := v.(type) {
	case doc.JSON:
		return slices.Collect(v.Leaves)
	case []any:
		if slices.ContainsFunc(v, nests) {
			var all []any
			for _, e := range v {
				if list, ok := flat(e).([]any); ok {
					all = append(all, list...)
				} else {
					all = append(all, e)
				}
			}
			return all
		}
	}
	return v
}

// nests reports whether a value is a JSON or has one.
func nests(v any) bool {
	list, _ := v.([]any)
	_, is := v.(doc.JSON)
	return is || slices.ContainsFunc(list, nests)
}

// fits reports whether a value can be in the field of its own name: in one of the wrong
// type the cluster would refuse the document, or count what ix.values lacks. A boolean of
// the cluster is no number, as 1 is in ix.values.
func (ix *Index) fits(name string, v any) bool {
	i := slices.IndexFunc(ix.Values, func(f schema.Field) bool { return f.Name == name })
	return i < 0 || ix.Values[i].Fits(v) && (ix.Values[i].Type != schema.Boolean || isBoolean(v))
}

func isBoolean(v any) bool {
	if list, ok := v.([]any); ok {
		return !slices.ContainsFunc(list, func(e any) bool { return !isBoolean(e) })
	}
	_, ok := v.(bool)
	return ok || v == nil || v == "true" || v == "false"
}

// rest returns the part of a row that is in no field under its own name as it is: columns, values
// that do not fit the type of their field, and the rows of a child that has more columns than its text.
func (ix *Index) rest(row doc.Row) map[string]any {
	m, rest := ix.Mapping, map[string]any{}
	for i, name := range row.Names {
		inField := slices.Contains(m.Content, name) || slices.ContainsFunc(m.Metadata, func(f schema.Field) bool { return f.Name == name })
		if ix.stores.shared[name] {
			_, inField = ix.Plain(row.Values[i])
		}
		inField = inField && !nests(row.Values[i]) && ix.fits(name, row.Values[i])
		if !inField && row.Values[i] != nil {
			rest[name] = row.Values[i]
		}
	}
	for _, d := range row.Children {
		at := slices.IndexFunc(m.Children, func(c schema.Child) bool { return c.Name == d.Name })
		var rows []any
		for _, r := range d.Rows {
			columns := map[string]any{}
			whole := at >= 0
			for i, name := range r.Names {
				columns[name] = r.Values[i]
				whole = whole && slices.Contains(m.Children[at].Columns, name) && !nests(r.Values[i]) && ix.fits(d.Name, r.Values[i])
			}
			if !whole {
				rows = append(rows, columns)
			}
		}
		if rows != nil {
			rest[d.Name] = rows
		}
	}
	return rest
}

// id is the _id of a document. It has only letters, digits, - and _, at most 512.
func id(oid doc.OID) string { return base64.RawURLEncoding.EncodeToString([]byte(oid)) }

// sortKey is a key in hex, whose order is that of keys.
func sortKey(oid doc.OID) string { return hex.EncodeToString([]byte(oid)) }

func parseSortKey(s string) (doc.OID, error) {
	b, err := hex.DecodeString(s)
	return doc.OID(b), err
}
