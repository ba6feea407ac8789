package changes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/base/doc"
)

// A fakeServer is a database whose counters come late.
type fakeServer struct {
	mu       sync.Mutex
	takes    time.Duration
	err      error
	version  int
	late     time.Duration
	rows     int // changes of the table a
	catalog  string
	defined  string // of each table
	counts   bool
	readings int
	counted  [][]string // the tables of each reading of counters
}

const late = 10 * time.Second

func (f *fakeServer) Changes(ctx context.Context, tables func(string) []string) (Sample, error) {
	at := time.Now()
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		return Sample{}, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readings++
	if f.err != nil {
		return Sample{}, f.err
	}
	s := Sample{At: at, Version: fmt.Sprint("s ", f.version), Counted: f.counts, Catalog: f.catalog}
	if !f.counts {
		return s, nil
	}
	s.Late = f.late
	if ids := tables(s.Version); ids != nil {
		f.counted = append(f.counted, ids)
		s.Counters = map[string]Counts{}
		for _, id := range ids {
			s.Counters[id] = Counts{Inserted: int64(f.rows), Deleted: int64(f.rows), Updated: 7, Storage: "file", Definition: f.defined}
		}
	}
	return s, nil
}

func (f *fakeServer) commit() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
}

// A fakeTable reads the tables a and b. Only a deletion in a removes a row.
type fakeTable struct {
	footprint doc.Footprint
	found     int
	err       error
}

func (f *fakeTable) find(context.Context) (doc.Footprint, error) {
	f.found++
	return f.footprint, f.err
}

func newFakeTable() *fakeTable {
	return &fakeTable{footprint: doc.Footprint{Tables: []doc.BaseTable{{ID: "a", Deletes: true}, {ID: "b"}}}}
}

func hint(t *testing.T, h Hints) doc.Hint {
	t.Helper()
	got, err := h.Hint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Calls that wait share one reading, which began after each of them.
func TestReadingsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{takes: 10 * time.Millisecond, counts: true}
		readings := NewReadings(f)
		var watches []*Watch
		for range 30 {
			w := readings.Watch(newFakeTable().find)
			hint(t, w)
			watches = append(watches, w)
		}
		f.readings = 0
		var all sync.WaitGroup
		for _, w := range watches {
			all.Go(func() {
				asked := time.Now()
				if h := hint(t, w); h.At.Before(asked) {
					t.Errorf("got a hint of %v, before the call at %v", h.At, asked)
				}
				asked = time.Now()
				if h := hint(t, w); h.At.Before(asked) {
					t.Errorf("got a hint of %v, before the call at %v", h.At, asked)
				}
			})
		}
		all.Wait()
		if f.readings > 4 {
			t.Errorf("readings: got %d, want at most 4", f.readings)
		}
		f.err = errors.New("down")
		f.readings = 0
		for _, w := range watches {
			all.Go(func() {
				if _, err := w.Hint(t.Context()); !errors.Is(err, f.err) {
					t.Errorf("got %v, want %v", err, f.err)
				}
			})
		}
		all.Wait()
		if f.readings > 2 {
			t.Errorf("readings of a failed database: got %d, want at most 2", f.readings)
		}
	})
}

// A reading that its caller cancelled is not shared with a call that waits.
func TestCancelledReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := NewReadings(&fakeServer{takes: time.Second})
		w, other := readings.Watch(newFakeTable().find), readings.Watch(newFakeTable().find)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var waiting sync.WaitGroup
		waiting.Go(func() {
			<-time.After(time.Microsecond)
			if h, err := other.Within(time.Second).Hint(t.Context()); h.Version == "" || err != nil {
				t.Errorf("got %+v, %v, want a version", h, err)
			}
		})
		if _, err := w.Hint(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
		}
		waiting.Wait()
	})
}

// The counters are read while they may be late, and not while nothing is
// committed.
func TestCountersAreReadWhenTheyMayMove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{counts: true, late: late}
		w := NewReadings(f).Watch(newFakeTable().find)
		first := hint(t, w)
		if want := "a:0,7,0,file b:0,7,0,file "; first.Counters != want || first.Removals != "a:0,0,0,file " || first.Counted {
			t.Errorf("got counters %q, removals %q, counted %t, want %q, those of a that may remove rows, false", first.Counters, first.Removals, first.Counted, want)
		}
		f.commit()
		time.Sleep(late / 2)
		hint(t, w)
		f.rows = 3 // the counters come late
		time.Sleep(time.Hour)
		if h := hint(t, w); h.Counters == first.Counters || h.Removals == first.Removals {
			t.Errorf("got %+v after the counters were due, want other counters than %+v", h, first)
		}
		before := len(f.counted)
		for range 10 {
			time.Sleep(time.Second)
			hint(t, w)
		}
		if got := len(f.counted); got != before {
			t.Errorf("readings of counters without a commit: got %d, want %d", got, before)
		}
	})
}

// A change is noticed a look after its counters, which come as late as they may.
// Meanwhile the counters of all tables are not read each second.
func TestLateCountersAreNoticed(t *testing.T) {
	for after := time.Second; after <= late; after += time.Second {
		synctest.Test(t, func(t *testing.T) {
			f := &fakeServer{counts: true, late: late}
			hints := NewReadings(f).Watch(newFakeTable().find).Within(time.Second)
			var m Memory
			for range 30 {
				m.Look(hint(t, hints))
				m.Compared()
				time.Sleep(1100 * time.Millisecond)
			}
			f.commit()
			f.counted = nil
			committed := time.Now()
			time.AfterFunc(after, func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.rows++
			})
			due := Unknown
			for due == Unknown {
				time.Sleep(1100 * time.Millisecond)
				due = m.Look(hint(t, hints))
			}
			if took := time.Since(committed); due != Changed || took > late+3*time.Second {
				t.Errorf("counters %v after a commit: got %v after %v, want %v", after, due, took, Changed)
			}
			if len(f.counted) > 6 {
				t.Errorf("got %d readings of counters, want at most 6", len(f.counted))
			}
		})
	}
}

// Counters that others see no later than a commit are complete with the version, and are
// not read while it stands still.
func TestCountersThatAreNotLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeServer{counts: true}
		w := NewReadings(f).Watch(newFakeTable().find)
		hint(t, w)
		for range 3 {
			f.commit()
			f.counted = nil
			for range 3 {
				if h := hint(t, w); !h.Counted || len(f.counted) != 1 {
					t.Errorf("got %+v after %d readings of counters, want complete ones after one", h, len(f.counted))
				}
				time.Sleep(time.Second)
			}
		}
	})
}

// Without counters, every commit may have changed the table.
func TestWithoutCounters(t *testing.T) {
	w := NewReadings(&fakeServer{}).Watch(newFakeTable().find)
	if h := hint(t, w); !h.Exact || h.Counters != h.Version || h.Removals != h.Version || !h.Counted {
		t.Errorf("got %+v, want the version in place of counters", h)
	}
}

// A hint is exact if what the SQLs read was found for its version, or for its state of
// the catalog.
func TestFootprintIsFoundAgain(t *testing.T) {
	for _, shown := range []bool{false, true} {
		t.Run(fmt.Sprintf("catalog shown %t", shown), func(t *testing.T) {
			f, table := &fakeServer{counts: true}, newFakeTable()
			w := NewReadings(f).Watch(table.find)
			found := 0
			// want takes whether a hint is exact, and how often the footprint was found since the last.
			want := func(what string, exact bool, again int) {
				t.Helper()
				found += again
				if h := hint(t, w); h.Exact != exact || table.found != found {
					t.Errorf("%s: exact %t, found %d times, want %t, %d", what, h.Exact, table.found, exact, found)
				}
			}
			replace := func(as string) {
				f.commit()
				if shown {
					f.catalog = as
				}
			}
			replace("first")
			want("first", true, 1)
			want("again", true, 0)
			f.commit()
			want("commit", shown, 0)
			f.commit()
			want("another commit", shown, 0)
			if shown {
				want("no commit", true, 0)
			} else {
				want("no commit", true, 1)
			}
			table.footprint.Tables = append(table.footprint.Tables, doc.BaseTable{ID: "c"})
			replace("another table")
			if !shown {
				want("another table, unseen", false, 0)
			}
			want("another table", true, 1)
			if got := f.counted[len(f.counted)-1]; !slices.Contains(got, "c") {
				t.Errorf("counters of %v are read, want those of the new table c too", got)
			}
			table.footprint.Reason = "the SQL calls now()"
			replace("a view")
			hint(t, w)
			if h := hint(t, w); h.Exact || h.Reason != table.footprint.Reason {
				t.Errorf("got %+v, want no exact hint, and the reason %q", h, table.footprint.Reason)
			}
			table.err = errors.New("denied")
			replace("denied")
			_, _ = w.Hint(t.Context())
			for range 2 {
				if _, err := w.Hint(t.Context()); !errors.Is(err, table.err) {
					t.Errorf("got %v, want %v", err, table.err)
				}
			}
		})
	}
}

// A table of the footprint that is created again is another one.
func TestTableIsCreatedAgain(t *testing.T) {
	f, table := &fakeServer{counts: true, catalog: "same", defined: "first"}, newFakeTable()
	w := NewReadings(f).Watch(table.find)
	hint(t, w)
	f.commit()
	hint(t, w)
	f.commit()
	found := table.found
	if h := hint(t, w); !h.Exact || table.found != found {
		t.Errorf("got %+v, found %d times, want it exact without another look", h, table.found-found)
	}
	f.defined, table.footprint.Reason = "again", "the engine has no transactions"
	f.commit()
	if h := hint(t, w); h.Exact || h.Reason == "" || table.found != found+1 {
		t.Errorf("got %+v, found %d times, want the reason of another look", h, table.found-found)
	}
}

// noSight shows no version.
type noSight struct{}

func (noSight) Changes(context.Context, func(string) []string) (Sample, error) {
	return Sample{At: time.Now(), Reason: "a standby"}, nil
}

func TestNoVersion(t *testing.T) {
	w := NewReadings(noSight{}).Watch(newFakeTable().find)
	h := hint(t, w)
	if h.Exact || h.Version != "" || h.Reason != "a standby" || h.At.IsZero() {
		t.Errorf("got %+v, want no version and the reason", h)
	}
	var m Memory
	for range 3 {
		if got := m.Look(h); got != Changed {
			t.Errorf("got %v, want %v", got, Changed)
		}
		m.Compared()
	}
}

// A plain table's hint counts its changes, and shows whether the counters can be
// compared.
func TestHintCountsTheChangesOfAPlainTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fakeServer{counts: true, rows: 3, catalog: "c"}
		table := &fakeTable{footprint: doc.Footprint{Tables: []doc.BaseTable{{ID: "a"}}, Plain: true}}
		watch := NewReadings(server).Watch(table.find)
		first := hint(t, watch)
		server.commit()
		time.Sleep(2 * late)
		server.mu.Lock()
		server.rows += 2
		server.mu.Unlock()
		server.commit()
		second := hint(t, watch)
		if first.Plain == "" || second.Plain != first.Plain || second.Changes-first.Changes != 4 {
			t.Errorf("got %+v and %+v, want four changes", first, second)
		}
		table.footprint.Plain = false
		if h := hint(t, NewReadings(server).Watch(table.find)); h.Plain != "" {
			t.Errorf("got %+v of a table with a join, want no count", h)
		}
	})
}
