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

	"indexerd/internal/httpapi"
)

// lookEvery is how often the service manager is told what the daemon does.
const lookEvery = 5 * time.Second

// notifySystemd tells the service manager that the daemon serves, what it does
// and that it lives, by the answers of its handlers, until ctx ends. Without a service manager it does nothing.
func notifySystemd(ctx context.Context, h http.Handler, host, token string, reloading *atomic.Bool, log *slog.Logger) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	watchdog, err := systemd.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("indexerd sends no watchdog signal", "error", err)
	}
	n := notifier{every: beatEvery(watchdog), watchdog: watchdog > 0, reloading: reloading, log: slog.New(newRarely(log.Handler()))}
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

// beatEvery leaves the watchdog, if there is one, a beat that comes late.
func beatEvery(watchdog time.Duration) time.Duration {
	if watchdog > 0 {
		return min(lookEvery, watchdog/2)
	}
	return lookEvery
}

// A notifier is one conversation with a service manager.
type notifier struct {
	every    time.Duration
	watchdog bool
	// reloading is true while the manager waits for a READY of its own.
	reloading *atomic.Bool
	log       *slog.Logger
	// look returns what the daemon does, or why it is not healthy. It takes the
	// locks that answers take. One that is never given back, or a process that
	// gets no turn, keeps it from returning, and then the watchdog ends what no
	// request would. So it has no deadline of its own.
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

// beat tells everything each time, so that a message that was lost, READY too,
// is made good by the next one. A daemon that is not healthy says nothing.
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

// statusLine is the status in one line, of table names and numbers only: a
// line break in the message of a database would be an order to the manager.
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
