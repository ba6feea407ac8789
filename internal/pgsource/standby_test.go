package pgsource

import (
	"errors"
	"strings"
	"testing"
	"time"

	"indexerd/internal/pgtest"
)

func TestStandbyBehindReason(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, c := range []struct {
		name  string
		s     standby
		seen  time.Duration // ago
		doubt string        // "": none
	}{
		{"a busy primary", standby{replayed: ago(time.Second), connected: true, messagesVisible: true, sent: ago(time.Second / 2), received: now}, time.Second, ""},
		{"all is replayed", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, sent: ago(20 * time.Second), received: ago(19 * time.Second), complete: true}, 20 * time.Second, ""},
		{"nothing was replayed since a start", standby{restart: ago(time.Hour), connected: true, messagesVisible: true, sent: ago(20 * time.Second), received: ago(19 * time.Second), complete: true}, 20 * time.Second, ""},
		{"something is not replayed", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, sent: ago(time.Second), received: now}, time.Hour, "has not replayed what was committed since 2026-05-04 02:00:00Z"},
		{"the receiver has begun, and has had no message", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, sent: now, received: now, complete: true}, time.Hour, "has received no message from its primary since"},
		{"a message is old", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, sent: ago(2 * time.Minute), received: ago(2*time.Minute - 1), complete: true}, 2 * time.Minute, "has received no message from its primary since 2026-05-04 02:58:00Z"},
		{"a message may be old", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, sent: ago(2 * time.Minute), received: ago(2*time.Minute - 1), complete: true, timeout: 5 * time.Minute}, 2 * time.Minute, ""},
		{"messages are hidden", standby{replayed: ago(time.Hour), connected: true}, time.Hour, "GRANT pg_read_all_stats to the daemon's role"},
		{"messages are hidden, of a busy primary", standby{replayed: ago(time.Second), connected: true}, time.Second, ""},
		{"no receiver", standby{replayed: ago(time.Hour)}, time.Hour, "is not connected to its primary"},
		{"paused", standby{replayed: ago(time.Hour), connected: true, messagesVisible: true, paused: true}, time.Hour, "whose replay is paused since"},
	} {
		if got, want := c.s.seen(), ago(c.seen); !got.Equal(want) {
			t.Errorf("%s: got seen %v, want %v", c.name, got, want)
		}
		if got := c.s.behindReason(now); (got == "") != (c.doubt == "") || !strings.Contains(got, c.doubt) {
			t.Errorf("%s: got doubt %q, want %q", c.name, got, c.doubt)
		}
	}
}

// A standby's Seen is the primary's time. It stands still while replay is
// paused, and passes a commit once that is replayed.
func TestMomentOfAStandby(t *testing.T) {
	t.Parallel()
	primary := ownCluster(t)
	pgtest.Exec(t, primary.DSN(), "CREATE TABLE doc (id int, u timestamptz DEFAULT now()); CREATE ROLE plain LOGIN; GRANT SELECT ON doc TO plain")
	second, err := primary.Standby(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Stop() })
	sees := tableIn(t, second.DSN(), "", TableConfig{})
	blind := tableIn(t, strings.Replace(second.DSN(), "postgres@", "plain@", 1), "", TableConfig{})
	shows := func(table *Table) time.Time {
		t.Helper()
		m, err := table.Moment(t.Context())
		if err != nil || m.Seen.After(m.Now) || m.Seen.IsZero() {
			t.Fatalf("got %+v, %v, want a moment that sees something", m, err)
		}
		return m.Seen
	}
	passes := func(table *Table, at time.Time) {
		t.Helper()
		for end := time.Now().Add(time.Minute); shows(table).Before(at); {
			if time.Now().After(end) {
				t.Fatalf("got %v, want %v passed", shows(table), at)
			}
			<-time.After(20 * time.Millisecond)
		}
	}
	commit := func() time.Time {
		t.Helper()
		pgtest.Exec(t, primary.DSN(), "INSERT INTO doc (id) VALUES (1)")
		return pgtest.Value[time.Time](t, primary.DSN(), "SELECT max(u) FROM doc")
	}
	first := commit()
	passes(sees, first)
	passes(blind, first)

	pgtest.Exec(t, second.DSN(), "SELECT pg_wal_replay_pause()")
	for end := time.Now().Add(time.Minute); pgtest.Value[string](t, second.DSN(), "SELECT pg_get_wal_replay_pause_state()") != "paused"; {
		if time.Now().After(end) {
			t.Fatal(errors.New("replay is not paused"))
		}
	}
	missed := commit()
	for _, table := range []*Table{sees, blind} {
		for range 20 {
			if got := shows(table); got.After(missed) {
				t.Errorf("got %v while replay is paused, want at most %v, which is not replayed", got, missed)
			}
		}
		if now, err := table.Now(t.Context()); err != nil || now.After(missed) {
			t.Errorf("got now %v, %v, want at most %v", now, err, missed)
		}
	}
	pgtest.Exec(t, second.DSN(), "SELECT pg_wal_replay_resume()")
	passes(sees, missed)
	passes(blind, missed)

	if m, err := tableIn(t, primary.DSN(), "", TableConfig{}).Moment(t.Context()); err != nil || !m.Seen.Equal(m.Now) || m.Behind != "" || m.Local.Before(m.Asked) {
		t.Errorf("got %+v, %v of the primary, want all seen", m, err)
	}
}
