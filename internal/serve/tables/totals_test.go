package tables

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/stored"
)

// A summer is a database that sums a table in some time, and the rows of its tables.
type summer struct {
	database.Database
	database.Rows
	pace  *pace.Pace
	takes time.Duration
	mute  bool // no sum is known
	began time.Time
	asked []int // tables of each reading
}

func (s *summer) Now(context.Context) (time.Time, error) {
	now := time.Now()
	time.Sleep(time.Millisecond)
	return now, nil
}

func (s *summer) Totals(ctx context.Context, all []database.Rows) (sums []doc.Sum, known []bool, err error) {
	s.began, s.asked = time.Now(), append(s.asked, len(all))
	time.Sleep(s.takes)
	s.pace.Took(ctx, s.takes)
	return slices.Repeat([]doc.Sum{{Rows: 7, Digest: 21, Epoch: 1}}, len(all)), slices.Repeat([]bool{!s.mute}, len(all)), nil
}

// summed runs a test of the readings of two tables.
func summed(t *testing.T, test func(t *testing.T, s *summer, all []*Table)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &summer{pace: pace.New(pace.Limits{}), takes: time.Millisecond}
		source := &Source{Database: s, totals: newTotals()}
		test(t, s, []*Table{{Source: source, rows: s}, {Source: source, rows: s}})
	})
}

// look asks for the sum of each table, a second after the last look.
func (s *summer) look(t *testing.T, all ...*Table) (known bool) {
	t.Helper()
	time.Sleep(time.Second)
	known = true
	for _, table := range all {
		sum, read, err := table.Source.totals.sum(t.Context(), table, s)
		if err != nil {
			t.Fatal(err)
		}
		if known = known && read.Known; read.Known && (sum.Rows != 7 || !read.At.Before(s.began) || read.Read.After(s.began)) {
			t.Errorf("got %+v, %+v, want the sum, and times before %v", sum, read, s.began)
		}
	}
	return known
}

// A shelf is an index of documents.
type shelf struct {
	stored.Index
	documents int
}

func (s shelf) Count() (uint64, error) { return uint64(s.documents), nil }

func (s shelf) Documents(doc.OID, int) (docs []doc.Indexed, next doc.OID, err error) {
	return slices.Repeat([]doc.Indexed{{OID: "1", V: 1}}, s.documents), "", nil
}

// A digested is the pages of documents that have one digest.
type digested struct {
	stored.Pages
	digest uint64
}

func (s digested) Metas(oids []doc.OID) ([]doc.Meta, error) {
	return slices.Repeat([]doc.Meta{{V: 1, Stamp: doc.Stamp{OID: "1", Token: doc.Token{Digest: s.digest, Epoch: 1}}}}, len(oids)), nil
}

// A small table is equal to its documents if the sums are equal.
func TestTotalIsComparedWithTheDocuments(t *testing.T) {
	for name, c := range map[string]struct {
		documents    int
		digest       uint64
		known, equal bool
	}{
		"equal":             {7, 3, true, true},
		"another digest":    {7, 4, true, false},
		"a document less":   {6, 3, true, false},
		"an unknown digest": {7, 0, false, false},
		"a large table":     {smallTable + 1, 3, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			summed(t, func(t *testing.T, s *summer, all []*Table) {
				table := all[0]
				table.Table = &stored.Table{Stored: new(deletecheck.Stored), Pages: digested{digest: c.digest}}
				table.Table.Index = shelf{documents: c.documents}
				total, err := table.total(t.Context(), s)
				if err != nil || total.Known != c.known || total.Equal != c.equal || c.known && !total.At.Before(s.began) {
					t.Errorf("got %+v, %v, want known %t, equal %t, and a time before the sums", total, err, c.known, c.equal)
				}
			})
		})
	}
}

// A reading serves all tables, every two seconds, or in a thirtieth of the time.
func TestTotalsAreShared(t *testing.T) {
	for takes, want := range map[time.Duration]int{time.Millisecond: 60 / 2, 200 * time.Millisecond: 60 / 6} {
		summed(t, func(t *testing.T, s *summer, all []*Table) {
			s.takes = takes
			s.look(t, all...)
			s.asked = nil
			for began := time.Now(); time.Since(began) < time.Minute; {
				s.look(t, all...)
			}
			if n := len(s.asked); n < want-3 || n > want || slices.Min(s.asked) != 2 {
				t.Errorf("readings of %v each in a minute: got %v, want about %d of both tables", takes, s.asked, want)
			}
		})
	}
}

// The sum is that of the description by which it was read.
func TestTotalOfAnotherDescription(t *testing.T) {
	summed(t, func(t *testing.T, s *summer, all []*Table) {
		if !s.look(t, all[0]) {
			t.Error("the sum is not known")
		}
		all[0].Source.totals.of[all[0]] = &summer{}
		if s.look(t, all[0]) {
			t.Error("the sum of another description is known")
		}
	})
}

// A table that no look asks for, or that has no sum, is left out.
func TestTotalsLeaveTablesOut(t *testing.T) {
	summed(t, func(t *testing.T, s *summer, all []*Table) {
		s.look(t, all...)
		for range 65 {
			s.look(t, all[0])
		}
		if n := s.asked[len(s.asked)-1]; n != 1 {
			t.Errorf("got %d tables a minute later, want 1", n)
		}
		s.mute = true
		for range 3 {
			s.look(t, all[0])
		}
		if n := s.asked[len(s.asked)-1]; n != 0 {
			t.Errorf("got %d tables, want none that has a sum", n)
		}
		s.mute = false
		for range 65 {
			s.look(t, all[0])
		}
		if !s.look(t, all[0]) {
			t.Error("the sum is not known a minute later")
		}
	})
}
