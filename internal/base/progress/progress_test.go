package progress

import (
	"testing"
	"testing/synctest"
	"time"
)

// The rate and the time left are those of the current step, without what an earlier run
// has done.
func TestReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(Meter)
		want := func(when, text string) {
			t.Helper()
			if got := m.Reading().String(); got != text {
				t.Errorf("%s: got %q, want %q", when, got, text)
			}
		}
		want("before the first step", "")
		m.Step("catalog", "", 0, Unknown)
		time.Sleep(time.Second)
		want("a step of unknown size", "")
		m.Step("film", "rows", 400, 1000)
		want("at the beginning of a step that is resumed", "40 %, 400 of 1000 rows")
		time.Sleep(2 * time.Second)
		m.Add(100)
		want("later", "50 %, 500 of 1000 rows, 50 rows/s, 10s left")
		m.Add(700)
		want("with more rows than counted", "100 %, 1200 of 1200 rows")
		m.Step("film", Bytes, 0, 3_000_000_000)
		time.Sleep(10 * time.Second)
		m.Set(1_000_000_000, 3_000_000_000)
		want("bytes", "33 %, 1.0 GB of 3.0 GB, 100 MB/s, 20s left")
		m.Set(1_000_000_000, Unknown)
		want("of an unknown number", "1.0 GB, 100 MB/s")
		time.Sleep(time.Hour)
		m.Set(1_000_000_000, 2_000_000_000)
		want("of a number that becomes known", "50 %, 1.0 GB of 2.0 GB")
		time.Sleep(10 * time.Second)
		m.Set(1_500_000_000, 2_000_000_000)
		want("later", "75 %, 1.5 GB of 2.0 GB, 50 MB/s, 10s left")
		m.End()
		time.Sleep(time.Minute)
		want("after the end", "75 %, 1.5 GB of 2.0 GB, 50 MB/s, 10s left")
		if m.Reading().Running {
			t.Error("got a meter that runs, want it ended")
		}
	})
}

// Work without a step begins with its first report: what was done by then has no rate.
func TestSetBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(Meter)
		time.Sleep(time.Hour)
		m.Set(900, 1000)
		if r := m.Reading(); !r.Running || r.Rate != 0 || r.Left != 0 {
			t.Errorf("after the first report: got %+v, want no rate", r)
		}
		time.Sleep(time.Second)
		m.Set(905, 1000)
		if got, want := m.Reading().String(), "90 %, 905 of 1000, 5.0/s, 19s left"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestNoMeterCountsNothing(t *testing.T) {
	var m *Meter
	m.Step("film", "rows", 0, 1)
	m.Set(1, 1)
	m.Add(1)
	m.End()
	if r := m.Reading(); r != (Reading{}) {
		t.Errorf("got %+v, want nothing", r)
	}
}
