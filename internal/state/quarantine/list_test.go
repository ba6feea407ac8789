package quarantine

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

// Keyless removes rows without a key that are not listed, and leaves rows with a key.
func TestKeylessReplacesTheRowsWithoutAKey(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{Reason: "repaired"}, doc.Reject{Reason: "stays"}, doc.Reject{OID: oid(t, 7), Reason: "stays"}))
	at := start.Add(time.Minute)
	listing := []doc.Reject{{Reason: "new"}, {Reason: "stays"}, {OID: oid(t, 8), Reason: "it has a key"}}
	if err := q.Keyless(listing, at); err != nil {
		t.Fatal(err)
	}
	rows := []Row{
		{Reason: "new", Since: at, Tries: 1},
		{Reason: "stays", Since: start, Tries: 1},
		{OID: oid(t, 7), Reason: "stays", Since: start, Tries: 1},
	}
	want(t, q, rows...)
	want(t, open(t, fsys.Crash(faultfs.Worst)), rows...)

	if err := q.Keyless(nil, at); err != nil {
		t.Fatal(err)
	}
	want(t, q, rows[2])
	want(t, open(t, fsys), rows[2])
}

// A reason that is not UTF-8 is the same row in every listing.
func TestKeylessReasonThatIsNotUTF8(t *testing.T) {
	q := open(t, disk(t))
	for range 2 {
		if err := q.Keyless([]doc.Reject{{Reason: "key \xff"}}, start); err != nil {
			t.Fatal(err)
		}
	}
	want(t, q, Row{Reason: "key \uFFFD", Since: start, Tries: 1})
}

func TestRowHasAndLenWith(t *testing.T) {
	q := open(t, disk(t))
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "r"}, doc.Reject{Reason: "no key"}))
	got, ok := q.Row(oid(t, 7))
	if want := (Row{OID: oid(t, 7), Reason: "r", Since: start, Tries: 1}); !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %t, want %+v", got, ok, want)
	}
	for key, want := range map[doc.OID]bool{oid(t, 7): true, oid(t, 8): false, "": false} {
		if got := q.Has(key); got != want {
			t.Errorf("row %v: got %t, want %t", key, got, want)
		}
	}
	more := []doc.Reject{{OID: oid(t, 7), Reason: "other"}, {Reason: "no key"}, {OID: oid(t, 9)}, {OID: oid(t, 9)}, {Reason: "NULL"}, {Reason: "NULL"}}
	if got := q.LenWith(more); got != 4 || q.Len() != 2 {
		t.Errorf("with others: got %d, without %d, want 4, 2", got, q.Len())
	}
}

// List returns the rows in order, and each row that stays exactly once, also if other
// rows come and go between the calls.
func TestListReturnsEachRowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := open(t, disk(t))
		number := rapid.Int64Range(-20, 20)
		change := func(label string) {
			var rejects []doc.Reject
			for _, n := range rapid.SliceOf(number).Draw(t, label) {
				if n < 0 {
					rejects = append(rejects, doc.Reject{Reason: fmt.Sprintf("reason %d", n)})
				} else {
					rejects = append(rejects, doc.Reject{OID: oid(t, n), Reason: "r"})
				}
			}
			add(t, q, doc.Batch{Rejects: rejects})
		}
		change("before")
		before, size := q.Rows(), rapid.IntRange(1, 7).Draw(t, "size")
		var listed []Row
		gone := map[string]bool{}
		for after, first := "", true; first || after != ""; first = false {
			rows, next := q.List(after, size)
			if len(rows) > size || next != "" && len(rows) < size {
				t.Fatalf("got a page of %d and next %q, want %d", len(rows), next, size)
			}
			listed, after = append(listed, rows...), next
			change("between")
			leaves := oid(t, rapid.Int64Range(0, 20).Draw(t, "leaves"))
			gone[string(leaves)] = true
			if err := q.Clear([]doc.OID{leaves}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range len(listed) - 1 {
			if listed[i].id() >= listed[i+1].id() {
				t.Fatalf("row %d: got %+v before %+v", i, listed[i], listed[i+1])
			}
		}
		for _, r := range before {
			if !gone[r.id()] && !slices.ContainsFunc(listed, func(l Row) bool { return l.id() == r.id() }) {
				t.Fatalf("row %+v is in no page", r)
			}
		}
	})
}

func TestListOfNothing(t *testing.T) {
	q := open(t, disk(t))
	if rows, next := q.List("", 10); len(rows) > 0 || next != "" {
		t.Errorf("got %v, next %q, want none", rows, next)
	}
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "r"}))
	for _, size := range []int{0, -1} {
		if rows, next := q.List("", size); len(rows) > 0 || next != "" {
			t.Errorf("size %d: got %v, next %q, want none", size, rows, next)
		}
	}
	if rows, next := q.List("zz", 10); len(rows) > 0 || next != "" {
		t.Errorf("after the last: got %v, next %q, want none", rows, next)
	}
	if rows, next := q.List("", 1); len(rows) != 1 || next != "" {
		t.Errorf("a page that has all: got %v, next %q, want 1 and none", rows, next)
	}
}

// A row has the newest fetch that has added it, until it leaves or the list is opened
// again.
func TestFetch(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	for _, fetch := range []doc.FetchSeq{3, 8} {
		add(t, q, doc.Batch{Fetch: fetch, At: start, Rejects: []doc.Reject{{OID: oid(t, 7), Reason: "r"}, {Reason: "no key"}}})
		if got := q.Fetch(oid(t, 7)); got != fetch {
			t.Errorf("got fetch %d, want %d", got, fetch)
		}
	}
	for _, key := range []doc.OID{oid(t, 8), ""} {
		if got := q.Fetch(key); got != 0 {
			t.Errorf("row %v: got fetch %d, want 0", key, got)
		}
	}
	if got := open(t, fsys).Fetch(oid(t, 7)); got != 0 {
		t.Errorf("opened again: got fetch %d, want 0", got)
	}
	if err := q.Clear([]doc.OID{oid(t, 7)}); err != nil || q.Fetch(oid(t, 7)) != 0 {
		t.Errorf("cleared: got fetch %d, %v, want 0", q.Fetch(oid(t, 7)), err)
	}
}

// A version that was rejected is known until the list is opened again, or another one is
// rejected. One with an unknown token is not.
func TestRejected(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	seen := doc.Stamp{OID: oid(t, 7), Updated: start, Token: doc.Token{Digest: 5, Epoch: 1}}
	other := seen
	other.Token.Digest = 6
	unknown := seen
	unknown.Token.Digest = 0
	add(t, q, batch(0, doc.Reject{OID: seen.OID, Reason: "r", Seen: seen}))
	if !q.Rejected(seen) || q.Rejected(other) || q.Rejected(unknown) {
		t.Errorf("got %t, %t and %t, want the version that was rejected alone", q.Rejected(seen), q.Rejected(other), q.Rejected(unknown))
	}
	if open(t, fsys).Rejected(seen) {
		t.Error("it is known after a restart, which may have another configuration")
	}
	add(t, q, batch(1, doc.Reject{OID: seen.OID, Reason: "r", Seen: unknown}))
	if q.Rejected(seen) || q.Rejected(unknown) {
		t.Error("a version is known though another one was rejected since")
	}
}
