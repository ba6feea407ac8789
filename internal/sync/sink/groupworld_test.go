package sink

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// acl is where the rows of these tests have their groups.
var acl = doc.ACL{Column: "grp"}

// grouped is an index of titles and groups.
type grouped struct{ *fakeworld.Index }

// Prepare digests both.
func (x grouped) Prepare(d *doc.Doc) ([]doc.Flaw, error) {
	title, flaws, err := x.Hash(d.Row)
	if err != nil {
		return nil, err
	}
	groups, _ := d.Row.Get(acl.Column)
	if _, bad := groups.(bool); bad {
		flaws = append(flaws, doc.NewFlaw("grp", fmt.Sprintf("%v is no keyword", groups)))
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%x %q", title, doc.FormatText(groups))
	d.Hash = doc.DocHash(h.Sum64())
	return flaws, nil
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

// repair does what passes do: it fetches rows that differ and rows in quarantine.
// If the index refuses a document, the sink isolates it at the second try.
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
