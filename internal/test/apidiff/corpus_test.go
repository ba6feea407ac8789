package apidiff

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/sampletext"
)

// index is the name of the table and of the index of the node. other is a second one.
const index, other = "film", "actor"

// mapping is how the embedded index has the documents.
var mapping = schema.Mapping{
	Content: []string{"title", "body", "note"}, Analyzer: "standard", Positions: true,
	Metadata: []schema.Field{
		{Name: "title", Type: schema.Keyword}, {Name: "kind", Type: schema.Keyword}, {Name: "tags", Type: schema.Keyword}, {Name: "code", Type: schema.Keyword},
		{Name: "price", Type: schema.Number}, {Name: "stock", Type: schema.Number},
		{Name: "seen", Type: schema.Date}, {Name: "exact", Type: schema.Date}, {Name: "free", Type: schema.Boolean},
	},
	Children: []schema.Child{{Name: "cast", Columns: []string{"name"}, Searched: true, Type: schema.Keyword}},
}

// byHand is the mapping that a user of the node writes for them.
const byHand = `{"settings": {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": -1}, "mappings": {"properties": {
	"title": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}, "body": {"type": "text"}, "note": {"type": "text"},
	"kind": {"type": "keyword"}, "tags": {"type": "keyword"}, "code": {"type": "keyword"}, "price": {"type": "double"}, "stock": {"type": "double"},
	"seen": {"type": "date"}, "exact": {"type": "date"}, "free": {"type": "boolean"},
	"cast": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}}}}`

// A corpus is the documents, and what requests are made of.
type corpus struct {
	rows   []doc.Row
	common []string // words of many documents
	rare   []string
	whole  []string // common words that are never beside an apostrophe or the like
}

// texts returns texts of TESTDATA, or generated ones.
func texts(t testing.TB, n int) (all []string) {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("TESTDATA"), "en.jsonl.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		return sampletext.English(n)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(bufio.NewReader(z)); len(all) < n; {
		var one struct{ Text string }
		if err := lines.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one.Text)
	}
	return all
}

// inWords finds words that have a character in them which analyzers treat differently.
var inWords = regexp.MustCompile(`[\pL\pN\pM]+(?:[^\s\pL\pN\pM][\pL\pN\pM]+)+`)

// plain returns the words of a text that every analyzer splits alike.
func plain(text string, most int) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return (r < '0' || '9' < r) && (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r)
	})
	return words[:min(len(words), most)]
}

// newCorpus returns n documents, the same for every seed of requests.
func newCorpus(t testing.TB, n int) *corpus {
	t.Helper()
	r, c := rand.New(rand.NewPCG(5, 5)), &corpus{}
	for _, text := range texts(t, n) {
		c.rows = append(c.rows, row(r, text, len(c.rows)))
	}
	having := map[string]int{}
	for _, row := range c.rows {
		words := strings.Fields(strings.ToLower(row.Values[0].(string) + " " + row.Values[1].(string)))
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			having[w]++
		}
	}
	words := make([]string, 0, len(having))
	for w := range having {
		words = append(words, w)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(having[b], having[a]), cmp.Compare(a, b)) })
	c.common, c.rare = words[:60], words[60:min(len(words), 2000)]
	joined := map[string]bool{}
	for _, row := range c.rows {
		for _, part := range inWords.FindAllString(row.Values[2].(string), -1) {
			for _, w := range plain(part, math.MaxInt) {
				joined[strings.ToLower(w)] = true
			}
		}
	}
	c.whole = slices.DeleteFunc(slices.Clone(c.common), func(w string) bool { return joined[w] })
	return c
}

var (
	kinds = []string{"PG", "PG-13", "R", "G", "nc 17"}
	tags  = []string{"a", "ab", "abc", "b", "B", "x y", "ärger", "武", "-"}
	names = strings.Fields("Ann Bob Cid Dora Eve Finn Gil Hana Ivo Jo")
)

func row(r *rand.Rand, text string, i int) doc.Row {
	row := doc.Row{
		Names:  []string{"title", "body", "note", "kind", "tags", "code", "price", "stock", "seen", "exact", "free"},
		Values: make([]any, 11),
	}
	words := plain(text, 60)
	row.Values[0] = strings.Join(words[:min(len(words), 1+r.IntN(6))], " ")
	row.Values[1] = strings.Join(words, " ")
	row.Values[2] = text
	some := func(at int, value func() any) {
		if r.IntN(6) > 0 {
			row.Values[at] = value()
		}
	}
	some(3, func() any { return kinds[r.IntN(len(kinds))] })
	some(4, func() any {
		list := []any{}
		for _, at := range r.Perm(len(tags))[:r.IntN(4)] {
			list = append(list, tags[at])
		}
		return list
	})
	row.Values[5] = fmt.Sprintf("c%05d", i)
	some(6, func() any { return float64(r.IntN(4000)-1000) / 8 })
	some(7, func() any { return int64(r.IntN(40) - 8) })
	seen := time.UnixMilli(r.Int64N(2.4e12) - 6e11).UTC()
	if r.IntN(3) == 0 {
		seen = seen.Truncate(24 * time.Hour)
	}
	some(8, func() any { return seen.Format("2006-01-02T15:04:05.000Z") })
	some(9, func() any {
		return seen.Add(time.Duration(r.IntN(1000)) * time.Microsecond).Format("2006-01-02T15:04:05.000000Z")
	})
	some(10, func() any { return r.IntN(2) == 0 })
	row.Children = []doc.Child{{Name: "cast"}}
	for range r.IntN(4) {
		row.Children[0].Rows = append(row.Children[0].Rows, doc.Row{Names: []string{"name"}, Values: []any{names[r.IntN(len(names))] + " " + names[r.IntN(len(names))]}})
	}
	return row
}

// source returns a document as a user sends it to the node.
func source(row doc.Row) map[string]any {
	m := map[string]any{}
	for i, name := range row.Names {
		m[name] = row.Values[i]
	}
	cast := []any{}
	for _, child := range row.Children[0].Rows {
		cast = append(cast, child.Values[0])
	}
	m["cast"] = cast
	return m
}
