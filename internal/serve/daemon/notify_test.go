package daemon

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/serve/httpapi"
)

// A manager is a service manager that only listens.
type manager struct {
	mu       sync.Mutex
	messages []string
	away     bool // so that nothing reaches it
}

func (m *manager) send(state string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.away {
		return errors.New("connection refused")
	}
	m.messages = append(m.messages, state)
	return nil
}

// wants compares what was said since the last call.
func (m *manager) wants(t *testing.T, when string, want ...string) {
	t.Helper()
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Equal(m.messages, want) {
		t.Errorf("%s: got messages %q, want %q", when, m.messages, want)
	}
	m.messages = nil
}

// beating runs a notifier that looks each second. It belongs into a bubble.
func beating(t *testing.T, m *manager, watchdog bool, look func() (string, error)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	n := notifier{every: time.Second, watchdog: watchdog, reloading: &atomic.Bool{}, log: slog.New(slog.DiscardHandler), look: look, send: m.send}
	ended := make(chan struct{})
	go func() { n.run(ctx); close(ended) }()
	time.Sleep(time.Millisecond) // beats are between whole seconds from here on
	return func() { cancel(); <-ended }
}

func TestManagerGetsTheStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, lines := &manager{}, make(chan string, 2)
		lines <- "film: loading 41 %"
		lines <- "following 1 of 1 tables"
		stop := beating(t, m, false, func() (string, error) { return <-lines, nil })
		m.wants(t, "at the start", "READY=1\nSTATUS=film: loading 41 %")
		time.Sleep(time.Second)
		m.wants(t, "a second later", "READY=1\nSTATUS=following 1 of 1 tables")
		stop()
		m.wants(t, "at the end", "STOPPING=1")
	})
}

// A beat takes the locks that answers take. While one is held, no watchdog signal
// is sent.
func TestHangingDaemonSendsNoWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, lock := &manager{}, make(chan struct{}, 1)
		stop := beating(t, m, true, func() (string, error) {
			lock <- struct{}{}
			<-lock
			return "following", nil
		})
		const beat = "READY=1\nSTATUS=following\nWATCHDOG=1"
		m.wants(t, "at the start", beat)
		time.Sleep(2 * time.Second)
		m.wants(t, "in two seconds", beat, beat)
		lock <- struct{}{}
		time.Sleep(time.Minute)
		m.wants(t, "while the lock is held")
		<-lock
		time.Sleep(time.Second)
		m.wants(t, "after that", beat, beat, beat) // of the tick that waited, of one that was due, of this second
		stop()
	})
}

func TestUnhealthyDaemonSendsNoWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manager{}
		stop := beating(t, m, true, func() (string, error) { return "", errors.New("unhealthy") })
		time.Sleep(time.Minute)
		m.wants(t, "in a minute")
		stop()
		m.wants(t, "at the end", "STOPPING=1")
	})
}

// Each beat sends READY again. If it were sent once and the datagram lost, systemd
// would kill the service at the end of its start timeout.
func TestLostMessageIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manager{away: true}
		stop := beating(t, m, false, func() (string, error) { return "following", nil })
		m.wants(t, "while it is away")
		m.mu.Lock()
		m.away = false
		m.mu.Unlock()
		time.Sleep(time.Second)
		m.wants(t, "when it is back", "READY=1\nSTATUS=following")
		stop()
	})
}

func TestWithoutManagerNotifyReturns(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	notifySystemd(t.Context(), nil, "", "", nil, nil) // returns, although its context does not end
}

func TestBeatEvery(t *testing.T) {
	for _, c := range []struct{ watchdog, want time.Duration }{
		{0, beatAtLeastEvery}, // there is none
		{time.Second, time.Second / 2},
		{2 * time.Minute, beatAtLeastEvery}, // the status is to be fresh all the same
	} {
		if got := beatEvery(c.watchdog); got != c.want {
			t.Errorf("watchdog %v: got %v, want %v", c.watchdog, got, c.want)
		}
	}
}

func TestStatusLine(t *testing.T) {
	table := func(name, state string) httpapi.TableStatus { return httpapi.TableStatus{Table: name, State: state} }
	for _, c := range []struct {
		name    string
		tables  []httpapi.TableStatus
		waiting []string
		want    string
	}{
		{"loading", []httpapi.TableStatus{table("film", "loading")}, []string{"film: loading 41 %"}, "film: loading 41 %"},
		{"following", []httpapi.TableStatus{table("film", "following"), table("actor", "reindexing")}, nil, "following 2 of 2 tables"},
		{"both", []httpapi.TableStatus{table("film", "following"), table("actor", "loading")}, []string{"actor: waiting for its database"},
			"actor: waiting for its database; following 1 of 2 tables"},
		{"failing", []httpapi.TableStatus{table("film", "failing"), table("actor", "failing")}, nil,
			"following 2 of 2 tables; failing: film, actor"},
	} {
		if got := statusLine(httpapi.Status{Tables: c.tables}, c.waiting); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
