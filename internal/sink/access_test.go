package sink

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"indexerd/internal/doc"
	"indexerd/internal/fakeworld"
)

// acl is where the rows of these tests have their groups.
var acl = doc.ACL{Column: "grp"}

// grouped is an index of titles and groups.
type grouped struct{ *fakeworld.Index }

// Hash digests both.
func (x grouped) Hash(r doc.Row) (doc.DocHash, error) {
	title, err := x.Index.Hash(r)
	if err != nil {
		return 0, err
	}
	groups, _ := r.Get(acl.Column)
	if _, bad := groups.(bool); bad {
		return 0, fmt.Errorf("column grp: %v is no keyword", groups)
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %q", title, doc.FormatText(groups))
	return doc.DocHash(h.Sum64()), nil
}

// startGrouped makes a sink of a table with an ACL, as after a restart.
func (w *world) startGrouped() *Sink {
	s := w.start()
	s.index = grouped{w.index}
	return s.WithACL(acl)
}

// How a row is broken, if it is.
type breakage int

const (
	fits1     breakage = iota // a document
	readable                  // the source rejects it with its groups
	noGroups                  // the source rejects it without
	unfit                     // the index rejects it
	refused                   // the index fails to write it
	badGroups                 // the source rejects it with groups that are none
	breakages
)

// A groupRow is a row of these tests.
type groupRow struct {
	title, group string
	broken       breakage
}

func (r groupRow) stamp(oid doc.OID) doc.Stamp {
	return fakeworld.Row{Title: fmt.Sprint(r)}.Stamp(oid)
}

// visibility is what becomes of the row's last document.
func (r groupRow) visibility() doc.Visibility {
	if r.broken == noGroups || r.broken == badGroups {
		return doc.Hidden
	}
	return doc.Visible
}

// wantGroups are those that the document of the row must have; "" is none.
func (r groupRow) wantGroups() string {
	if r.visibility() == doc.Hidden {
		return ""
	}
	return r.group
}

// add adds the row to a batch as a source would.
func (r groupRow) add(b *doc.Batch, oid doc.OID) {
	title, reject := r.title, doc.Reject{OID: oid, Reason: "broken"}
	switch r.broken {
	case unfit:
		title = fakeworld.Unfit + title
	case refused:
		title = fakeworld.Refused + title
	case readable:
		reject.Groups = acl.Value(r.group)
	case badGroups:
		reject.Groups = acl.Value(true)
	}
	if slices.Contains([]breakage{readable, noGroups, badGroups}, r.broken) {
		b.Rejects = append(b.Rejects, reject)
		return
	}
	b.Docs = append(b.Docs, doc.Doc{
		Meta: doc.Meta{Stamp: r.stamp(oid), Fetch: b.Fetch},
		Row:  doc.Row{Names: []string{"title", acl.Column}, Values: []any{title, r.group}},
	})
}

// groupRows is a table at one moment.
type groupRows map[doc.OID]groupRow

// repair is what passes do: fetch what differs and what was set aside. A sink
// that is told of a document that the index refuses finds out which one it is
// when the pass tries again.
func (rows groupRows) repair(w *world) error {
	s := w.startGrouped()
	err := rows.pass(w, s)
	if err != nil && slices.ContainsFunc(slices.Collect(maps.Values(rows)), func(r groupRow) bool { return r.broken == refused }) {
		err = rows.pass(w, s)
	}
	return err
}

func (rows groupRows) pass(w *world, s *Sink) error {
	var stamps []doc.Stamp
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		stamps = append(stamps, rows[oid].stamp(oid))
	}
	fetch, err := s.Different(stamps)
	if err != nil {
		return err
	}
	fetch = slices.AppendSeq(fetch, maps.Keys(w.quarantine.Reasons()))
	slices.Sort(fetch)
	seq, err := s.Begin(func() error { return nil })
	if err != nil {
		return err
	}
	defer s.End(seq)
	b := doc.Batch{Fetch: seq}
	for _, oid := range slices.Compact(fetch) {
		rows[oid].add(&b, oid)
	}
	_, err = s.Put(context.Background(), b)
	return err
}

// check compares what is stored with the rows. had are those of which there was
// a document before.
func (rows groupRows) check(t rapid.TB, w *world, had map[doc.OID]bool) {
	t.Helper()
	for oid, row := range rows {
		d, there := w.index.Doc(oid)
		groups, _ := d.Row.Get(acl.Column)
		title, _ := d.Row.Get("title")
		reason, aside := w.quarantine.Reasons()[oid]
		page, paged := w.pages.Page(oid)
		switch {
		case aside != (row.broken != fits1):
			t.Errorf("row %v is %+v, in quarantine: %t (%s)", oid, row, aside, reason)
		case !there && (row.broken == fits1 || had[oid]):
			t.Errorf("row %v is %+v, and the index lacks it", oid, row)
		case there && doc.FormatText(groups) != row.wantGroups():
			t.Errorf("row %v is %+v, its document has groups %v, want %v", oid, row, groups, row.wantGroups())
		case there && row.broken == fits1 && title != row.title:
			t.Errorf("row %v is %+v, its document has title %v", oid, row, title)
		case there && (!paged || page.V != d.V || page.Hash != d.Hash):
			t.Errorf("row %v: got page %+v (%t), want that of %+v", oid, page.Meta, paged, d.Meta)
		case there && aside && w.quarantine.Document(oid) != row.visibility():
			t.Errorf("row %v is %+v, its document is listed as %q, want %q", oid, row, w.quarantine.Document(oid), row.visibility())
		case row.broken != fits1 && page.Same(row.stamp(oid)):
			t.Errorf("row %v is %+v, and its page claims to be that version", oid, row)
		}
	}
}

// documents are the rows that have one.
func (w *world) documents() map[doc.OID]bool {
	had := map[doc.OID]bool{}
	for oid := range w.index.Titles() {
		_, had[oid] = w.pages.Page(oid)
	}
	return had
}

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

// A crash at any step of what is stored leaves no document with groups that its
// row does not have, once the row has been read again: as it is, or as it has
// become meanwhile.
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

// Rows of one key have groups where all of them have the same.
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

// What has no page that tells what is in it is not shown at all. Where nothing
// is stored, nothing is written.
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
		"lost":              func(w *world) error { return w.pages.Delete([]doc.OID{one}) },
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

// Groups apply where rejects are too many to be listed, too.
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

// A fetch that is older than the one that rejected a row does not bring its
// groups back, and the same groups once more cost no write.
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

// What was set aside before the table had an ACL is hidden, and what has no
// document is left alone.
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
	n, err := w.startGrouped().HideUnknown(t.Context(), broken.Rejects)
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

// A row that broke without another version, as by a lower limit, is not taken
// for the one that its document was read from: a crash before it is listed must
// not leave it hidden for good.
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
