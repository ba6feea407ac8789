package pgsource

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
	"indexerd/internal/pgtest/films"
)

// openSource opens a source that is closed at the end of the test.
func openSource(t testing.TB, dsn string) *Source {
	t.Helper()
	return openConfig(t, dsn, Config{})
}

// openConfig opens a source with some options. If it leads through a pooler,
// that has only one server, so that its horizons are exact.
func openConfig(t testing.TB, dsn string, cfg Config) *Source {
	t.Helper()
	cfg.Name, cfg.DSN = "test", pgtest.SourceDSN(t, dsn)
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.oneServer = true
	return s
}

// newTable opens a table in a fresh database.
func newTable(t testing.TB, setup string, cfg TableConfig) (*Table, string) {
	t.Helper()
	dsn := pgtest.DB(t)
	return tableIn(t, dsn, setup, cfg), dsn
}

// tableIn runs setup and opens a table of the database.
func tableIn(t testing.TB, dsn, setup string, cfg TableConfig) *Table {
	t.Helper()
	if setup != "" {
		pgtest.Exec(t, dsn, setup)
	}
	return tableOf(t, openSource(t, dsn), cfg)
}

// tableOf opens a table of a source. The zero cfg is all of doc with key id and
// updateTime u.
func tableOf(t testing.TB, s *Source, cfg TableConfig) *Table {
	t.Helper()
	cfg.Name = "doc"
	cfg.SQL = cmp.Or(cfg.SQL, "SELECT * FROM doc")
	cfg.Updated = cmp.Or(cfg.Updated, "u")
	cfg.Batch = cmp.Or(cfg.Batch, 100)
	if cfg.Key == nil {
		cfg.Key = []string{"id"}
	}
	table, err := s.Table(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return table
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

func at(t testing.TB, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// numbers hands out the numbers of fetches as the sink does.
type numbers struct {
	mu       sync.Mutex
	last     doc.FetchSeq
	inFlight map[doc.FetchSeq]bool
	before   func() // runs before the fetch opens
	after    func() // runs after it has opened
}

func (n *numbers) Begin(open func() error) (doc.FetchSeq, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.before != nil {
		n.before()
	}
	if err := open(); err != nil {
		return 0, err
	}
	if n.after != nil {
		n.after()
	}
	n.last++
	if n.inFlight == nil {
		n.inFlight = map[doc.FetchSeq]bool{}
	}
	n.inFlight[n.last] = true
	return n.last, nil
}

func (n *numbers) End(seq doc.FetchSeq) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.inFlight, seq)
}

func (n *numbers) open() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.inFlight)
}

func TestFilms(t *testing.T) {
	t.Parallel()
	dsn := films.DB(t)
	n := &numbers{}
	table, err := openSource(t, dsn).Table(t.Context(), TableConfig{
		Name: "film",
		SQL: `SELECT f.film_id, f.last_update, f.title, f.description, f.rating, f.release_year, f.special_features, l.name AS language
			FROM public.film f JOIN public.language l USING (language_id)`,
		Key: []string{"film_id"}, Updated: "last_update", Batch: 300, Numbers: n,
	})
	if err != nil {
		t.Fatal(err)
	}

	if got, err := table.Count(t.Context()); err != nil || got != 1000 {
		t.Fatalf("got %d films, %v, want 1000", got, err)
	}
	bounds, err := table.Breakpoints(t.Context(), 300)
	if err != nil || len(bounds) != 3 {
		t.Fatalf("got breakpoints %v, %v, want 3", bounds, err)
	}
	docs, rejects := readAll(t, table.Range(t.Context(), doc.Range{}))
	if len(docs) != 1000 || len(rejects) != 0 {
		t.Fatalf("got %d films and rejects %v, want 1000 and none", len(docs), rejects)
	}
	body, err := docs["1"].Row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"row":{"film_id":1,"last_update":"` + films.Updated + `","title":"ACADEMY DINOSAUR",` +
		`"description":"An Endless Ballad of a Lighthouse Keeper and a Penguin who must Find a Mad Scientist at a Wedding",` +
		`"rating":"NC-17","release_year":2004,"special_features":["Trailers"],"language":"Swahili"}}`
	if string(body) != want {
		t.Errorf("got film 1 %s\nwant %s", body, want)
	}

	u := docs["1"].Updated
	stamps := readStamps(t, table.Stamps(t.Context(), doc.Window{From: u, To: u.Add(time.Microsecond)}))
	for _, s := range stamps {
		if d := docs[s.OID.String()]; !s.Same(d.Stamp) {
			t.Fatalf("got stamp %+v, want that of the document, %+v", s, d.Stamp)
		}
	}
	if len(stamps) != 1000 {
		t.Errorf("got %d stamps, want 1000", len(stamps))
	}
	if open := n.open(); open != 0 {
		t.Errorf("got %d fetches in flight, want none", open)
	}
}

func TestNowIsTheDatabasesClock(t *testing.T) {
	t.Parallel()
	table, dsn := newTable(t, "CREATE TABLE doc (id int, u timestamptz)", TableConfig{})
	before := pgtest.Value[time.Time](t, dsn, "SELECT clock_timestamp()")
	now, err := table.Now(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	after := pgtest.Value[time.Time](t, dsn, "SELECT clock_timestamp()")
	if now.Before(before) || now.After(after) || now.Location() != time.UTC {
		t.Errorf("got %v, want between %v and %v, in UTC", now, before, after)
	}
}
