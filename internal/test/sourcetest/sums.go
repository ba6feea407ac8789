package sourcetest

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
)

var sumBehaviours = []behaviour{
	{sumsOfKeys, true, rangeSums},
	{"sums of tokens are those of the stamps", true, tokenSums},
	{"sums of tokens cover the children of live rows", true, childSums},
}

const sumsOfKeys = "sums of ranges of keys differ where a key came or went"

type summed interface {
	Sums(context.Context, []doc.OID) ([]doc.Sum, error)
	TokenSums(context.Context, []doc.OID) ([]doc.Sum, error)
	StampsInRanges(context.Context, []doc.Range) iter.Seq2[[]doc.Stamp, error]
}

func (r *run) sums(table SQLTable, bounds ...doc.OID) []doc.Sum {
	r.Helper()
	sums, err := table.(summed).Sums(r.Context(), bounds)
	if err != nil {
		r.Fatal(err)
	}
	return sums
}

// checkSums checks that sums divide the table at each key as OIDs are ordered.
func (r *run) checkSums(table Table, keys []doc.OID) {
	r.Helper()
	summed, ok := table.(summed)
	if !ok || r.h.Lacks[sumsOfKeys] != "" {
		return
	}
	sorted := slices.Sorted(slices.Values(keys))
	sums, err := summed.Sums(r.Context(), sorted)
	if err != nil || len(sums) != len(sorted)+1 || sums[0].Rows != 0 {
		r.Fatalf("Sums of %d ranges: got %v, %v, want no row in the first one", len(sorted)+1, sums, err)
	}
	for i, s := range sums[1:] {
		if s.Rows != 1 {
			r.Errorf("the range from %v: got %d rows, want 1", sorted[i], s.Rows)
		}
	}
	third, half := sorted[len(sorted)/3], sorted[len(sorted)/2]
	stamps := readStamps("StampsInRanges", summed.StampsInRanges(r.Context(), []doc.Range{{To: third}, {From: half}}))
	want := append(slices.Clone(sorted[:len(sorted)/3]), sorted[len(sorted)/2:]...)
	if got := slices.Sorted(slices.Values(doc.OIDs(stamps.stamps))); stamps.err != nil || !slices.Equal(got, want) {
		r.Errorf("StampsInRanges below %v and from %v: got %v, %v, want %v", third, half, got, stamps.err, want)
	}
}

// tokenSums compares sums with those of the stamps, while rows change.
func tokenSums(r *run) {
	if r.h.Facts.NoDigest || r.h.Lacks[sumsOfKeys] != "" {
		return
	}
	r.exec("CREATE TABLE doc (id {int} PRIMARY KEY, v {text})")
	for n := range 30 {
		r.exec("INSERT INTO doc VALUES (" + r.h.Facts.Literal(int64(n)) + ", 'a')")
	}
	table := r.open(Config{SQL: "SELECT * FROM doc", Timeless: true, Deleted: Deleted{Column: "v", Values: []any{"gone"}}})
	bounds := []doc.OID{oid(4), oid(11), oid(12), oid(40)}
	var changes []string
	for _, change := range []string{"v = 'a' WHERE id = 3", "v = 'b' WHERE id = 3", "v = NULL WHERE id = 20", "v = 'gone' WHERE id = 11", "v = CASE id WHEN 5 THEN 'x' ELSE 'y' END WHERE id IN (5, 6)", "v = CASE id WHEN 5 THEN 'y' ELSE 'x' END WHERE id IN (5, 6)"} {
		changes = append(changes, "UPDATE doc SET "+change)
	}
	r.sumsOfStamps(table, bounds, changes)
}

// childSums compares sums with those of the stamps, while children change.
func childSums(r *run) {
	if r.h.Facts.NoDigest || r.h.Lacks[sumsOfKeys] != "" {
		return
	}
	r.exec("CREATE TABLE doc (id {int} PRIMARY KEY, v {text})", "CREATE TABLE part (id {int}, v {text})")
	for n := range 20 {
		id := r.h.Facts.Literal(int64(n))
		r.exec("INSERT INTO doc VALUES ("+id+", 'a')", "INSERT INTO part VALUES ("+id+", 'a')", "INSERT INTO part VALUES ("+id+", 'b')")
	}
	var children []Child
	for _, name := range []string{"parts", "others"} {
		children = append(children, Child{Name: name, Path: "children." + name, SQL: "SELECT * FROM part WHERE '" + name + "' = 'parts' OR v = 'b'", Key: []string{"id"}})
	}
	table := r.open(Config{SQL: "SELECT * FROM doc", Timeless: true, Children: children, Deleted: Deleted{Column: "v", Values: []any{"gone"}}})
	changes := []string{
		"INSERT INTO part VALUES (3, 'c')", "INSERT INTO part VALUES (3, 'c')", "DELETE FROM part WHERE id = 3", "UPDATE part SET id = 6 WHERE id = 5",
		"UPDATE part SET v = 'c' WHERE id = 7 AND v = 'b'", "DELETE FROM doc WHERE id = 8", "UPDATE doc SET v = 'gone' WHERE id = 9", "DELETE FROM part",
	}
	for _, unseen := range []string{"(21, 'no parent')", "(NULL, 'no key')", "(8, 'no parent left')"} {
		changes = append(changes, "INSERT INTO doc VALUES (5"+strconv.Itoa(len(changes))+", 'a')", "INSERT INTO part VALUES "+unseen)
	}
	r.sumsOfStamps(table, []doc.OID{oid(4), oid(6), oid(12)}, changes)
}

// sumsOfStamps compares sums with those of the stamps after each change. A change that
// no stamp shows has no other sums.
func (r *run) sumsOfStamps(table SQLTable, bounds []doc.OID, changes []string) {
	r.Helper()
	var before []doc.Sum
	for _, change := range changes {
		r.exec(change)
		want := make([]doc.Sum, len(bounds)+1)
		for _, s := range readStamps("StampsInRange", table.StampsInRange(r.Context(), all)).stamps {
			at, found := slices.BinarySearch(bounds, s.OID)
			if found {
				at++
			}
			want[at].Rows, want[at].Digest, want[at].Epoch = want[at].Rows+1, want[at].Digest+s.Token.Digest, s.Token.Epoch
		}
		got, err := table.(summed).TokenSums(r.Context(), bounds)
		if err != nil || !slices.Equal(got, want) {
			r.Fatalf("after %s: got %v, %v, want %v", change, got, err, want)
		}
		if unseen := strings.Contains(change, "'no "); slices.Equal(got, before) != unseen {
			r.Fatalf("after %s: got %v, was %v, want other sums: %t", change, got, before, !unseen)
		}
		before = got
	}
}

// A model holds the rows of each range.
func rangeSums(r *run) {
	r.twoTables(0)
	r.exec("INSERT INTO doc VALUES (NULL, {@1}, 'without a key')")
	table := r.open(Config{SQL: "SELECT * FROM doc WHERE v <> 'hidden' OR v IS NULL", Children: parts("id"), Deleted: Deleted{Column: "v", Values: []any{"gone"}}})
	random := rand.New(rand.NewPCG(3, 4))
	bounds := []doc.OID{oid(-3), oid(2), oid(3), oid(8)}
	rangeOf := func(n int) (at int) {
		for at < len(bounds) && bounds[at] <= oid(n) {
			at++
		}
		return at
	}
	live, before := map[int]bool{}, r.sums(table, bounds...)
	for range 40 {
		n := random.IntN(24) - 12
		at := rangeOf(n)
		if live[n] {
			r.exec([]string{r.sql("DELETE FROM doc WHERE id = ") + r.h.Facts.Literal(int64(n)), r.sql("UPDATE doc SET v = 'gone' WHERE id = ") + r.h.Facts.Literal(int64(n))}[random.IntN(2)])
		} else {
			r.exec("DELETE FROM doc WHERE id = "+r.h.Facts.Literal(int64(n)), "INSERT INTO doc VALUES ("+r.h.Facts.Literal(int64(n))+", {@1}, 'a'), (1000, {@1}, 'hidden')")
		}
		live[n] = !live[n]
		rows := make([]int64, len(bounds)+1)
		for n, is := range live {
			if is {
				rows[rangeOf(n)]++
			}
		}
		after := r.sums(table, bounds...)
		for i, s := range after {
			if s.Rows != rows[i] || (s == before[i]) != (i != at) {
				r.Fatalf("range %d after a change of key %d: got %+v, was %+v, want %d rows, another sum: %t", i, n, s, before[i], rows[i], i == at)
			}
		}
		before = after
	}
	if all := r.sums(table); len(all) != 1 {
		r.Errorf("without bounds: got %d sums, want 1", len(all))
	}
}
