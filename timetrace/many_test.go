package timetrace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/magiconair/properties"
	"pgregory.net/rapid"
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

// A plain value is written as the library writes it.
func TestPlainValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key, value := "t1.settled", rapid.OneOf(rapid.StringMatching(`[0-9A-Za-z:.+_ -]{0,12}`), rapid.String()).Draw(t, "value")
		lines := properties.NewProperties()
		lines.DisableExpansion = true
		if _, _, err := lines.Set(key, value); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if _, err := lines.Write(&text, properties.UTF8); err != nil {
			t.Fatal(err)
		}
		if got := key + " = " + value + "\n"; isPlain(value, "_.-+:") && got != text.String() {
			t.Errorf("got %q, the library writes %q", got, text.String())
		}
	})
}
