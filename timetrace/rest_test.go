package timetrace

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// After a replacement the marks of many tables rest, and those of few do not.
func TestRest(t *testing.T) {
	for tables, want := range map[int]time.Duration{manyTables: 20*time.Millisecond + restFactor*10*time.Millisecond, manyTables - 1: 20 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			state := State{}
			for n := range tables {
				state[fmt.Sprint("t", n)] = Table{}
			}
			trace, err := newTrace("marks", state, func(map[string]block) error { time.Sleep(10 * time.Millisecond); return nil })
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			for range 2 {
				if err := trace.UpdateTable("t0", func(m *Table) { m.Numbers++ }); err != nil {
					t.Fatal(err)
				}
			}
			if got := time.Since(began); got != want {
				t.Errorf("two updates of one of %d tables took %v, want %v", tables, got, want)
			}
		})
	}
}
