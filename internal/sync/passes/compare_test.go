package passes

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source/changes"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/fakeworld/machine"
	"indexerd/timetrace"
)

// A followed is a table that is compared. Its database's clock is the bubble's.
type followed struct {
	Source
	*Passes
	t      *testing.T
	hint   doc.Hint
	fail   error                      // of a reading
	unread bool                       // no reading was taken for all tables
	clock  time.Duration              // how far the database's clock is ahead of the bubble's
	cost   time.Duration              // of a comparison
	late   time.Duration              // how long before its end a comparison began; it continued another one if it was before the hint
	held   func()                     // called in a comparison
	total  Total                      // of a comparison by one sum
	run    func() (doc.Report, error) // a look

	documents   uint64
	maintained  bool
	comparisons int
}

// config makes the passes of a table of a machine.
func (f *followed) config(m *machine.Machine, table configs.Table, compare func(context.Context) (doc.Report, time.Duration, error)) {
	f.Passes = New(Config{
		Table: table, Source: f, Trace: m.Trace, Tree: m.Tree, Sink: m.Sink, Compare: compare, Share: pace.NewShare(0.1),
		Documents: func() uint64 { return f.documents }, Total: func(context.Context) (Total, error) { return f.total, f.fail },
		Fail: func(_ string, err error) error { return err },
	})
}

func (f *followed) Hints() changes.Hints                     { return f }
func (f *followed) RecentHints() changes.Hints               { return f }
func (f *followed) Maintained(context.Context) (bool, error) { return f.maintained, nil }

func (f *followed) Hint(context.Context) (doc.Hint, error) {
	h := f.hint
	h.At = time.Now().Add(f.clock)
	return h, f.fail
}

func (f *followed) Moment(context.Context) (doc.Moment, error) {
	now := time.Now()
	return doc.Moment{Now: now.Add(f.clock), Seen: now.Add(f.clock), Asked: now, Local: now}, f.fail
}

func (f *followed) compare(context.Context) (doc.Report, time.Duration, error) {
	began := time.Now().Add(f.clock - f.late)
	f.comparisons++
	if f.held != nil {
		f.held()
	}
	return doc.Report{}, f.cost, f.Trace.UpdateTable(machine.Table, func(m *timetrace.Table) {
		m.Swept(began, m.Rewinds)
		m.Settle(began, "compared")
	})
}

// follow runs a test of a table that has been compared once.
func follow(t *testing.T, test func(*testing.T, *followed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := machine.New(t, fakeworld.NewTable(10))
		f := &followed{t: t, hint: doc.Hint{Version: "1", Counters: "1", Exact: true}}
		f.config(m, configs.Table{Name: machine.Table}, f.compare)
		f.run = func() (doc.Report, error) { return f.Jobs()[0].Run(f.Passes, t.Context()) }
		f.look(1)
		f.want("at the start", 1)
		test(t, f)
	})
}

// look looks n times, every second, as the daemon does.
func (f *followed) look(n int) {
	f.t.Helper()
	for range n {
		time.Sleep(LookEvery)
		if _, err := f.run(); err != nil {
			f.t.Fatal(err)
		}
	}
}

// busy looks n times, each after a commit of which counters show nothing yet.
func (f *followed) busy(n int) {
	f.t.Helper()
	for range n {
		f.hint.Version += "+"
		f.hint.Counted = false
		f.total.At, f.total.Read = time.Now(), time.Now()
		f.look(1)
	}
}

// want checks how many comparisons there were.
func (f *followed) want(when string, comparisons int) {
	f.t.Helper()
	if f.comparisons != comparisons {
		f.t.Errorf("%s: got %d comparisons, want %d", when, f.comparisons, comparisons)
	}
}

// wantSettled checks how old S is.
func (f *followed) wantSettled(when string, age time.Duration) {
	f.t.Helper()
	if got := time.Since(f.marks().Settled).Round(time.Second); got != age {
		f.t.Errorf("%s: got an S %v old, want %v", when, got, age)
	}
}

func TestNothingIsComparedWhileNothingIsCommitted(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.look(60)
		f.want("after a minute", 1)
		f.wantSettled("after a minute", 0)
		f.hint.Version, f.hint.Counters = "2", "2"
		f.look(1)
		f.want("after a commit", 2)
		f.look(int(compareAnyway / LookEvery))
		f.want("after ten minutes", 3)
	})
}

// While others commit, a small table is compared by one sum, which moves S while it is
// that of the documents.
func TestSmallTableBesideABusyNeighbour(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.total = Total{Known: true, Equal: true}
		f.busy(60)
		f.want("after a minute", 1)
		f.wantSettled("after a minute", time.Second)
		f.total.Equal = false
		f.busy(1)
		f.want("after a change", 2)
		f.total.Known = false
		f.busy(1)
		f.want("after a look at a table that is not small", 3)
	})
	follow(t, func(t *testing.T, f *followed) {
		for i := range 500 {
			f.Share.Idle(fmt.Sprint("another of many tables, ", i), ownWork)
		}
		f.total = Total{Known: true}
		f.busy(1)
		f.want("after a change", 2)
		for range 10 {
			f.hint.Version += "+"
			f.look(1)
		}
		f.want("while its sum is that of before the comparison", 2)
		f.busy(1)
		f.want("when it is not", 3)
	})
	follow(t, func(t *testing.T, f *followed) {
		f.cost = 3 * time.Second
		f.total = Total{Known: true}
		f.busy(1)
		f.want("after a change", 2)
		f.busy(3)
		f.want("after another one, soon after a long comparison", 2)
		f.wantSettled("then", 3*time.Second)
	})
}

func TestInexactHintDoesNotMoveS(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.hint.Exact = false
		f.look(60)
		f.want("after a minute", 1)
		f.wantSettled("after a minute", time.Minute)
	})
}

func TestHintThatGoesBackIsAChange(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.cost = 3 * time.Second
		f.hint.Version, f.hint.Counters = "2", "2"
		f.look(1)
		f.hint.Version, f.hint.Counters = "3", "0" // the counters were reset
		f.look(30)
		f.want("after a reset", 3)
	})
}

func TestSQLThatChangesByItselfIsComparedByTime(t *testing.T) {
	for _, hint := range []doc.Hint{{Version: "1", Counters: "1", Reason: "the SQL calls now()"}, {Reason: "a pooler"}} {
		follow(t, func(t *testing.T, f *followed) {
			f.hint, f.cost = hint, time.Second
			f.look(1)
			f.want("after a second", 2)
			f.look(30)
			f.want("half a minute later", 5)
		})
	}
}

func TestCountersThatComeLate(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.hint.Version = "2"
		f.look(1)
		f.want("after a commit to some table", 2)

		f.cost = 3 * time.Second
		f.hint.Version = "3"
		f.look(1)
		f.want("after the next", 3)
		f.hint.Version = "4"
		f.look(1)
		f.want("after one comparison that took long", 4)
		f.look(60)
		f.hint.Version = "5"
		f.look(60)
		f.want("comparisons take longer than the counters", 4)
		f.hint.Version, f.hint.Counters = "6", "2"
		f.look(1)
		f.want("when the counters show it", 5)
	})
}

func TestLongComparisonsKeepToTheirShare(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.cost = 3 * time.Second
		for i := range 120 {
			f.hint.Version = string(rune('a' + i))
			f.hint.Counters = f.hint.Version
			f.look(1)
		}
		f.want("in two minutes, every 30 s", 1+1+3)
	})
}

func TestChangeDuringAComparisonIsSeen(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.held = func() { f.hint.Version, f.hint.Counters = "3", "3" }
		f.hint.Version, f.hint.Counters = "2", "2"
		f.look(1)
		f.want("after a commit", 2)
		f.held = nil
		f.look(2)
		f.want("after one during the comparison", 3)
	})
}

func TestContinuedComparisonIsRepeated(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.hint.Version, f.hint.Counters, f.late = "2", "2", time.Minute
		f.look(1)
		f.want("after a commit", 2)
		f.late = 0
		f.look(2)
		f.want("after the end of an interrupted comparison", 3)
	})
}

func TestDoubtIsCompared(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.Trace.Note(machine.Table, func(m *timetrace.Table) { m.Doubt("the SQL was changed") })
		f.look(1)
		f.want("after a doubt", 2)
		if got := f.marks().Unverified; got != "" {
			t.Errorf("got unverified: %s, want that the comparison ends it", got)
		}
	})
}

func TestClockThatGoesBack(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		ahead := time.Now().Add(time.Hour) // the clock was there, and went back
		f.Trace.Note(machine.Table, func(m *timetrace.Table) { m.Settle(ahead, "compared") })
		before := time.Now()
		f.held = func() {
			if got := f.marks(); got.Settled.After(before) || got.Rewinds != 1 {
				t.Errorf("got S %v after %d rewinds while the table is compared, want no later than the last look, %v, and 1", got.Settled, got.Rewinds, before)
			}
		}
		f.look(1)
		f.want("after the step", 2)
		f.wantSettled("after the step", 0)
	})
}

// Rows were committed below S while the clock passed it again, between two looks.
func TestClockThatIsAboveSAgain(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		f.hint.Exact = false // S stays
		f.look(30)
		f.want("while nothing was committed", 1)
		before := f.marks().Settled
		f.clock = -time.Since(before)
		f.held = func() {
			if got := f.marks(); got.Settled.After(before) || got.Rewinds != 1 {
				t.Errorf("got S %v after %d rewinds while the table is compared, want no later than %v, and 1", got.Settled, got.Rewinds, before)
			}
		}
		f.look(1)
		f.want("after the step", 2)
	})
}

// A page was read before the step, and its rows were committed again after it.
func TestClockThatGoesBackDuringAComparison(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		var began time.Time
		f.held = func() {
			began = time.Now().Add(f.clock)
			f.clock -= 2 * time.Second
			time.Sleep(3 * time.Second) // the clock is above the begin again
		}
		f.hint.Version, f.hint.Counters = "2", "2"
		f.look(1)
		f.want("after a commit", 2)
		if got := f.marks(); !got.Settled.Before(began) || got.Rewinds != 1 || got.Unverified == "" {
			t.Errorf("got S %v after %d rewinds, unverified %q, want one before %v, 1 and a doubt", got.Settled, got.Rewinds, got.Unverified, began)
		}
		f.held = nil
		f.look(1)
		f.want("after the doubt", 3)
		f.wantSettled("after the doubt", 2*time.Second) // by the clock of this machine
	})
}

// The clock was set back while the daemon was down, and has caught up with S.
func TestClockThatWentBackWhileDown(t *testing.T) {
	for _, step := range []time.Duration{-10 * time.Second, 0, 10 * time.Second} {
		follow(t, func(t *testing.T, f *followed) {
			last := time.Now()
			f.look(1)
			f.clock = step
			time.Sleep(time.Minute)
			f.Passes = New(f.Config)
			f.held = func() {
				if got := f.marks(); (got.Rewinds == 1) != (step < 0) || step < 0 && got.Settled.After(last) {
					t.Errorf("a step of %v: got S %v after %d rewinds while the table is compared, and the last comparison was at %v", step, got.Settled, got.Rewinds, last)
				}
			}
			f.look(1)
			f.want("after the start", 2)
		})
	}
}

func TestLag(t *testing.T) {
	follow(t, func(t *testing.T, f *followed) {
		want := func(when string, want time.Duration) {
			t.Helper()
			if got, known := f.Lag(); !known || got.Round(time.Second) != want {
				t.Errorf("%s: got a lag of %v, known %t, want %v", when, got, known, want)
			}
		}
		f.look(10)
		want("while nothing changes", 0)
		f.cost = 6 * time.Second
		f.hint.Version, f.hint.Counters = "2", "2"
		f.look(1)
		want("compared", 0)
		f.hint.Version, f.hint.Counters = "3", "3"
		f.look(20)
		want("changed, and its share is used up", 20*time.Second)

		f.fail = errors.New("connection lost")
		for range lookWithin / LookEvery {
			time.Sleep(LookEvery)
			if _, err := f.Jobs()[0].Run(f.Passes, t.Context()); !errors.Is(err, f.fail) {
				t.Errorf("got error %v of a look, want %v", err, f.fail)
			}
		}
		want("the database is down", 20*time.Second+lookWithin)
	})
}
