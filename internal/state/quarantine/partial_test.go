package quarantine

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

func partialOf(t *testing.T, n int64, hash doc.DocHash, reason string) doc.Partial {
	return doc.Partial{OID: oid(t, n), Hash: hash, Flaws: []doc.Flaw{{Column: "year", Reason: reason}}}
}

func note(t *testing.T, q *Quarantine, at time.Time, docs ...doc.Partial) {
	t.Helper()
	if err := q.Note(docs, nil, at); err != nil {
		t.Fatal(err)
	}
	q.Confirm(doc.OIDs(docs))
}

// Partial rows are listed after those in quarantine, survive a restart, are counted apart
// and are not tried again.
func TestPartialRows(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{OID: oid(t, 9), Reason: "r"}, doc.Reject{Reason: "no key"}))
	note(t, q, start, partialOf(t, 7, 5, "soon is not a number"), partialOf(t, 8, 6, "NaN is not a number"))
	note(t, q, start.Add(time.Minute), partialOf(t, 8, 7, "later is not a number"))
	seven := Row{OID: oid(t, 7), Reason: "column year: soon is not a number", Since: start, Tries: 1, Hash: 5, Flaws: []doc.Flaw{{Column: "year", Reason: "soon is not a number"}}}
	eight := Row{OID: oid(t, 8), Reason: "column year: later is not a number", Since: start, Tries: 1, Hash: 7, Flaws: []doc.Flaw{{Column: "year", Reason: "later is not a number"}}}
	check := func(q *Quarantine, doubts int) {
		t.Helper()
		want(t, q, Row{Reason: "no key", Since: start, Tries: 1}, Row{OID: oid(t, 9), Reason: "r", Since: start, Tries: 1}, seven, eight)
		if q.Len() != 2 || q.Partials() != 2 || q.Has(oid(t, 7)) || !reflect.DeepEqual(q.Keys("", 9), []doc.OID{oid(t, 9)}) {
			t.Errorf("got %d in quarantine, %d partial, keys to try %v", q.Len(), q.Partials(), q.Keys("", 9))
		}
		if got := q.Doubtful("", 9); len(got) != doubts {
			t.Errorf("got %v in doubt, want %d", got, doubts)
		}
		if got, ok := q.Partial(oid(t, 8)); !ok || !reflect.DeepEqual(got, eight) {
			t.Errorf("got %+v, %t, want %+v", got, ok, eight)
		}
	}
	check(q, 0)
	q = open(t, fsys)
	check(q, 2) // the documents may be others
	if got := q.Doubtful(oid(t, 7), 1); len(got) != 1 || !got[0].Same(eight.partial()) {
		t.Errorf("in doubt after 7: got %v", got)
	}
	q.Confirm([]doc.OID{oid(t, 7), oid(t, 8)})
	check(q, 0)
	q.DoubtAll()
	check(q, 2)
	if err := q.Repaired([]doc.OID{oid(t, 7), oid(t, 9)}, []doc.OID{oid(t, 7), oid(t, 9)}); err != nil {
		t.Fatal(err)
	}
	add(t, q, batch(1, doc.Reject{OID: oid(t, 8), Reason: "worse"})) // and so no longer partial
	for _, q := range []*Quarantine{q, open(t, fsys)} {
		want(t, q, Row{Reason: "no key", Since: start, Tries: 1}, Row{OID: oid(t, 8), Reason: "worse", Since: start.Add(time.Second), Tries: 1})
		if q.Partials() != 0 || len(q.Doubtful("", 9)) != 0 {
			t.Errorf("got %d partial rows, want none", q.Partials())
		}
	}
}

// A row that is noted again as it was writes nothing, and is in doubt until it is
// confirmed, as is a listed row that is written otherwise.
func TestNoteAgain(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	note(t, q, start, partialOf(t, 7, 5, "r"), partialOf(t, 8, 5, "r"))
	before := read(t, fsys)
	if err := q.Note([]doc.Partial{partialOf(t, 7, 5, "r")}, []doc.OID{oid(t, 8), oid(t, 9)}, start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := read(t, fsys); !slices.Equal(got, before) {
		t.Errorf("got %s, want what was written before", got)
	}
	if got := doc.OIDs(q.Doubtful("", 9)); !slices.Equal(got, []doc.OID{oid(t, 7), oid(t, 8)}) {
		t.Errorf("in doubt: got %v, want 7 and 8", got)
	}
}

func TestPartialRowsInAStore(t *testing.T) {
	m := &memory{values: map[string][]byte{}}
	q := openIn(t, m)
	note(t, q, start, partialOf(t, 7, 5, "r"))
	again := openIn(t, m)
	if again.Partials() != 1 || len(again.Doubtful("", 9)) != 1 {
		t.Errorf("got %d partial rows, want 1 in doubt", again.Partials())
	}
	if err := q.Clear([]doc.OID{oid(t, 7)}); err != nil {
		t.Fatal(err)
	}
	if err := again.Reload(); err != nil || again.Partials() != 0 || len(again.Doubtful("", 9)) != 0 {
		t.Errorf("got %d partial rows, %v after Reload, want none", again.Partials(), err)
	}
}

func TestThePartialListIsBounded(t *testing.T) {
	q := openIn(t, &memory{values: map[string][]byte{}})
	var docs []doc.Partial
	for n := range maxPartial + 1 {
		docs = append(docs, partialOf(t, int64(n), 1, "r"))
	}
	note(t, q, start, docs...)
	note(t, q, start, docs[maxPartial])
	if q.Partials() != maxPartial {
		t.Errorf("got %d rows, want %d", q.Partials(), maxPartial)
	}
	if err := q.Clear(doc.OIDs(docs[:1])); err != nil {
		t.Fatal(err)
	}
	note(t, q, start, docs[maxPartial])
	if _, ok := q.Partial(docs[maxPartial].OID); !ok {
		t.Error("a row is not listed where there is room again")
	}
}

func TestAPartialLine(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	note(t, q, start, partialOf(t, 7, 0xab, "soon is not a number"))
	const line = `"oid":"7","reason":"column year: soon is not a number","since":"%s","tries":1,"kind":"partial","columns":[{"column":"year","reason":"soon is not a number"}],"hash":"00000000000000ab","crc":"`
	if got, want := string(read(t, fsys)), fmt.Sprintf(line, start.Format(time.RFC3339Nano)); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}
