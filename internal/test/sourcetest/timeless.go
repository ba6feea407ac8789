package sourcetest

import (
	"slices"

	"indexerd/internal/base/doc"
)

var timelessBehaviours = []behaviour{
	{"without an updateTime every way gives the same tokens, and windows are empty", true, timelessTable},
	{"rows without an updateTime that change at random are the same in every way", false, randomTimelessRows},
	{"a table without an updateTime needs digests", true, timelessNeedsDigests},
}

// timeless returns children without their updateTimes.
func timeless(children []Child) []Child {
	children = slices.Clone(children)
	for i := range children {
		children[i].Updated = ""
	}
	return children
}

// The column u is one of the values here. Its updateTimes are in no stamp.
func timelessTable(r *run) {
	if r.h.Facts.NoDigest {
		return // such a table is refused
	}
	r.twoTables(5)
	r.exec("INSERT INTO part VALUES (1, {@7}, 'a'), (1, {@8}, 'b'), (3, {@9}, 'c')", "CREATE TABLE gone (id {int})", "INSERT INTO gone VALUES (2)")
	config := Config{Children: timeless(parts("id")), Deleted: Deleted{SQL: "SELECT id FROM gone"}, Batch: 2, Page: 2, Numbers: r.sink()}
	keys := []doc.OID{oid(1), oid(3), oid(4), oid(5)}
	timed := r.agree(r.open(config), keys...)
	config.Timeless = true
	table := r.open(config)
	for o, s := range r.agree(table, keys...) {
		if !s.Updated.IsZero() || s.Token.Digest != timed[o].Token.Digest {
			r.Errorf("got stamp %+v of %v, want no updateTime, and the digest of a table with one, %x", s, o, timed[o].Token.Digest)
		}
	}
	if got := r.inWindow(table, ever.From, ever.To); got != "" {
		r.Errorf("got the keys %s in a window, want none", got)
	}
	r.checkLeft(table, ever, "")
	if b, err := table.Unusable(r.Context(), ever); err != nil || len(b.Rejects) > 0 {
		r.Errorf("Unusable: got %v, %v, want no rejects", b.Rejects, err)
	}
	if n, err := table.OutOfRange(r.Context()); err != nil || n != 0 || table.Tick() != 0 || len(table.Units()) > 0 {
		r.Errorf("got %d rows out of range, %v, a precision of %v and units %v, want none", n, err, table.Tick(), table.Units())
	}
	before := r.agree(table, keys...)
	r.exec("UPDATE part SET name = 'd' WHERE id = 3", "UPDATE doc SET u = {@9} WHERE id = 4")
	for o, s := range r.agree(table, keys...) {
		if changed := o == oid(3) || o == oid(4); s.Same(before[o]) == changed {
			r.Errorf("got stamp %+v of %v after a change of 3 and 4, had %+v", s, o, before[o])
		}
	}
}

func randomTimelessRows(r *run) {
	if !r.h.Facts.NoDigest {
		r.randomRows(true)
	}
}

func timelessNeedsDigests(r *run) {
	r.twoTables(1)
	_, err := r.describe(Config{Timeless: true})
	if !r.h.Facts.NoDigest {
		if err != nil {
			r.Errorf("got %v, want no error", err)
		}
		return
	}
	if field, do, ok := configFault(err); !ok || field != "updated" || do == "" {
		r.Errorf("got %v, want a fault of updated with what to do", err)
	}
}
