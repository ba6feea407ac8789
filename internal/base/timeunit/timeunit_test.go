package timeunit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

var (
	now    = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ranges = RangesAt(now)
)

func TestPlausibleTimesVoteForTheirUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int64Range(Earliest.Unix(), Latest(now).Unix()-1).Draw(t, "seconds")
		for _, u := range Numbers {
			n := float64(seconds * int64(time.Second/u.Duration()))
			if got := ranges.Unit(n); got != u {
				t.Errorf("%v in %s: got a vote for %q", n, u, got)
			}
		}
		if got := ranges.Unit(julian1970 + float64(seconds)/86400); got != JulianDays {
			t.Errorf("a Julian day: got a vote for %q", got)
		}
	})
}

// Numbers such as 0, a version number or the year 9999 are no times.
func TestImplausibleNumbersDoNotVote(t *testing.T) {
	for _, n := range []float64{
		0, 1, -1, 1000, 20261122, 2147483647, 4102444800, 9999999999, 32503680000, 99999999999, 253402300799, 253402214400,
		253402300799000, 9999999999999, 253402300799999999, -62135596800, -2208988800, 1 << 53, 1 << 62, 1<<63 - 1,
	} {
		if got := ranges.Unit(n); got != Unknown {
			t.Errorf("%v: got a vote for %s, want none", n, got)
		}
	}
}

func TestPlausibleTimesAreFrom1990ToAYearFromNow(t *testing.T) {
	for text, want := range map[string]bool{
		"1970-01-01T00:00:00Z": false, "1989-12-31T23:59:59Z": false, "1990-01-01T00:00:00Z": true, "2026-11-23T00:00:00Z": true,
		"2027-11-01T00:00:00Z": true, "2027-12-01T00:00:00Z": false, "9999-12-31T23:59:59Z": false,
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Plausible(at, now); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	if Plausible(Earliest, time.Time{}) {
		t.Error("clock of the year 1: got a plausible time, want none")
	}
}

func TestDecideByDeclarationThenFoundUnitThenVotes(t *testing.T) {
	for _, c := range []struct {
		name            string
		declared, found Unit
		votes           Votes
		want            Unit
		conflict        string // its text
	}{
		{"no row", "", "", nil, Unknown, ""},
		{"no row, found before", "", "ms", nil, Milliseconds, ""},
		{"no row, declared", "us", "", nil, Microseconds, ""},
		{"one row", "", "", Votes{Seconds: 1}, Seconds, ""},
		{"the bulk", "", "", Votes{Seconds: 98, Milliseconds: 2}, Seconds, ""},
		{"no bulk", "", "", Votes{Seconds: 1, Milliseconds: 1}, "", "several units (1 in milliseconds, 1 in seconds)"},
		{"three units without a bulk", "", "", Votes{Seconds: 2, Milliseconds: 2, Text: 1}, "", "several units"},
		{"no bulk, found before", "", "s", Votes{Seconds: 1, Milliseconds: 1}, Seconds, ""},
		{"as found", "", "s", Votes{Seconds: 3, Milliseconds: 1}, Seconds, ""},
		{"another bulk", "", "s", Votes{Seconds: 1, Milliseconds: 3}, "", "found to be seconds, but most rows now have another (3 in milliseconds, 1 in seconds): declare the unit (updated: {column: ..., unit: ms})"},
		{"another kind", "", "text", Votes{JulianDays: 3}, "", "found to be text"},
		{"declared, and some rows", "s", "", Votes{Seconds: 1, Milliseconds: 9}, Seconds, ""},
		{"declared, and no row", "s", "", Votes{Milliseconds: 9}, "", "unit s is declared, and no row counts in seconds (9 in milliseconds)"},
		{"declared as found", "s", "s", nil, Seconds, ""},
		{"declared otherwise than found", "ms", "s", Votes{Milliseconds: 9}, "", "unit ms is declared, and the table was loaded with seconds: put it back"},
	} {
		got, err := Decide(c.declared, c.found, c.votes)
		var conflict *Conflict
		if errors.As(err, &conflict) != (c.conflict != "") || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
		if conflict != nil && !strings.Contains(conflict.Error(), c.conflict) {
			t.Errorf("%s: got %q, want %q in it", c.name, conflict, c.conflict)
		}
	}
}

func TestParseReturnsTheUnitOfItsText(t *testing.T) {
	for _, u := range append([]Unit{JulianDays, Text}, Numbers...) {
		if got, err := Parse(string(u)); got != u || err != nil {
			t.Errorf("Parse(%q): got %q, %v", u, got, err)
		}
	}
	for _, text := range []string{"", "sec", "S", "ms "} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q): got %q, want an error", text, got)
		}
	}
}

func TestDocumentedNumbers(t *testing.T) {
	text, err := os.ReadFile("../../../docs/correctness.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("more than half of up to %d,000 votes", Samples[1]/1000),
		fmt.Sprintf("plausible from %d to a year after the database's clock", Earliest.Year()),
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("docs/correctness.md does not contain %q", want)
		}
	}
}
