package sourcetest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// ever is a window that has all times of a test.
var ever = doc.Window{From: time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}

// all is a range that has all keys.
var all doc.Range

// A reading is what one way of reading returned, and the error that ended it.
type reading struct {
	way     string
	batches []doc.Batch
	pages   int
	docs    []doc.Doc
	rejects []doc.Reject
	deleted []doc.OID
	stamps  []doc.Stamp // of the documents, too
	err     error
}

// rows returns the number of rows that were read.
func (r reading) rows() int { return len(r.stamps) + len(r.rejects) + len(r.deleted) }

// keys returns the printed keys of the stamps, sorted, each once.
func (r reading) keys() string { return printed(doc.OIDs(r.stamps)) }

// reasons returns the printed keys and reasons of the rejects, sorted.
func (r reading) reasons() string {
	var lines []string
	for _, reject := range r.rejects {
		lines = append(lines, strings.TrimPrefix(reject.OID.String()+": ", "0x: ")+reject.Reason)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// printed returns keys sorted, each once.
func printed(oids []doc.OID) string {
	var texts []string
	for _, o := range slices.Compact(slices.Sorted(slices.Values(oids))) {
		texts = append(texts, o.String())
	}
	return strings.Join(texts, " ")
}

func readBatches(way string, batches iter.Seq2[doc.Batch, error]) reading {
	r := reading{way: way}
	for b, err := range batches {
		if err != nil {
			r.err = err
			break
		}
		r.batches, r.pages = append(r.batches, b), r.pages+1
		r.docs, r.rejects, r.deleted = append(r.docs, b.Docs...), append(r.rejects, b.Rejects...), append(r.deleted, b.Deleted...)
	}
	for _, d := range r.docs {
		r.stamps = append(r.stamps, d.Stamp)
	}
	return r
}

func readStamps(way string, pages iter.Seq2[[]doc.Stamp, error]) reading {
	r := reading{way: way}
	for page, err := range pages {
		if err != nil {
			r.err = err
			break
		}
		r.stamps, r.pages = append(r.stamps, page...), r.pages+1
	}
	return r
}

// A way is one way of reading rows, the same in every source.
type way struct {
	name string
	read func(context.Context, Table, doc.Window, []doc.OID) reading
}

var ways = []way{
	{"Range", func(ctx context.Context, t Table, _ doc.Window, _ []doc.OID) reading {
		return readBatches("Range", t.Range(ctx, all))
	}},
	{"Docs", func(ctx context.Context, t Table, _ doc.Window, oids []doc.OID) reading {
		return readBatches("Docs", t.Docs(ctx, oids))
	}},
	{"Stamps", func(ctx context.Context, t Table, w doc.Window, _ []doc.OID) reading {
		return readStamps("Stamps", t.Stamps(ctx, w))
	}},
	{"StampsInRange", func(ctx context.Context, t Table, _ doc.Window, _ []doc.OID) reading {
		return readStamps("StampsInRange", t.StampsInRange(ctx, all))
	}},
	{"StampsOf", func(ctx context.Context, t Table, _ doc.Window, oids []doc.OID) reading {
		stamps, err := t.StampsOf(ctx, oids)
		return reading{way: "StampsOf", stamps: stamps, err: err}
	}},
}

// everyWay reads all rows, or those of the keys, in every way.
func (r *run) everyWay(t Table, oids ...doc.OID) (all []reading) {
	r.Helper()
	for _, w := range ways {
		read := w.read(r.Context(), t, ever, oids)
		if read.err != nil {
			r.Fatalf("%s: %v", w.name, read.err)
		}
		all = append(all, read)
	}
	return all
}

// agree checks that the table has exactly the rows of these keys, that every way
// of reading returns each of them, once, and with the same stamp, whose token is
// known. It returns the stamps. A window may have a row twice, and has no row without an updateTime.
func (r *run) agree(t Table, want ...doc.OID) map[doc.OID]doc.Stamp {
	r.Helper()
	readings := r.everyWay(t, want...)
	stamps := map[doc.OID]doc.Stamp{}
	var timed []doc.OID
	for _, s := range readings[0].stamps {
		stamps[s.OID] = s
		if !s.Updated.IsZero() {
			timed = append(timed, s.OID)
		}
	}
	for _, read := range readings {
		wanted := want
		if read.way == "Stamps" {
			wanted = timed
		} else if len(read.stamps) != len(want) || len(read.rejects)+len(read.deleted) > 0 {
			r.Errorf("%s: got %d rows, rejects %q and deleted %v, want %d rows", read.way, len(read.stamps), read.reasons(), read.deleted, len(want))
		}
		if got, want := read.keys(), printed(wanted); got != want {
			r.Errorf("%s: got the keys %s, want %s", read.way, got, want)
		}
		for _, s := range read.stamps {
			if !s.Same(stamps[s.OID]) || (s.Token.Digest == 0) != r.h.Facts.NoDigest {
				r.Errorf("%s: got stamp %+v of %v, want that of Range, %+v", read.way, s, s.OID, stamps[s.OID])
			}
		}
	}
	return stamps
}

// inWindow returns the printed keys of a window.
func (r *run) inWindow(t Table, from, to time.Time) string {
	r.Helper()
	read := readStamps("Stamps", t.Stamps(r.Context(), doc.Window{From: from, To: to}))
	if read.err != nil {
		r.Fatal(read.err)
	}
	return read.keys()
}

// rangeOf reads the documents of a table.
func (r *run) rangeOf(t Table) reading {
	r.Helper()
	read := readBatches("Range", t.Range(r.Context(), all))
	if read.err != nil {
		r.Fatal(read.err)
	}
	return read
}

func body(t testing.TB, d doc.Doc) string {
	t.Helper()
	b, err := d.Row.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A sink assigns the numbers of fetches, and checks that each fetch begins and
// ends once.
type sink struct {
	t             testing.TB
	before, after func(doc.FetchSeq) // called before and after a snapshot is taken
	refuse        error              // of Begin

	mu   sync.Mutex
	last doc.FetchSeq
	open map[doc.FetchSeq]bool
}

// sink returns a sink that has no open fetch when the test ends.
func (r *run) sink() *sink {
	s := &sink{t: r, open: map[doc.FetchSeq]bool{}}
	r.Cleanup(func() {
		if open := s.fetches(); len(open) > 0 {
			r.Errorf("got open fetches %v at the end, want none", open)
		}
	})
	return s
}

func (s *sink) fetches() []doc.FetchSeq {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.open))
}

// Begin implements Numbers.
func (s *sink) Begin(open func() error) (doc.FetchSeq, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return 0, s.refuse
	}
	s.last++
	if s.before != nil {
		s.before(s.last)
	}
	if err := open(); err != nil {
		return 0, err
	}
	if s.after != nil {
		s.after(s.last)
	}
	s.open[s.last] = true
	return s.last, nil
}

// End implements Numbers.
func (s *sink) End(seq doc.FetchSeq) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.open[seq] {
		s.t.Errorf("got the end of fetch %d, which is not open", seq)
	}
	delete(s.open, seq)
}

// numbered returns n rows with the keys 1 to n and the updateTimes at(1) to at(n).
func numbered(n int) (rows []Row) {
	for i := range n {
		rows = append(rows, row(i+1, fmt.Sprint("text ", i+1)))
	}
	return rows
}
