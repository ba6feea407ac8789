package indextest

import (
	"maps"
	"slices"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
)

var listBehaviours = []behaviour{
	{"versions answer in the order asked, a key twice included", false, versionsInOrder},
	{"a document that stays is listed once while others come and go", false, listedWhileWritten},
	{"an index lists, counts and finds what a map has, merged and reopened at any time", false, likeAMap},
}

func versionsInOrder(r *run) {
	a, b, none := key("a"), key("b"), key("none")
	r.apply(r, []doc.Doc{film(a, 1, "a"), film(b, 2, "b")})
	got, err := r.ix.Versions([]doc.OID{b, none, a, b})
	if want := []doc.Version{2, 0, 1, 2}; err != nil || !slices.Equal(got, want) {
		r.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := r.ix.Versions(nil); err != nil || len(got) != 0 {
		r.Errorf("no keys: got %v, %v, want none", got, err)
	}
}

// Even keys stay. Before each call an odd key behind the list comes and one ahead of
// it goes.
func listedWhileWritten(r *run) {
	const n = 30
	var puts []doc.Doc
	for i := range int64(n) {
		puts = append(puts, film(key(i), doc.Version(i+1), "title"))
	}
	r.apply(r, puts)
	r.apply(r, nil, removed(key(int64(1)), n+1))
	var stayed []doc.Indexed
	from, step := doc.OID(""), int64(0)
	for {
		docs, next, err := r.ix.Documents(from, 4)
		if err != nil {
			r.Fatal(err)
		}
		for _, d := range docs {
			if d.V%2 == 1 {
				stayed = append(stayed, d)
			}
		}
		if next == "" {
			break
		}
		if next <= from {
			r.Fatalf("documents from %s: got next %s, want a greater key", from, next)
		}
		from = next
		r.apply(r, []doc.Doc{film(key(2*step+1), doc.Version(1000+2*step), "behind")}, removed(key(n-1-2*step), doc.Version(1001+2*step)))
		step++
	}
	var want []doc.Indexed
	for i := int64(0); i < n; i += 2 {
		want = append(want, indexed(key(i), doc.Version(i+1)))
	}
	if !slices.Equal(stayed, want) {
		r.Errorf("got %v, want %v", stayed, want)
	}
}

// drawnKeys have bytes 00 and ff, and one begins another.
var drawnKeys = []doc.OID{
	key(int64(0)), key(int64(-1)), key(int64(255)), key(int64(256)), key(""), key("a"), key("a\x00"), key("a\x00b"), key("ÿ"),
	key([16]byte{0xff, 0}), key("a", int64(1)), key("a", int64(2)),
}

func likeAMap(r *run) {
	rapid.Check(r.T, func(t *rapid.T) {
		x := &run{T: r.T, harness: r.harness}
		x.create()
		defer func() { _ = x.harness.Close(x.ix) }()
		m := &mapped{run: x, docs: map[doc.OID]doc.Version{}}
		steps := []func(*rapid.T){m.write, m.write, m.list, m.list, m.seek, m.merge, m.reopen}
		for range rapid.IntRange(2, 8).Draw(t, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(t, "step")](t)
		}
		for m.list(t); m.from != ""; {
			m.list(t)
		}
		m.holds(t, m.indexed(""))
	})
}

// A mapped is an index, the documents it must have, and the next key to list.
type mapped struct {
	*run
	docs map[doc.OID]doc.Version
	v    doc.Version
	from doc.OID
}

// indexed returns the documents from a key on, in key order.
func (m *mapped) indexed(from doc.OID) (docs []doc.Indexed) {
	for _, oid := range slices.Sorted(maps.Keys(m.docs)) {
		if oid >= from {
			docs = append(docs, indexed(oid, m.docs[oid]))
		}
	}
	return docs
}

func (m *mapped) write(t *rapid.T) {
	var puts []doc.Doc
	var deletes []doc.Removal
	for _, oid := range rapid.SliceOfNDistinct(rapid.SampledFrom(drawnKeys), 1, 6, rapid.ID[doc.OID]).Draw(t, "keys") {
		m.v++
		if rapid.Bool().Draw(t, "delete") {
			deletes = append(deletes, removed(oid, m.v))
			delete(m.docs, oid)
			continue
		}
		m.docs[oid] = m.v
		puts = append(puts, film(oid, m.v, "title"))
	}
	m.apply(t, puts, deletes...)
}

// list makes one call, and compares the result with the map's keys in its range.
func (m *mapped) list(t *rapid.T) {
	n := rapid.IntRange(1, 4).Draw(t, "n")
	got, next, err := m.ix.Documents(m.from, n)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(m.indexed(m.from), func(d doc.Indexed) bool { return next != "" && d.OID >= next })
	if !slices.Equal(got, want) || len(got) > n || next != "" && next <= m.from {
		t.Fatalf("%d from %s: got %v and next %s, want %v", n, m.from, got, next, want)
	}
	m.from = next
}

// seek makes the next call begin at any key, or between two keys.
func (m *mapped) seek(t *rapid.T) {
	m.from = rapid.SampledFrom(drawnKeys).Draw(t, "key") + doc.OID(rapid.SampledFrom([]string{"", "\x00"}).Draw(t, "after"))
}

func (m *mapped) merge(t *rapid.T) {
	if err := m.harness.Merge(m.ix); err != nil {
		t.Fatal(err)
	}
}

func (m *mapped) reopen(t *rapid.T) { m.run.reopen(t) }
