package sqlite

import (
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source"
)

// exec runs statements outside of a transaction.
func (db *testDB) exec(statements ...string) {
	db.t.Helper()
	for _, s := range statements {
		if _, err := db.writer.Exec(s); err != nil {
			db.t.Fatalf("%s: %v", s, err)
		}
	}
}

// describe opens a table. The zero configuration is all of t with the key id and
// the updateTime u.
func describe(t testing.TB, source *source.Source, c source.TableConfig) (*source.Table, error) {
	c.Name = "t"
	if c.SQL == "" {
		c.SQL = "SELECT * FROM t"
	}
	if c.Key == nil {
		c.Key = []string{"id"}
	}
	if c.Updated == "" {
		c.Updated = "u"
	}
	return source.Table(t.Context(), c)
}

func (db *testDB) table(c source.TableConfig) *source.Table {
	db.t.Helper()
	table, err := describe(db.t, db.source, c)
	if err != nil {
		db.t.Fatal(err)
	}
	return table
}

// part returns the configuration of a child of all columns of part.
func part(updated string) []source.ChildConfig {
	return []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}, Updated: updated}}
}

func readBatches(t testing.TB, batches iter.Seq2[doc.Batch, error]) (docs []doc.Doc, rejects []doc.Reject) {
	t.Helper()
	for b, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		docs, rejects = append(docs, b.Docs...), append(rejects, b.Rejects...)
	}
	return docs, rejects
}

func rangeOf(t testing.TB, table *source.Table, r doc.Range) ([]doc.Doc, []doc.Reject) {
	t.Helper()
	return readBatches(t, table.Range(t.Context(), r))
}

func docsOf(t testing.TB, table *source.Table, oids ...doc.OID) ([]doc.Doc, []doc.Reject) {
	t.Helper()
	return readBatches(t, table.Docs(t.Context(), oids))
}

// windowOf returns the keys of a window's stamps.
func windowOf(t testing.TB, table *source.Table, from, to time.Time) string {
	t.Helper()
	var stamps []doc.Stamp
	for page, err := range table.Stamps(t.Context(), doc.Window{From: from, To: to}) {
		if err != nil {
			t.Fatal(err)
		}
		stamps = append(stamps, page...)
	}
	return keysOf(stamps)
}

// oid returns a key of these parts; an int is an int64.
func oid(t testing.TB, parts ...any) doc.OID {
	t.Helper()
	for i, p := range parts {
		if n, ok := p.(int); ok {
			parts[i] = int64(n)
		}
	}
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func keysOf[T doc.Keyed](all []T) string {
	var keys []string
	for _, o := range doc.OIDs(all) {
		keys = append(keys, o.String())
	}
	return strings.Join(keys, " ")
}

func reasons(rejects []doc.Reject) string {
	var lines []string
	for _, r := range rejects {
		lines = append(lines, strings.TrimPrefix(fmt.Sprintf("%v: %s", r.OID, r.Reason), "0x: "))
	}
	return strings.Join(lines, "\n")
}

func instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UTC()
}
