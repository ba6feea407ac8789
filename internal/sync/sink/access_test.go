package sink

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
	_ "indexerd/internal/test/nofailfile"
)

// groupLife is a table's history, in states between which passes run: each way
// to break, from each group to another, and repaired by each way.
func groupLife() []groupRows {
	var life []groupRows
	for state, group := range []string{"7", "9", "9", "7", ""} {
		rows := groupRows{}
		for b := range breakages {
			r := groupRow{title: fmt.Sprint("title", b), group: group}
			if state == 1 || state == 3 {
				r.broken = b
			}
			if state == 2 { // still broken, in another way
				r.broken = (b + 1) % breakages
			}
			rows[fakeworld.Key(int(b))] = r
		}
		life = append(life, rows)
	}
	return life
}

// After a crash at any step and another read of the row, no document has groups that
// its row does not have, also if the row changed meanwhile.
func TestGroupsAfterACrashAnywhere(t *testing.T) {
	life := groupLife()
	for at := range life {
		for next := at; next < len(life); next++ {
			for k := 0; crashAndRegroup(t, life, k, at, next); k++ {
			}
		}
	}
}

// crashAndRegroup crashes at the k-th step of the work on one state and repairs
// in another. It reports whether there was such a step.
func crashAndRegroup(t *testing.T, life []groupRows, k, at, next int) bool {
	t.Helper()
	w := newWorld()
	for _, rows := range life[:at] {
		if err := rows.repair(w); err != nil {
			t.Fatal(err)
		}
		rows.check(t, w, nil)
	}
	had := w.documents()
	crash := fakeworld.NewCountdown(k)
	w.before(crash.Before)
	err := life[at].repair(w)
	w.before(nil)
	if crash.Crashed() != (err != nil) {
		t.Fatalf("crash at step %d of state %d: got error %v", k, at, err)
	}
	if err := life[next].repair(w); err != nil {
		t.Fatal(err)
	}
	life[next].check(t, w, had)
	if t.Failed() {
		t.Fatalf("after a crash at step %d of state %d, repaired in state %d", k, at, next)
	}
	return err != nil
}

// TestGroupsModel plays random histories with random crashes.
func TestGroupsModel(t *testing.T) {
	row := rapid.Custom(func(t *rapid.T) groupRow {
		return groupRow{
			title: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "title"), group: rapid.SampledFrom([]string{"7", "9", ""}).Draw(t, "group"),
			broken: breakage(rapid.IntRange(0, int(breakages)-1).Draw(t, "broken")),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		w, rows, had := newWorld(), groupRows{}, map[doc.OID]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "states") {
			for n := range 4 {
				if rapid.Bool().Draw(t, "changes") {
					rows[fakeworld.Key(n)] = row.Draw(t, "row")
				}
			}
			if rapid.Bool().Draw(t, "crashes") {
				w.before(fakeworld.NewCountdown(rapid.IntRange(0, 60).Draw(t, "step")).Before)
				_ = rows.repair(w) // the crash
				w.before(nil)
				for n := range 4 {
					if _, there := rows[fakeworld.Key(n)]; there && rapid.Bool().Draw(t, "changes meanwhile") {
						rows[fakeworld.Key(n)] = row.Draw(t, "row")
					}
				}
			}
			if err := rows.repair(w); err != nil {
				t.Fatal(err)
			}
			rows.check(t, w, had)
			had = w.documents()
		}
	})
}

// Rows with one key have groups if all of them have the same.
func TestGroupsOfDuplicates(t *testing.T) {
	twin := func(group string, b breakage) groupRow { return groupRow{"twin", group, b} }
	for _, test := range []struct {
		name  string
		twins []groupRow
		want  any
	}{
		{"the same", []groupRow{twin("9", fits1), twin("9", fits1), twin("9", readable)}, "9"},
		{"two different ones", []groupRow{twin("9", fits1), twin("7", fits1)}, nil},
		{"one of three differs", []groupRow{twin("9", fits1), twin("9", fits1), twin("7", readable)}, nil},
		{"two rejects differ", []groupRow{twin("9", readable), twin("7", readable)}, nil},
		{"one can't be read", []groupRow{twin("9", fits1), twin("9", noGroups)}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			if err := (groupRows{one: {"a", "7", fits1}, two: {"b", "7", fits1}}).repair(w); err != nil {
				t.Fatal(err)
			}
			s := w.startGrouped()
			b := doc.Batch{Fetch: begin(t, s)}
			for _, r := range test.twins {
				r.add(&b, one)
			}
			if _, err := s.Put(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			d, there := w.index.Doc(one)
			title, _ := d.Row.Get("title")
			if got, _ := d.Row.Get(acl.Column); !there || got != test.want || title != "a" {
				t.Errorf("got %v (%t), want the old document with groups %v", d.Row, there, test.want)
			}
			if other, _ := w.index.Doc(two); !slices.Equal(other.Row.Values, []any{"b", "7"}) {
				t.Errorf("the other row: got %v", other.Row)
			}
		})
	}
}

// A document without a readable page is removed from the index. If nothing is
// stored, nothing is written.
func TestGroupsWithoutAPage(t *testing.T) {
	reject := func(t *testing.T, w *world) doc.Visibility {
		t.Helper()
		if err := (groupRows{one: {"a", "9", readable}}).repair(w); err != nil {
			t.Fatal(err)
		}
		return w.quarantine.Document(one)
	}
	t.Run("none", func(t *testing.T) {
		w := newWorld()
		w.before(func(step string) error {
			if step == "apply" || step == "put pages" {
				return fmt.Errorf("%s: nothing is to be written", step)
			}
			return nil
		})
		if got := reject(t, w); got != "" {
			t.Errorf("got %q, want no document", got)
		}
	})
	for name, damage := range map[string]func(w *world) error{
		"lost":              func(w *world) error { return w.pages.Delete(doc.Removals(0, one)) },
		"without its words": func(w *world) error { return w.pages.Put([]doc.Page{{Meta: page(w).Meta, Body: []byte(`{"row":{`)}}) },
		"of another index":  func(w *world) error { p := page(w); p.Gen++; return w.pages.Put([]doc.Page{p}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			if err := (groupRows{one: {"a", "7", fits1}}).repair(w); err != nil {
				t.Fatal(err)
			}
			if err := damage(w); err != nil {
				t.Fatal(err)
			}
			if got := reject(t, w); got != doc.Hidden {
				t.Errorf("got %q, want it hidden", got)
			}
			w.wantIndex(t, map[doc.OID]string{})
		})
	}
}

func page(w *world) doc.Page {
	p, _ := w.pages.Page(one)
	return p
}

// Groups apply also if there are too many rejects to quarantine.
func TestGroupsOfTooManyRejects(t *testing.T) {
	w := newWorld()
	rows := groupRows{}
	for n := range rejectsCount + 1 {
		rows[fakeworld.Key(n)] = groupRow{"a", "7", fits1}
	}
	if err := rows.repair(w); err != nil {
		t.Fatal(err)
	}
	s := w.startGrouped()
	older := doc.Batch{Fetch: begin(t, s)}
	rows[one].add(&older, one)
	for oid := range rows {
		rows[oid] = groupRow{"a", "9", readable}
	}
	if err := rows.pass(w, s); err == nil {
		t.Fatal("no error, want that the rejects are too many")
	}
	if _, err := s.Put(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	for oid := range rows {
		d, _ := w.index.Doc(oid)
		if got, _ := d.Row.Get(acl.Column); got != "9" {
			t.Fatalf("row %v: groups %v, want 9", oid, got)
		}
	}
}

// A fetch older than the one that rejected a row does not restore its groups. The
// same groups again cost no write.
func TestGroupsOfAnOlderFetch(t *testing.T) {
	w := newWorld()
	if err := (groupRows{one: {"a", "7", fits1}}).repair(w); err != nil {
		t.Fatal(err)
	}
	s := w.startGrouped()
	older, newer := begin(t, s), begin(t, s)
	put := func(r groupRow, seq doc.FetchSeq) {
		t.Helper()
		b := doc.Batch{Fetch: seq}
		r.add(&b, one)
		if _, err := s.Put(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	groups := func() any {
		d, _ := w.index.Doc(one)
		v, _ := d.Row.Get(acl.Column)
		return v
	}
	put(groupRow{"a", "9", readable}, newer)
	put(groupRow{"b", "7", fits1}, older)
	put(groupRow{"b", "7", readable}, older)
	if got := groups(); got != "9" {
		t.Errorf("groups: got %v, want 9", got)
	}
	w.index.Before = func(step string) error {
		if step == "apply" {
			return fmt.Errorf("the same groups are written again")
		}
		return nil
	}
	put(groupRow{"a", "9", readable}, begin(t, s))
}

// HideUnknown hides the documents of rows that were quarantined before the table had
// an ACL. Rows without a document are left alone.
func TestHideUnknown(t *testing.T) {
	w := newWorld()
	s := w.start()
	s.index = grouped{w.index}
	b := doc.Batch{Fetch: begin(t, s)}
	for _, oid := range []doc.OID{one, two} {
		groupRow{"a", "7", fits1}.add(&b, oid)
	}
	broken := doc.Batch{Fetch: begin(t, s), Rejects: []doc.Reject{{OID: one, Reason: "broken"}, {OID: three, Reason: "broken"}}}
	for _, b := range []doc.Batch{b, broken} {
		if _, err := s.Put(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	n, err := w.startGrouped().HideUnknown(t.Context(), append(broken.Rejects, doc.Reject{OID: two, Reason: "repaired meanwhile"}))
	if err != nil || n != 1 || w.quarantine.Document(one) != doc.Hidden || w.quarantine.Document(three) != "" {
		t.Errorf("got %d, %v, documents %q and %q, want one of them hidden", n, err, w.quarantine.Document(one), w.quarantine.Document(three))
	}
	for oid, want := range map[doc.OID]string{one: "", two: "7"} {
		d, _ := w.index.Doc(oid)
		if got, _ := d.Row.Get(acl.Column); doc.FormatText(got) != want {
			t.Errorf("row %v: groups %v, want %q", oid, got, want)
		}
	}
}

// A row that became unusable without another version, as by a lower limit, counts
// as different from its hidden document. Otherwise a crash before it is quarantined
// would leave it hidden for good.
func TestGroupsOfTheSameVersion(t *testing.T) {
	w := newWorld()
	row := groupRow{"a", "7", fits1}
	if err := (groupRows{one: row}).repair(w); err != nil {
		t.Fatal(err)
	}
	s := w.startGrouped()
	w.quarantine.Before = func(step string) error {
		if step == "add" {
			return fakeworld.ErrCrash
		}
		return nil
	}
	if _, err := s.Put(t.Context(), doc.Batch{Fetch: begin(t, s), Rejects: []doc.Reject{{OID: one, Reason: "too long"}}}); err == nil {
		t.Fatal("no error, want the crash")
	}
	if got, err := w.startGrouped().Different([]doc.Stamp{row.stamp(one)}); err != nil || !slices.Equal(got, []doc.OID{one}) {
		t.Errorf("different: got %v, %v, want the row", got, err)
	}
}

// Of an index that others read, a document that no group may find is removed: they
// would see it. One with groups stays.
func TestGroupsInAnExposedIndex(t *testing.T) {
	w := newWorld()
	if err := (groupRows{one: {"a", "7", fits1}, two: {"b", "7", fits1}}).repair(w); err != nil {
		t.Fatal(err)
	}
	s := w.startGrouped()
	s.Exposed = true
	b := doc.Batch{Fetch: begin(t, s)}
	groupRow{"a", "7", noGroups}.add(&b, one)
	groupRow{"b", "9", readable}.add(&b, two)
	if _, err := s.Put(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if _, ok := w.index.Doc(one); ok || w.quarantine.Document(one) != doc.Hidden {
		t.Errorf("without groups: got a document %t, %q, want none, hidden", ok, w.quarantine.Document(one))
	}
	if d, ok := w.index.Doc(two); !ok || w.quarantine.Document(two) != doc.Visible {
		t.Errorf("with groups: got %+v, %t, want the document", d, ok)
	}
}
