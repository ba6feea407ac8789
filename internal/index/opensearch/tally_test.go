package opensearch

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// Writes of others to a real index are noticed once each. Those of this process
// are not taken for them: puts, removals of what is there and of what is not, and
// writes that are refused.
func TestWritesOfOthersAreNoticed(t *testing.T) {
	ix := create(t, node(t))
	examine := func(what string, want error) {
		t.Helper()
		if err := ix.Examine(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", what, err, want)
		}
	}
	foreign := func(method, path string, body any) {
		t.Helper()
		if err := ix.wire.ask(t.Context(), method, "/"+ix.name+path, body, nil); err != nil {
			t.Fatal(err)
		}
	}
	write := func(want error, puts []doc.Doc, deletes ...doc.Removal) {
		t.Helper()
		if err := ix.Apply(puts, deletes); !errors.Is(err, want) {
			t.Fatalf("got %v, want %v", err, want)
		}
	}
	film1, film2 := "/"+id(oid(t, 1)), "/"+id(oid(t, 2))
	examine("empty", nil)
	write(nil, []doc.Doc{film(t, 1, 10, "a"), film(t, 2, 11, "b"), film(t, 3, 12, "c")})
	examine("the first writes", nil)
	write(nil, []doc.Doc{film(t, 1, 13, "d")}, doc.Removals(14, oid(t, 3), oid(t, 4))...)
	write(nil, []doc.Doc{film(t, 1, 13, "d")})
	write(nil, nil, doc.Removals(13, oid(t, 4))...) // there is nothing to remove
	examine("puts and removals", nil)

	foreign(http.MethodPost, "/_update"+film1, object{"doc": object{"title": "of others"}})
	examine("an update of others", ErrForeign)
	examine("nothing since", nil)
	foreign(http.MethodDelete, "/_doc"+film2, nil)
	write(nil, []doc.Doc{film(t, 5, 15, "e")})
	examine("a removal of others between writes", ErrForeign)
	again, err := ix.config.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	ix = again
	foreign(http.MethodPost, "/_doc", object{"title": "of others"})
	examine("a new document of others since it was opened again", ErrForeign)
	write(nil, []doc.Doc{film(t, 6, 16, "f")})
	examine("own writes again", nil)
}

func TestTally(t *testing.T) {
	n, term := int64(1), int64(3)
	done, conflict := result{Status: 201, SeqNo: &n, Term: term}, result{Status: 409}
	on := func(node string, operations int64) primaries {
		return primaries{nodes: []string{node}, operations: operations}
	}
	for _, test := range []struct {
		name    string
		items   int
		answers []result
		then    primaries
		want    error
	}{
		{"nothing", 0, nil, on("a", 100), nil},
		{"a write of others", 0, nil, on("a", 101), ErrForeign},
		{"own writes", 2, []result{done, done}, on("a", 102), nil},
		{"own writes and one of others", 2, []result{done, done}, on("a", 103), ErrForeign},
		{"a refused write is no operation", 2, []result{done, conflict}, on("a", 102), ErrForeign},
		{"a write without an answer may be one", 2, nil, on("a", 102), nil},
		{"but not more", 2, nil, on("a", 103), ErrForeign},
		{"another primary", 0, nil, on("b", 105), nil},
		{"a primary that has failed meanwhile", 1, []result{{Status: 201, SeqNo: &n, Term: term + 1}}, on("a", 105), nil},
	} {
		var c tally
		c.begins(1)
		c.ends(1, []result{done})
		for range 2 { // the second one ends the learning of terms
			if err := c.compare(on("a", 100), true); err != nil {
				t.Fatal(err)
			}
		}
		if test.items > 0 {
			c.begins(test.items)
			c.ends(test.items, test.answers)
		}
		if err := c.compare(test.then, true); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
		if err := c.compare(test.then, true); err != nil {
			t.Errorf("%s, a second time: got %v, want none", test.name, err)
		}
	}
}

// After a failure the term of the new primary is first seen in answers to later bulks. It
// is no further failure: writes of others beside these bulks are noticed.
func TestTallyAfterAFailure(t *testing.T) {
	const bulk = 5
	answers := func(term int64) []result {
		n := int64(1)
		return slices.Repeat([]result{{Status: 201, SeqNo: &n, Term: term}}, bulk)
	}
	at := func(node string, operations int64) primaries {
		return primaries{nodes: []string{node}, operations: operations}
	}
	for _, test := range []struct {
		name  string
		fails func(c *tally) // after 15 operations
		then  primaries
	}{
		{"an answer is lost", func(c *tally) { c.begins(bulk); c.ends(bulk, nil) }, at("a", 20)},
		{"the primary is on another node", func(*tally) {}, at("b", 15)},
		{"an answer has a new term", func(c *tally) { c.begins(bulk); c.ends(bulk, answers(2)) }, at("a", 20)},
	} {
		var c tally
		for operations := int64(bulk); operations <= 15; operations += bulk {
			c.begins(bulk)
			c.ends(bulk, answers(1))
			if err := c.compare(at("a", operations), true); err != nil {
				t.Fatal(err)
			}
		}
		test.fails(&c)
		if err := c.compare(test.then, true); err != nil {
			t.Errorf("%s: got %v, want none", test.name, err)
		}
		c.begins(bulk)
		c.ends(bulk, answers(3))
		test.then.operations += bulk + 1
		if err := c.compare(test.then, true); !errors.Is(err, ErrForeign) {
			t.Errorf("%s, a write of others: got %v, want %v", test.name, err, ErrForeign)
		}
	}
}

// Writes of others are noticed also if bulks follow each other without a gap: they wait
// until the shards are read.
func TestTallyDuringWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tally
		var operations atomic.Int64 // of the shards
		n := int64(1)
		ctx, end := context.WithCancel(t.Context())
		var writing sync.WaitGroup
		defer writing.Wait()
		defer end()
		for range 3 {
			writing.Go(func() {
				for ctx.Err() == nil {
					c.begins(2)
					operations.Add(2)
					<-time.After(700 * time.Millisecond) // for the answer
					c.ends(2, []result{{SeqNo: &n}, {SeqNo: &n}})
				}
			})
		}
		examine := func() error {
			<-time.After(10 * time.Second)
			still, resume := c.pause()
			defer resume()
			return c.compare(primaries{nodes: []string{"a"}, operations: operations.Load()}, still)
		}
		for range 20 {
			if err := examine(); err != nil {
				t.Errorf("own writes: got %v, want none", err)
			}
		}
		operations.Add(1)
		if err := examine(); !errors.Is(err, ErrForeign) {
			t.Errorf("a write of others: got %v, want %v", err, ErrForeign)
		}
		if err := errors.Join(examine(), examine()); err != nil {
			t.Errorf("afterwards: got %v, want none", err)
		}
	})
}

// A bulk that hangs does not stop an examination, which then is no base to count from.
func TestTallyWithABulkThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c tally
		c.begins(5)
		for want := firstPause; want < lastPause; want *= 2 {
			began := time.Now()
			still, resume := c.pause()
			if err := c.compare(primaries{operations: 3}, still); still || err != nil || time.Since(began) != want {
				t.Errorf("got %t, %v after %v, want false after %v", still, err, time.Since(began), want)
			}
			resume()
		}
		c.ends(5, nil)
		still, resume := c.pause()
		defer resume()
		if err := c.compare(primaries{operations: 5}, still); !still || err != nil {
			t.Errorf("after its end: got %t, %v, want true", still, err)
		}
	})
}
