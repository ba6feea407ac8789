package postgres

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/pgtest"
)

// always is a window of every updateTime.
var always = doc.Window{To: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}

// tableIn runs a setup and opens a table of the database.
func tableIn(t testing.TB, dsn, setup string, cfg source.TableConfig) *source.Table {
	t.Helper()
	pgtest.Exec(t, dsn, setup)
	return tableOf(t, openDB(t, dsn), cfg)
}

// tableOf opens a table. The zero cfg is all of doc with key id and updateTime u.
func tableOf(t testing.TB, d dialect.Dialect, cfg source.TableConfig) *source.Table {
	t.Helper()
	return tableFrom(t, source.New(d, pace.Limits{}), cfg)
}

// tableFrom opens a table of a source.
func tableFrom(t testing.TB, s *source.Source, cfg source.TableConfig) *source.Table {
	t.Helper()
	cfg.Name = "doc"
	cfg.SQL = cmp.Or(cfg.SQL, "SELECT * FROM doc")
	cfg.Updated = cmp.Or(cfg.Updated, "u")
	if cfg.Key == nil {
		cfg.Key = []string{"id"}
	}
	table, err := s.Table(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// childOf is a child with a key of the table's columns.
func childOf(sql string, key ...string) []source.ChildConfig {
	return []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: sql, Key: key, Updated: "u", Columns: []string{"v"}}}
}

// readAll returns the documents of a fetch by printed OID, and the rejects.
func readAll(t testing.TB, batches iter.Seq2[doc.Batch, error]) (map[string]doc.Doc, []doc.Reject) {
	t.Helper()
	docs := map[string]doc.Doc{}
	var rejects []doc.Reject
	for b, err := range batches {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range b.Docs {
			if _, twice := docs[d.OID.String()]; twice {
				t.Fatalf("got document %v twice, want it once", d.OID)
			}
			docs[d.OID.String()] = d
		}
		rejects = append(rejects, b.Rejects...)
	}
	return docs, rejects
}

// readStamps returns the stamps of all pages.
func readStamps(t testing.TB, pages iter.Seq2[[]doc.Stamp, error]) []doc.Stamp {
	t.Helper()
	var all []doc.Stamp
	for page, err := range pages {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
	}
	return all
}

func sortedKeys(docs map[string]doc.Doc) []string { return slices.Sorted(maps.Keys(docs)) }

func oid(t testing.TB, parts ...any) doc.OID {
	t.Helper()
	o, err := doc.NewOID(parts...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// ids returns the OIDs of integer keys.
func ids(t testing.TB, keys ...int64) (all []doc.OID) {
	t.Helper()
	for _, key := range keys {
		all = append(all, oid(t, key))
	}
	return all
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A database without an encoding (SQL_ASCII) delivers text that is not UTF-8.
func TestTextThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	name := pgtest.Value[string](t, dsn, "SELECT current_database()")
	pgtest.Exec(t, dsn, "CREATE DATABASE bytes_"+name+" TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP DATABASE bytes_"+name+" WITH (FORCE)") })
	table := tableIn(t, strings.Replace(dsn, name, "bytes_"+name, 1), `CREATE TABLE doc (id text, u timestamptz, v text);
		INSERT INTO doc VALUES ('0', now(), 'fine'), (E'\xff', now(), 'x'), ('a', NULL, E'caf\xe9'); CREATE INDEX ON doc (id)`, source.TableConfig{})
	keyless := []doc.Reject{{Reason: "key column id: text is not valid UTF-8"}}
	docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
	bad := doc.BadValue{Text: "caf\uFFFD", Reason: "text is not valid UTF-8"}
	if got, _ := docs["a"].Row.Get("v"); len(docs) != 2 || got != bad || !slices.Equal(rejects, keyless) {
		t.Errorf("got %v and rejects %+v, want 2 documents, one with %+v, and %+v", docs, rejects, bad, keyless)
	}
	if b, err := table.Keyless(t.Context()); err != nil || !slices.Equal(b.Rejects, keyless) {
		t.Errorf("got %+v, %v of all rows, want %+v", b, err, keyless)
	}
	if b, err := table.Unusable(t.Context(), always); err != nil || !slices.Equal(b.Rejects, keyless) {
		t.Errorf("got %+v, %v of a window, want %+v", b, err, keyless)
	}
	stamps := readStamps(t, table.Stamps(t.Context(), always))
	if len(stamps) != 2 || !slices.ContainsFunc(stamps, func(s doc.Stamp) bool { return s.OID == "" }) {
		t.Errorf("got stamps %v of a window, want that of 0 and one without a key", stamps)
	}
}

// Years that RFC 3339 can't express are in no window, and their rows have no updateTime.
// All other years are.
func TestYears(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	for _, c := range []struct{ typ, value, want string }{
		{"timestamptz", "0001-01-01 00:00:00+00", "0001-01-01T00:00:00Z"},
		{"timestamptz", "9999-12-31 23:59:59.999999+00", "9999-12-31T23:59:59.999999Z"},
		{"date", "0476-09-04", "0476-09-04T00:00:00Z"},
		{"timestamptz", "infinity", ""},
		{"timestamp", "-infinity", ""},
		{"date", "0044-03-15 BC", ""},
		{"timestamptz", "10000-01-01", ""},
	} {
		table := tableIn(t, dsn, fmt.Sprintf("DROP TABLE IF EXISTS doc; CREATE TABLE doc (id int, u %s); INSERT INTO doc VALUES (1, '%s')", c.typ, c.value),
			source.TableConfig{Zone: time.UTC})
		docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
		stamps := readStamps(t, table.Stamps(t.Context(), always))
		if c.want == "" {
			if d, ok := docs["1"]; !ok || !d.Updated.IsZero() || len(stamps) != 0 || len(rejects) != 0 {
				t.Errorf("%s %s: got documents %v, stamps %v and rejects %+v, want one document without updateTime", c.typ, c.value, docs, stamps, rejects)
			}
			continue
		}
		if len(rejects) != 0 || len(stamps) != 1 || !stamps[0].Same(docs["1"].Stamp) || !stamps[0].Updated.Equal(at(t, c.want)) {
			t.Errorf("%s %s: got %v, stamps %v and rejects %v, want one document of %s", c.typ, c.value, docs, stamps, rejects, c.want)
		}
	}
}

// Keys that a type takes for equal are different rows. The padding of a char(n) is
// no part of its key.
func TestKeysOfTypesThatIgnore(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE EXTENSION citext")
	for _, c := range []struct {
		typ, values string
		keys        int
		has         []any
	}{
		{"citext", "(ARRAY['a', 'A', 'b', 'B'])[i % 4 + 1] || i / 20", 20, []any{"A0"}},
		{"char(4)", "'k' || i / 5", 20, []any{"k7"}},
		{"numeric", "i / 5 - 10", 20, []any{doc.Number("-10")}},
	} {
		for _, page := range []int{1, 3, 5, 100} {
			table := tableIn(t, dsn, fmt.Sprintf("DROP TABLE IF EXISTS doc; CREATE TABLE doc (id %s, u timestamptz); INSERT INTO doc SELECT %s FROM generate_series(0, 99) i", c.typ, c.values),
				source.TableConfig{StampPage: page})
			found := doc.SetOf(doc.OIDs(readStamps(t, table.StampsInRange(t.Context(), doc.Range{}))))
			if len(found) != c.keys || !found[oid(t, c.has...)] {
				t.Errorf("%s, pages of %d: got keys %v, want %d with %v", c.typ, page, slices.Collect(maps.Keys(found)), c.keys, c.has)
			}
			bounds, err := table.Breakpoints(t.Context(), 40)
			if err != nil || len(bounds) != 2 {
				t.Fatalf("%s: got breakpoints %v, %v, want 2", c.typ, bounds, err)
			}
			inRanges := map[doc.OID]bool{}
			for i, from := range append([]doc.OID{""}, bounds...) {
				for _, s := range readStamps(t, table.StampsInRange(t.Context(), doc.Range{From: from, To: append(bounds, "")[i]})) {
					inRanges[s.OID] = true
				}
			}
			if !maps.Equal(inRanges, found) {
				t.Errorf("%s, pages of %d: got %d keys in ranges, want all %d", c.typ, page, len(inRanges), len(found))
			}
		}
	}
}

// Tokens under another search path are of another epoch: the same names may be
// other tables.
func TestEpochCoversTheSearchPath(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); CREATE SCHEMA other; CREATE TABLE other.doc AS SELECT * FROM doc")
	epoch := func(options string) uint32 {
		return tableOf(t, openDB(t, dsn+options), source.TableConfig{}).Epoch()
	}
	if one, same, other := epoch(""), epoch("&options=-c%20DateStyle%3DGerman"), epoch("&search_path=other"); one != same || one == other {
		t.Errorf("got epochs %d, %d under another DateStyle and %d under another search path, want two equal ones and another", one, same, other)
	}
}

// Each page of a sweep is a separate transaction, and none is open while the
// consumer handles the page.
func TestSweepHoldsNoTransaction(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i FROM generate_series(1, 20) i")
	db := openDB(t, dsn)
	n := 0
	for page, err := range tableOf(t, db, source.TableConfig{StampPage: 5}).StampsInRange(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		if own, _ := db.own.lists(); len(own) > 0 {
			t.Errorf("got own transactions %v while the consumer rests, want none", own)
		}
		n += len(page)
		pgtest.Exec(t, dsn, "DELETE FROM doc WHERE id > 10")
	}
	if n != 10 {
		t.Errorf("got %d stamps, want 10", n)
	}
}

// An empty window of rows and children is one transaction: BEGIN and one query
// each.
func TestIdleWindowIsOneTransaction(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE doc (id int, u timestamptz); CREATE TABLE part (id int, u timestamptz, v int);
		INSERT INTO doc VALUES (1, '2024-01-01Z'); INSERT INTO part VALUES (1, '2024-01-03Z', 0)`)
	s := source.New(openDB(t, dsn), pace.Limits{})
	table := tableFrom(t, s, source.TableConfig{Children: childOf("SELECT * FROM part", "id")})
	before := s.Figures().Statements
	if got := readStamps(t, table.Stamps(t.Context(), doc.Window{From: at(t, "2025-01-01T00:00:00Z"), To: always.To})); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if got := s.Figures().Statements - before; got != 3 {
		t.Errorf("got %d statements, want BEGIN, the rows and the child", got)
	}
}

// Count and Breakpoints read the whole table, for which there is no time limit.
func TestCountHasNoTimeout(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE VIEW doc AS SELECT 1 AS id, now() AS u")
	db := openDB(t, dsn)
	table := tableOf(t, db, source.TableConfig{})
	pgtest.Exec(t, dsn, "CREATE OR REPLACE VIEW doc AS SELECT i AS id, now() AS u FROM generate_series(1, 2) i, pg_sleep(2.5)")
	db.statementTimeout = 2 * time.Second // also between two statements, on a busy machine
	if n, err := table.Count(t.Context()); err != nil || n != 2 {
		t.Errorf("got count %d, %v, want 2", n, err)
	}
	if bounds, err := table.Breakpoints(t.Context(), 1); err != nil || len(bounds) != 1 {
		t.Errorf("got breakpoints %v, %v, want one", bounds, err)
	}
}

// The keys of a numeric without a scale have one form that the database compares equal,
// whatever the first row has, also of children that are integers. A table that was loaded
// with integers keeps them until it is loaded again.
func TestNumericKeys(t *testing.T) {
	t.Parallel()
	const script = `CREATE TABLE doc (id numeric, u timestamptz); CREATE INDEX ON doc (id); CREATE TABLE part (id bigint, word text); CREATE INDEX ON part (id);
		INSERT INTO doc VALUES (7, '2024-03-01Z'), (1.10, '2024-03-01Z'), (123456789012345678901234567890, '2024-03-01Z'), ('NaN', '2024-03-01Z'), (1e3, '2024-03-01Z');
		INSERT INTO part VALUES (7, 'a'), (7, 'b'), (1, 'none'), (1000, 'c')`
	dsn := pgtest.DB(t)
	child := []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}}}
	for name, c := range map[string]struct {
		config source.TableConfig
		want   string
		words  map[string]int
		reason string
	}{
		"new":              {source.TableConfig{}, "1.1 7 1000 123456789012345678901234567890", nil, "key column id: NaN is no key"},
		"with a child":     {source.TableConfig{Children: child}, "1.1 7 1000 123456789012345678901234567890", map[string]int{"7": 2, "1000": 1, "1.1": 0}, "key column id: NaN is no key"},
		"loaded as before": {source.TableConfig{Kinds: []doc.Kind{doc.Integer}}, "7 1000", nil, "a table that is loaded again has decimal keys"},
	} {
		table := tableIn(t, dsn, "DROP TABLE IF EXISTS doc; DROP TABLE IF EXISTS part; "+script, c.config)
		docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
		if got := inOrder(docs); got != c.want {
			t.Errorf("%s: got the rows %s, want %s", name, got, c.want)
		}
		if !slices.ContainsFunc(rejects, func(r doc.Reject) bool { return r.OID == "" && strings.Contains(r.Reason, c.reason) }) {
			t.Errorf("%s: got rejects %v, want %s", name, rejects, c.reason)
		}
		for oid, want := range c.words {
			if got := len(docs[oid].Row.Children[0].Rows); got != want {
				t.Errorf("%s: row %s: got %d children, want %d", name, oid, got, want)
			}
		}
		var oids []doc.OID
		for _, d := range docs {
			oids = append(oids, d.OID)
		}
		byKey, _ := readAll(t, table.Docs(t.Context(), oids))
		stamps, err := table.StampsOf(t.Context(), oids)
		if inOrder(byKey) != c.want || err != nil || len(stamps) != len(docs) {
			t.Errorf("%s: got the rows %s by key and %d stamps, %v", name, inOrder(byKey), len(stamps), err)
		}
		for _, s := range stamps {
			if !s.Same(docs[s.OID.String()].Stamp) {
				t.Errorf("%s: got stamp %v, want that of the document, %v", name, s, docs[s.OID.String()].Stamp)
			}
		}
		sums, err := table.Sums(t.Context(), nil)
		if err != nil || len(sums) != 1 || sums[0].Rows != int64(len(docs)) {
			t.Errorf("%s: got sums %v, %v, want one of %d rows", name, sums, err, len(docs))
		}
	}
}

// inOrder prints the keys of documents in order.
func inOrder(docs map[string]doc.Doc) string {
	var oids []doc.OID
	for _, d := range docs {
		oids = append(oids, d.OID)
	}
	slices.Sort(oids)
	texts := make([]string, len(oids))
	for i, oid := range oids {
		texts[i] = oid.String()
	}
	return strings.Join(texts, " ")
}
