package indextest

import (
	"fmt"
	"sync"

	"indexerd/internal/base/doc"
)

var writeBehaviours = []behaviour{
	{"a put adds or replaces a document, and a delete removes it", false, putsAndDeletes},
	{"of two puts of one key in a batch the later wins", false, laterPut},
	{"an empty batch, and the delete of a key without a document, do nothing", false, nothingToDo},
	{"a key may be written again after its delete", false, writtenAgain},
	{"versions keep all 63 bits", false, largeVersions},
	{"a large batch is written whole", false, largeBatch},
	{"concurrent batches of different keys are all written", false, concurrentBatches},
	{"documents, hashes and generation survive a close", false, reopened},
	{"a hash depends on the indexed text alone", false, hashes},
}

func putsAndDeletes(r *run) {
	a, b, c := key(int64(1)), key(int64(2)), key(int64(3))
	r.holds(r, nil, a, b, c)
	r.apply(r, []doc.Doc{film(b, 2, "second"), film(a, 1, "first")})
	r.holds(r, []doc.Indexed{indexed(a, 1), indexed(b, 2)}, c)
	r.apply(r, []doc.Doc{film(a, 3, "replaced"), film(c, 4, "third")}, removed(b, 5))
	r.holds(r, []doc.Indexed{indexed(a, 3), indexed(c, 4)}, b)
	r.apply(r, nil, removed(a, 6), removed(c, 6))
	r.holds(r, nil, a, b, c)
}

func laterPut(r *run) {
	a := key("a")
	r.apply(r, []doc.Doc{film(a, 1, "old"), film(a, 2, "new")})
	r.holds(r, []doc.Indexed{indexed(a, 2)})
}

func nothingToDo(r *run) {
	a, b := key("a"), key("b")
	r.apply(r, nil)
	r.apply(r, nil, removed(a, 1))
	r.apply(r, []doc.Doc{film(b, 1, "stays")}, removed(a, 2))
	r.holds(r, []doc.Indexed{indexed(b, 1)}, a)
}

func writtenAgain(r *run) {
	a := key("a")
	r.apply(r, []doc.Doc{film(a, 1, "first")})
	r.apply(r, nil, removed(a, 2))
	r.apply(r, []doc.Doc{film(a, 3, "again")})
	r.holds(r, []doc.Indexed{indexed(a, 3)})
}

// A version that passes through a floating-point number loses its last bits.
func largeVersions(r *run) {
	a, b := key("a"), key("b")
	r.apply(r, []doc.Doc{film(a, 1<<53+1, "odd"), film(b, 1<<63-1, "largest")})
	r.holds(r, []doc.Indexed{indexed(a, 1<<53+1), indexed(b, 1<<63-1)})
}

func largeBatch(r *run) {
	const n = 3000
	var puts []doc.Doc
	var want []doc.Indexed
	for i := range int64(n) {
		puts = append(puts, film(key(i), doc.Version(i+1), fmt.Sprintf("row %d", i)))
		want = append(want, indexed(key(i), doc.Version(i+1)))
	}
	r.apply(r, puts)
	r.holds(r, want, key(int64(-1)), key(int64(n)))
}

func concurrentBatches(r *run) {
	const writers, rounds, each = 3, 3, 20
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for round := range rounds {
				var puts []doc.Doc
				for i := range each {
					puts = append(puts, film(key(int64(w*each+i)), doc.Version(round+1), "title"))
				}
				if err := r.ix.Apply(puts, nil); err != nil {
					r.Error(err)
				}
			}
		})
	}
	all.Wait()
	var want []doc.Indexed
	for i := range writers * each {
		want = append(want, indexed(key(int64(i)), rounds))
	}
	r.holds(r, want)
}

func reopened(r *run) {
	a, b := key("a"), key("b")
	r.apply(r, []doc.Doc{film(a, 1, "kept"), film(b, 2, "deleted")})
	r.apply(r, []doc.Doc{film(a, 3, "replaced")}, removed(b, 4))
	before, _, err := r.ix.Hash(row("kept", 1999))
	if err != nil {
		r.Fatal(err)
	}
	r.reopen(r)
	r.holds(r, []doc.Indexed{indexed(a, 3)}, b)
	if got := r.ix.Generation(); got != generation {
		r.Errorf("generation: got %d, want %d", got, generation)
	}
	if after, _, err := r.ix.Hash(row("kept", 1999)); err != nil || after != before {
		r.Errorf("hash: got %x, %v after the index was opened again, want %x", after, err, before)
	}
	r.apply(r, []doc.Doc{film(b, 5, "written after")})
	r.holds(r, []doc.Indexed{indexed(a, 3), indexed(b, 5)})
}

func hashes(r *run) {
	hash := func(x doc.Row) doc.DocHash {
		h, _, err := r.ix.Hash(x)
		if err != nil {
			r.Fatal(err)
		}
		return h
	}
	one := row("one", 1999)
	more := doc.Row{Names: append(one.Names[:2:2], "stock"), Values: append(one.Values[:2:2], int64(5))}
	if hash(one) == hash(row("two", 1999)) {
		r.Error("two titles have one hash")
	}
	if hash(one) != hash(more) {
		r.Error("a column that is not indexed changes the hash")
	}
	if _, _, err := r.ix.Hash(r.harness.Unfit); err == nil {
		r.Error("the unfit row: got no error, want one")
	}
}
