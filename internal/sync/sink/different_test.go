package sink

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

func TestDifferent(t *testing.T) {
	known := stampOf(one, "a")
	stamp := func(change func(*doc.Stamp)) doc.Stamp {
		s := known
		change(&s)
		return s
	}
	tests := []struct {
		name  string
		stamp doc.Stamp
		want  bool
	}{
		{"known", known, false},
		{"newer", stamp(func(s *doc.Stamp) { s.Updated = s.Updated.Add(time.Second) }), true},
		{"older", stamp(func(s *doc.Stamp) { s.Updated = s.Updated.Add(-time.Second) }), true},
		{"another token", stamp(func(s *doc.Stamp) { s.Token.Digest++ }), true},
		{"a token of another epoch", stamp(func(s *doc.Stamp) { s.Token.Epoch++ }), true},
		{"no page", stampOf(two, "a"), true},
	}
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	for _, test := range tests {
		got, err := s.Different([]doc.Stamp{test.stamp})
		if err != nil {
			t.Fatal(err)
		}
		if want := []doc.OID{test.stamp.OID}; test.want != slices.Equal(got, want) || !test.want && len(got) > 0 {
			t.Errorf("%s: got %v, want different: %t", test.name, got, test.want)
		}
	}
	all, err := s.Different([]doc.Stamp{stampOf(two, "b"), known, stampOf(three, "a")})
	if want := []doc.OID{two, three}; err != nil || !slices.Equal(all, want) {
		t.Errorf("several stamps: got %v, %v, want %v in order", all, err, want)
	}
}

// An error of index or pages is returned.
func TestDifferentFails(t *testing.T) {
	w := newWorld()
	s := w.start()
	fetch(t, s, map[doc.OID]string{one: "a"})
	for _, step := range []string{"meta", "versions"} {
		w.before(failAt(step))
		if got, err := s.Different([]doc.Stamp{stampOf(one, "a")}); !errors.Is(err, errFault) {
			t.Errorf("%s: got %v, %v, want %v", step, got, err, errFault)
		}
	}
}

func TestDelete(t *testing.T) {
	tests := []struct {
		name  string
		stamp doc.Stamp
		want  bool
	}{
		{"the stamp that is stored", stampOf(one, "a"), true},
		{"written since with another stamp", stampOf(one, "b"), false},
		{"no page", stampOf(two, "a"), true}, // the index may have what a crash left
	}
	for _, test := range tests {
		w := newWorld()
		s := w.start()
		fetch(t, s, map[doc.OID]string{one: "a"})
		report := remove(t, s, begin(t, s), test.stamp)
		if got := report.Deleted == 1; got != test.want {
			t.Errorf("%s: got deleted %t, want %t", test.name, got, test.want)
		}
		_, indexed := w.index.Doc(one)
		_, paged := w.pages.Page(one)
		if want := test.stamp.OID == two || !test.want; indexed != want || paged != want {
			t.Errorf("%s: row one: got indexed %t, paged %t, want %t", test.name, indexed, paged, want)
		}
	}
}

// A removal that failed half-way is completed by the next one.
func TestDeleteAgain(t *testing.T) {
	for _, step := range []string{"meta", "apply", "delete pages", "clear"} {
		w := newWorld()
		s := w.start()
		fetch(t, s, map[doc.OID]string{one: "a", two: "b"})
		stamps := []doc.Stamp{stampOf(one, "a"), stampOf(two, "b")}
		w.before(failAt(step))
		if _, err := s.Delete(context.Background(), stamps, begin(t, s), 1); !errors.Is(err, errFault) {
			t.Errorf("%s: got %v, want %v", step, err, errFault)
		}
		w.before(nil)
		s = w.start()
		if report, err := s.Delete(context.Background(), stamps, begin(t, s), 1); err != nil || report.Deleted != 2 {
			t.Errorf("%s: again: got %+v, %v, want 2 deleted", step, report, err)
		}
		w.wantIndex(t, nil)
		for _, oid := range []doc.OID{one, two} {
			if _, ok := w.pages.Page(oid); ok {
				t.Errorf("%s: page %v is still there", step, oid)
			}
		}
	}
}
