package timetrace

import (
	"reflect"
	"testing"
	"time"
)

func TestSettleNeverMovesBack(t *testing.T) {
	var table Table
	for _, step := range []struct {
		at   time.Time
		mode string
		want time.Time
	}{
		{at(10, 0, 0, 0), "assumed", at(10, 0, 0, 0)},
		{at(9, 0, 0, 0), "exact", at(10, 0, 0, 0)},
		{at(11, 0, 0, 0), "compared", at(11, 0, 0, 0)},
	} {
		table.Settle(step.at, step.mode)
		if table.Settled != step.want || table.Mode != step.mode {
			t.Errorf("settle %v, %s: got %v, %s, want %v", step.at, step.mode, table.Settled, table.Mode, step.want)
		}
	}
}

func TestRewindMovesEveryMarkBack(t *testing.T) {
	to := at(10, 12, 0, 0)
	table := example()["film"]
	table.Rewind(to, "failed over")
	want := example()["film"]
	want.Settled = at(9, 50, 0, 0) // is before the time of the rewind
	want.Incremental = to
	want.Tiers = map[string]time.Time{"1m": to, "10m": at(10, 10, 0, 0)}
	want.Rewinds, want.Unverified = 3, "failed over"
	if !reflect.DeepEqual(table, want) {
		t.Errorf("got %+v, want %+v", table, want)
	}
}

// A sweep does not verify rows that it compared before a rewind.
func TestASweepVerifiesUnlessARewindCameBetween(t *testing.T) {
	for _, test := range []struct {
		name   string
		during func(*Table)
		want   string // Unverified
	}{
		{"nothing", func(*Table) {}, ""},
		{"marks that advance", func(m *Table) { m.Settle(at(10, 30, 0, 0), "exact") }, ""},
		{"a rewind", func(m *Table) { m.Rewind(at(10, 5, 0, 0), "failed over") }, "failed over"},
		{"a rewind for the same reason", func(m *Table) { m.Rewind(at(10, 5, 0, 0), m.Unverified) }, example()["film"].Unverified},
	} {
		table := example()["film"]
		rewinds := table.Rewinds
		test.during(&table)
		table.Swept(at(10, 20, 0, 0), rewinds)
		if table.Unverified != test.want {
			t.Errorf("%s during the sweep: got unverified %q, want %q", test.name, table.Unverified, test.want)
		}
		if got, want := table.Sweep, at(10, 20, 0, 0); got != want {
			t.Errorf("%s during the sweep: got Sweep %v, want %v", test.name, got, want)
		}
		table.Swept(at(10, 40, 0, 0), table.Rewinds)
		if table.Unverified != "" {
			t.Errorf("%s, and another sweep: got unverified %q", test.name, table.Unverified)
		}
	}
}

// Copies of a Table share its tiers, so a new mark must not change the map.
func TestSetTierDoesNotChangeCopies(t *testing.T) {
	table := example()["film"]
	held := table
	table.SetTier("1m", at(11, 0, 0, 0))
	table.Rewind(at(8, 0, 0, 0), "restored")
	if want := example()["film"]; !reflect.DeepEqual(held, want) {
		t.Errorf("got %+v, want %+v", held, want)
	}
	var empty Table
	empty.SetTier("1m", at(11, 0, 0, 0))
	if got, want := empty.Tiers["1m"], at(11, 0, 0, 0); got != want {
		t.Errorf("the first tier: got %v, want %v", got, want)
	}
}

// Hidden survives a restart, and ends with a full sweep that began after Hide.
func TestHiddenUntilASweepThatBeganLater(t *testing.T) {
	var table Table
	before := table.Rewinds
	table.Hide("the groups are gone")
	table.Swept(at(10, 0, 0, 0), before)
	if table.Hidden != "the groups are gone" || table.Unverified != "the groups are gone" {
		t.Errorf("after a sweep that began before: got %q and %q, want the reason", table.Hidden, table.Unverified)
	}
	text, err := format(State{"film": table})
	if err != nil {
		t.Fatal(err)
	}
	again, err := parse(text)
	if err != nil || again["film"].Hidden != table.Hidden {
		t.Errorf("after a restart: got %q, %v, want the reason", again["film"].Hidden, err)
	}
	table.Swept(at(11, 0, 0, 0), table.Rewinds)
	if table.Hidden != "" || table.Unverified != "" {
		t.Errorf("after a sweep that began later: got %q and %q, want nothing", table.Hidden, table.Unverified)
	}
}
