package main

import (
	"os"
	"strings"
	"testing"
	"time"
)

func TestVerdict(t *testing.T) {
	constant := func(daemon float64) []usage { return []usage{{daemon, 2}, {daemon, 2}, {9 * daemon, 2}} }
	for _, test := range []struct {
		newer float64
		want  string
	}{{1, "ok"}, {1.04, "ok"}, {1.06, "MISS"}, {0.5, "ok"}} {
		text, ok := series{constant(1), constant(test.newer)}.line(1000, true)
		if ok != (test.want == "ok") || !strings.HasSuffix(text, test.want) || !strings.Contains(text, "server 2000.00 2000.00  1.000") {
			t.Errorf("%v beside 1: got %q (%t), want %s", test.newer, text, ok, test.want)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := median([]usage{{daemon: 9}, {daemon: 1}, {daemon: 3}}, daemonTime); got != 3 {
		t.Errorf("of three: got %v, want 3", got)
	}
	if got := median([]usage{{daemon: 9}, {daemon: 1}, {daemon: 3}, {daemon: 5}}, daemonTime); got != 4 {
		t.Errorf("of four: got %v, want 4", got)
	}
}

func TestParseStat(t *testing.T) {
	got, err := parseStat("42 (a) b (c)) S 7 1 1 0 -1 4 10 20 0 0 100 23 1000 200 20 0 1 0 5")
	if want := (stat{7, 123, 1200}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if got, err := parseStat("42 (a) S 7"); err == nil {
		t.Errorf("a short line: got %+v, want an error", got)
	}
	own, err := readStat(os.Getpid())
	if err != nil || own.parent != os.Getppid() {
		t.Errorf("this process: got %+v, %v, want parent %d", own, err, os.Getppid())
	}
}

// A meter counts the time of a child that has ended, and of one that runs.
func TestServerMeter(t *testing.T) {
	m := &serverMeter{os.Getpid()}
	before, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := output(t.Context(), "", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); ; {
		after, err := m.read()
		if err != nil {
			t.Fatal(err)
		}
		if after > before {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("got %v s before and %v s after a child's work", before, after)
		}
	}
}
