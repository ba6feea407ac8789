package horizon

import (
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// second returns a time of both clocks, unless a test sets one back.
func second(n float64) time.Time {
	return time.UnixMicro(1_700_000_000_000_000 + int64(n*1e6)).UTC()
}

// A step is one reading, in seconds: of the database's clock and, if different,
// of this machine's.
type step struct {
	now, local float64
	ahead      time.Duration
	open       []Tx
	prepared   []string
	state      State

	at     float64 // want; 0: not exact
	reason string  // want, in part
	pin    string  // want: the application; "": none
	back   float64 // want, in seconds
	floor  float64 // want; 0: any
}

func (s step) sample() Sample {
	local := s.local
	if local == 0 {
		local = s.now
	}
	return Sample{Moment: Moment{Sent: second(local), Received: second(local), Clock: second(s.now)}, Ahead: s.ahead, Open: s.open}
}

// shown is a session whose start is visible.
func shown(pid int, id string, start float64) Tx {
	return Tx{PID: pid, ID: id, Start: second(start), Application: "shown " + id}
}

// hidden is a session whose start is hidden.
func hidden(pid int, id string) Tx {
	return Tx{PID: pid, ID: id, Application: "hidden " + id}
}

// waiting is a session that waits for its client.
func waiting(tx Tx) Tx {
	tx.Waiting = true
	return tx
}

// earlierWatch is what an earlier watch proved: 90 at 100.
var earlierWatch = doc.Horizon{At: second(90), Now: second(100), Local: second(100)}

func TestHorizon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		last  doc.Horizon
		steps []step
	}{
		{name: "no transaction", steps: []step{{now: 100, at: 99}, {now: 102, at: 101}}},
		{name: "an open transaction", steps: []step{
			{now: 100, open: []Tx{shown(1, "1/1", 50), shown(2, "2/1", 70)}, at: 49, pin: "shown 1/1"},
			{now: 102, open: []Tx{shown(2, "2/1", 70)}, at: 69, pin: "shown 2/1"},
			{now: 104, open: []Tx{shown(2, "2/2", 103.5)}, at: 102.5}, // not longer than the slack
		}},
		{name: "between two transactions of a message", steps: []step{
			{now: 100, open: []Tx{shown(1, "1/1", 50)}, at: 49, pin: "shown 1/1"},
			{now: 102, open: []Tx{{PID: 1, Start: second(50), Application: "between"}}, at: 49, pin: "between"},
		}},
		{name: "hidden from the beginning", steps: []step{
			{now: 100, open: []Tx{hidden(1, "1/1")}, reason: "pid 1 (hidden 1/1) hides the start of its transaction", pin: "hidden 1/1"},
			{now: 102, open: []Tx{hidden(1, "1/1"), hidden(2, "2/1")}, state: State{Remedy: "ask"}, reason: "was before the daemon watched the database: ask, or wait until it ends", pin: "hidden 1/1"},
			{now: 104, open: []Tx{hidden(2, "2/1")}, at: 99, pin: "hidden 2/1"},
			{now: 106, at: 105},
		}},
		{name: "a hidden session goes on without being seen to wait", steps: []step{
			{now: 100, at: 99},
			{now: 102, open: []Tx{hidden(1, "1/1")}, at: 99, pin: "hidden 1/1"},
			{now: 104, open: []Tx{hidden(1, "1/2")}, at: 99, pin: "hidden 1/2"},
			{now: 106, at: 105},
			{now: 108, open: []Tx{hidden(1, "1/3")}, at: 105, pin: "hidden 1/3"},
		}},
		{name: "a hidden session goes on after it waited", steps: []step{
			{now: 100, at: 99},
			{now: 102, open: []Tx{waiting(hidden(1, "1/1"))}, at: 99, pin: "hidden 1/1"},
			{now: 104, open: []Tx{hidden(1, "1/1")}, at: 99, pin: "hidden 1/1"},
			{now: 106, open: []Tx{hidden(1, "1/2")}, at: 101, pin: "hidden 1/2"},
		}},
		{name: "hidden in the middle", steps: []step{
			{now: 100, open: []Tx{shown(1, "1/1", 50)}, at: 49, pin: "shown 1/1"},
			// Its start is unknown, but not before the proved bound.
			{now: 102, open: []Tx{hidden(1, "1/1")}, reason: "hides the start of its transaction", pin: "hidden 1/1"},
			{now: 104, at: 103},
			{now: 106, open: []Tx{shown(1, "1/2", 105)}, at: 104},
			{now: 108, open: []Tx{hidden(1, "1/2")}, at: 104, pin: "hidden 1/2"}, // first seen after 104, which was proved
		}},
		{name: "prepared from the beginning", steps: []step{
			{now: 100, prepared: []string{"p"}, reason: `transaction "p" was prepared before the daemon watched the database`, pin: `prepared transaction "p"`},
			{now: 102, at: 101},
		}},
		{name: "prepared while watched", steps: []step{
			{now: 100, open: []Tx{shown(1, "1/1", 50)}, at: 49, pin: "shown 1/1"},
			{now: 102, prepared: []string{"p"}, at: 49, pin: `prepared transaction "p"`},
			{now: 104, prepared: []string{"p", "q"}, at: 49, pin: `prepared transaction "p"`},
			{now: 106, prepared: []string{"q"}, at: 101, pin: `prepared transaction "q"`},
			{now: 108, at: 107},
		}},
		{name: "always something prepared", steps: []step{
			{now: 100, at: 99},
			{now: 102, prepared: []string{"p"}, at: 99, pin: `prepared transaction "p"`},
			{now: 104, prepared: []string{"q"}, at: 101, pin: `prepared transaction "q"`},
			{now: 106, prepared: []string{"r"}, at: 103, pin: `prepared transaction "r"`},
		}},
		{name: "an earlier watch", last: earlierWatch, steps: []step{
			{now: 102, open: []Tx{hidden(1, "1/1"), shown(2, "2/1", 95)}, prepared: []string{"p"}, at: 90, pin: "hidden 1/1"},
			{now: 104, open: []Tx{waiting(shown(2, "2/1", 95))}, prepared: []string{"p"}, at: 90, pin: "shown 2/1"},
			{now: 106, open: []Tx{shown(2, "2/2", 104)}, prepared: []string{"p"}, at: 90, pin: `prepared transaction "p"`},
			{now: 108, open: []Tx{shown(2, "2/2", 104)}, at: 103, pin: "shown 2/2"},
		}},
		{name: "an earlier watch, and an S that was assumed", last: doc.Horizon{Now: second(100), Local: second(100), Floor: second(90)}, steps: []step{
			// It may have been open at a step of the clock, with which S went back.
			{now: 102, open: []Tx{shown(1, "1/1", 95)}, at: 89, pin: "shown 1/1"},
			{now: 104, open: []Tx{waiting(shown(1, "1/1", 95))}, at: 89, pin: "shown 1/1"},
			{now: 106, open: []Tx{shown(1, "1/2", 105)}, at: 104},
			{now: 108, at: 107},
		}},
		{name: "an earlier watch, an S that was assumed, and a beginning that is hidden", last: doc.Horizon{Now: second(100), Local: second(100), Floor: second(90)}, steps: []step{
			{now: 102, open: []Tx{hidden(1, "1/1")}, reason: "hides the start of its transaction", pin: "hidden 1/1"},
			{now: 104, at: 103},
		}},
		{name: "the clock steps back", steps: []step{
			{now: 1000, open: []Tx{shown(1, "1/1", 998), hidden(3, "3/1")}, reason: "hides", pin: "hidden 3/1"},
			{now: 1002, open: []Tx{shown(1, "1/1", 998)}, at: 997, pin: "shown 1/1"},
			// 300 seconds back within two seconds: the clock showed at least 702.
			{now: 704, local: 1004, open: []Tx{shown(1, "1/1", 998), hidden(2, "2/1")}, at: 701, back: 300, pin: "shown 1/1"},
			{now: 706, local: 1006, open: []Tx{shown(1, "1/1", 998)}, at: 701, pin: "shown 1/1"},
			// The clock has caught up. The transaction may have stamped meanwhile.
			{now: 1010, local: 1310, open: []Tx{shown(1, "1/1", 998)}, at: 701, pin: "shown 1/1"},
			// The next transaction may belong to the message that was open at the step.
			{now: 1012, local: 1312, open: []Tx{waiting(shown(1, "1/2", 998))}, at: 701, pin: "shown 1/2"},
			{now: 1014, local: 1314, open: []Tx{shown(1, "1/3", 1013.5)}, at: 1012.5},
		}},
		{name: "the clock steps back without a transaction", steps: []step{
			{now: 1000, at: 999},
			{now: 704, local: 1004, at: 699, back: 300},
			{now: 706, local: 1006, at: 705},
		}},
		{name: "a hidden session goes on after a step", steps: []step{
			{now: 1000, at: 999},
			{now: 1002, open: []Tx{waiting(hidden(1, "1/1"))}, at: 999, pin: "hidden 1/1"},
			{now: 704, local: 1004, open: []Tx{hidden(1, "1/1")}, at: 701, back: 300, pin: "hidden 1/1"},
			{now: 706, local: 1006, open: []Tx{hidden(1, "1/2")}, at: 701, pin: "hidden 1/2"},
		}},
		{name: "prepared when the clock steps back", steps: []step{
			{now: 1000, prepared: nil, at: 999},
			{now: 704, local: 1004, prepared: []string{"p"}, at: 699, back: 300},
			{now: 706, local: 1006, prepared: []string{"p"}, at: 699, pin: `prepared transaction "p"`},
			{now: 708, local: 1008, at: 707},
		}},
		{name: "a step below half of the slack", steps: []step{
			{now: 100, at: 99}, {now: 101.6, local: 102, at: 100.6},
		}},
		{name: "the clock goes forward", steps: []step{
			{now: 100, at: 99}, {now: 4000, local: 102, at: 3999},
		}},
		{name: "a step between two watches", last: earlierWatch, steps: []step{
			{now: 60, local: 160, open: []Tx{shown(1, "1/1", 59)}, at: -1, back: 100, pin: "shown 1/1"},
			{now: 62, local: 162, at: 61},
		}},
		{name: "a step before the first watch", steps: []step{
			{now: 100, ahead: 30 * time.Second, open: []Tx{shown(1, "1/1", 130)}, reason: "the server's clock was set back while pid 1", back: 30, pin: "shown 1/1"},
			{now: 140, open: []Tx{shown(1, "1/1", 130)}, reason: "the server's clock was set back while pid 1", pin: "shown 1/1"},
			{now: 142, at: 141},
		}},
		{name: "a step of a standby between two watches", last: earlierWatch, steps: []step{
			{now: 60, local: 160, state: State{Reason: "a standby"}, reason: "a standby", back: 100, floor: -1},
		}},
		{name: "a reason", steps: []step{
			{now: 100, state: State{Reason: "a standby", Unbounded: "a function"}, reason: "a standby"},
			{now: 102, at: 101},
		}},
		{name: "hidden transactions stamp earlier than they began", steps: []step{
			{now: 100, at: 99},
			{now: 102, open: []Tx{hidden(1, "1/1")}, state: State{Unbounded: "a function"}, reason: "a function"},
			{now: 104, open: []Tx{hidden(1, "1/2")}, reason: "hides the start", pin: "hidden 1/2"},
			{now: 106, at: 105},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMemory(time.Second)
			m.continueFrom(c.last)
			for i, s := range c.steps {
				m.add(s.sample())
				r := reading{State: s.state, Sample: s.sample()}
				for _, name := range s.prepared {
					r.Prepared = append(r.Prepared, PreparedTx{ID: name, Name: name, Since: second(s.now - 2)})
				}
				checkHorizon(t, i+1, s, m.horizon(r))
			}
		})
	}
}

func checkHorizon(t *testing.T, reading int, want step, got doc.Horizon) {
	t.Helper()
	at := time.Time{}
	if want.reason == "" {
		at = second(want.at)
	}
	if !got.At.Equal(at) || got.Exact != (want.reason == "") {
		t.Errorf("reading %d: got %v, exact %v, want %v", reading, got.At, got.Exact, at)
	}
	if !strings.Contains(got.Reason, want.reason) || (got.Reason == "") != (want.reason == "") {
		t.Errorf("reading %d: got reason %q, want %q", reading, got.Reason, want.reason)
	}
	pin := ""
	if got.Pin != nil {
		pin = got.Pin.Application
	}
	if pin != want.pin {
		t.Errorf("reading %d: got it pinned by %q, want %q", reading, pin, want.pin)
	}
	if want.floor != 0 && !got.Floor.Equal(second(want.floor)) {
		t.Errorf("reading %d: got floor %v, want %v", reading, got.Floor, second(want.floor))
	}
	if back := time.Duration(want.back * 1e9); got.ClockBack != back {
		t.Errorf("reading %d: got the clock back by %v, want %v", reading, got.ClockBack, back)
	}
}

// The next horizon reports a step of the clock if the reading that saw it
// failed.
func TestStepIsReportedAfterAFailedReading(t *testing.T) {
	t.Parallel()
	m := newMemory(time.Second)
	m.add(step{now: 100}.sample())
	m.horizon(reading{Sample: step{now: 100}.sample()})
	m.add(step{now: 52, local: 102}.sample()) // and then the connection broke
	s := step{now: 54, local: 104, at: 49, back: 50}
	m.add(s.sample())
	checkHorizon(t, 2, s, m.horizon(reading{Sample: s.sample()}))
}
