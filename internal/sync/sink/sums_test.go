package sink

import (
	"iter"
	"maps"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A ledger follows the token of each document, but for those that may have changed
// without its knowledge.
type ledger struct {
	tokens  map[doc.OID]doc.Token
	unknown map[doc.OID]bool
	began   int
}

func (l *ledger) Writing() int {
	l.began++
	return l.began
}

func (l *ledger) Wrote(since int, stamps iter.Seq2[doc.Stamp, doc.Stamp]) {
	for before, now := range stamps {
		was, there := l.tokens[now.OID]
		switch {
		case l.unknown[now.OID]:
		case since != l.began || there != (before.OID != "") || was != before.Token:
			l.tokens[now.OID] = doc.Token{} // wrong
		default:
			l.tokens[now.OID] = now.Token
		}
	}
}

func (l *ledger) Changed(oids []doc.OID) {
	for _, oid := range oids {
		delete(l.tokens, oid)
		l.unknown[oid] = true
	}
}

// Sums hear of each write and removal. Of one that failed, or of documents that were
// refused, they hear that the documents may have changed.
func TestSumsFollowWrites(t *testing.T) {
	w := newWorld()
	s, l := w.start(), &ledger{tokens: map[doc.OID]doc.Token{}, unknown: map[doc.OID]bool{}}
	s.Sums = l
	want := func(when string, titles map[doc.OID]string) {
		t.Helper()
		tokens := map[doc.OID]doc.Token{}
		for oid, title := range titles {
			tokens[oid] = stampOf(oid, title).Token
		}
		if !maps.Equal(l.tokens, tokens) {
			t.Errorf("%s: got %v, want %v", when, l.tokens, tokens)
		}
	}
	fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
	fetch(t, s, map[doc.OID]string{one: "c", two: "b", three: "d"})
	want("after an update and a new row", map[doc.OID]string{one: "c", two: "b", three: "d"})
	remove(t, s, begin(t, s), stampOf(two, "b"))
	want("after a removal", map[doc.OID]string{one: "c", three: "d"})
	for range 2 { // a failure, and then document by document
		applies := 0
		w.before(func(step string) error {
			if step != "apply" {
				return nil
			}
			if applies++; applies == 2 { // they are read in between
				l.tokens[one], l.unknown = stampOf(one, "c").Token, map[doc.OID]bool{two: true}
			}
			return nil
		})
		_, _ = s.Put(t.Context(), batchOf(begin(t, s), map[doc.OID]string{one: "e", two: fakeworld.Refused}))
		want("after a refused document", map[doc.OID]string{three: "d"})
	}
	w.before(failAt("put pages"))
	if _, err := s.Put(t.Context(), batchOf(begin(t, s), map[doc.OID]string{three: "f"})); err == nil {
		t.Error("got no error of the pages")
	}
	w.before(nil)
	want("after a document without its page", nil)
	four := fakeworld.Key(4)
	fetch(t, s, map[doc.OID]string{three: "f", four: "g"})
	want("after a new row", map[doc.OID]string{four: "g"})
}
