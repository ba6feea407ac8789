package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	systemd "github.com/coreos/go-systemd/v22/daemon"

	"indexerd/internal/base/rarely"
	"indexerd/internal/serve/httpapi"
)

// beatAtLeastEvery is the longest time between two messages to the service manager.
const beatAtLeastEvery = 5 * time.Second

// notifySystemd reports to the service manager, until ctx ends, that the daemon
// serves, its status, and that it is alive, by the answers of its own handlers.
// Without a service manager it returns at once.
func notifySystemd(ctx context.Context, h http.Handler, host, token string, reloading *atomic.Bool, log *slog.Logger) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	watchdog, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("indexerd sends no watchdog signal", "error", err)
	}
	n := notifier{every: beatEvery(watchdog), watchdog: watchdog > 0, reloading: reloading, log: slog.New(rarely.New(log.Handler()))}
	n.look = func() (string, error) {
		var status httpapi.Status
		var ready struct{ Waiting []string }
		for path, answer := range map[string]any{"/api/v1/status": &status, "/readyz": &ready} {
			if err := ask(ctx, h, "http://"+host+path, token, answer); err != nil {
				return "", err
			}
		}
		return statusLine(status, ready.Waiting), nil
	}
	n.send = func(state string) error {
		_, err := systemd.SdNotify(false, state)
		return err
	}
	n.run(ctx)
}

// ask reads the answer of a handler.
func ask(ctx context.Context, h http.Handler, url, token string, answer any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	status, body := httpapi.Ask(h, r)
	if err := httpapi.ResponseError(status, body); err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}

// beatEvery returns the time between two beats: half of the watchdog's, so that
// one beat may be late.
func beatEvery(watchdog time.Duration) time.Duration {
	if watchdog > 0 {
		return min(beatAtLeastEvery, watchdog/2)
	}
	return beatAtLeastEvery
}

// A notifier is one conversation with a service manager.
type notifier struct {
	every    time.Duration
	watchdog bool
	// reloading is true while the manager waits for the READY that ends a reload.
	reloading *atomic.Bool
	log       *slog.Logger
	// look returns the status, or why the daemon is not healthy. It takes the
	// locks that answers take and has no deadline: where a lock is never released,
	// look does not return, and the watchdog restarts the daemon.
	look func() (string, error)
	send func(state string) error
}

func (n notifier) run(ctx context.Context) {
	ticks := time.NewTicker(n.every)
	defer ticks.Stop()
	for ctx.Err() == nil {
		n.beat()
		select {
		case <-ctx.Done():
		case <-ticks.C:
		}
	}
	n.tell(systemd.SdNotifyStopping)
}

// beat sends the whole state each time, READY too, so that a lost message is
// repaired by the next one. A daemon that is not healthy sends nothing.
func (n notifier) beat() {
	status, err := n.look()
	if err != nil {
		n.log.Warn("indexerd is not healthy", "error", err)
		return
	}
	state := []string{systemd.SdNotifyReady, "STATUS=" + status}
	if n.reloading.Load() {
		state = nil
	}
	if n.watchdog {
		state = append(state, systemd.SdNotifyWatchdog)
	}
	if state != nil {
		n.tell(strings.Join(state, "\n"))
	}
}

func (n notifier) tell(state string) {
	if err := n.send(state); err != nil {
		n.log.Warn("indexerd can't reach the service manager", "error", err)
	}
}

// statusLine returns the status in one line, of table names and numbers only: a
// line break in a database's message would begin another message to the manager.
func statusLine(s httpapi.Status, waiting []string) string {
	var failing []string
	for _, t := range s.Tables {
		if t.State == "failing" {
			failing = append(failing, t.Table)
		}
	}
	parts := waiting
	if following := len(s.Tables) - len(waiting); following > 0 {
		parts = append(parts, fmt.Sprintf("following %d of %d tables", following, len(s.Tables)))
	}
	if failing != nil {
		parts = append(parts, "failing: "+strings.Join(failing, ", "))
	}
	return strings.Join(parts, "; ")
}
