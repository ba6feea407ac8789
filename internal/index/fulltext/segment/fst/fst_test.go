package fst

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/vellum"
)

// vellum reads the terms and numbers of a Builder.
func TestFST(t *testing.T) {
	f := &Builder{}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		values := map[string]uint64{}
		for range r.IntN(600) {
			term := make([]byte, r.IntN(4))
			for i := range term {
				term[i] = byte(r.IntN(1 + 255*r.IntN(2)))
			}
			values[fmt.Sprintf("%s%s", []string{"", "common", "co"}[r.IntN(3)], term)] = r.Uint64() >> r.IntN(64)
		}
		checkFST(t, f, values)
	}
	all := map[string]uint64{"": 7}
	for c := range 256 { // a state with as many transitions as there can be
		all[string([]byte{byte(c)})] = uint64(c)
	}
	checkFST(t, f, all)
}

func checkFST(t *testing.T, f *Builder, values map[string]uint64) {
	t.Helper()
	f.Start(0)
	terms := make([]string, 0, len(values))
	for term := range values {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	for _, term := range terms {
		if err := f.Insert([]byte(term), values[term]); err != nil {
			t.Fatal(err)
		}
	}
	data, err := f.Finish()
	if err != nil {
		t.Fatal(err)
	}
	read, err := vellum.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if read.Len() != len(terms) {
		t.Fatalf("got %d terms, want %d", read.Len(), len(terms))
	}
	it, err := read.Iterator(nil, nil)
	for _, want := range terms {
		if err != nil {
			t.Fatal(err)
		}
		if term, v := it.Current(); string(term) != want || v != values[want] {
			t.Fatalf("got %q = %d, want %q = %d", term, v, want, values[want])
		}
		if v, ok, err := read.Get([]byte(want)); v != values[want] || !ok || err != nil {
			t.Fatalf("%q: got %d, %t, %v; want %d", want, v, ok, err, values[want])
		}
		err = it.Next()
	}
	if !errors.Is(err, vellum.ErrIteratorDone) {
		t.Fatalf("after the last term: got %v, want %v", err, vellum.ErrIteratorDone)
	}
}
