package rarely

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A database that is down for an hour fails every second. The log has one line a
// minute, with the count, and every other line.
func TestFailuresAreLoggedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(New(slog.NewTextHandler(&out, nil)))
		film, actor := log.With("table", "film"), log.With("table", "actor")
		for i := range 3600 {
			film.Error("tries again", "error", fmt.Errorf("read 127.0.0.1:%d: refused", 40000+i), "in", time.Duration(i))
			time.Sleep(time.Second)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 60 {
			t.Fatalf("got %d lines, want 60", len(lines))
		}
		if strings.Contains(lines[0], "times_since") || !strings.HasSuffix(lines[59], "times_since_the_last_line=60") {
			t.Errorf("got %q and %q, want the count in all lines but the first", lines[0], lines[59])
		}
		for _, c := range []struct {
			name string
			say  func()
			want int
		}{
			{"another table", func() { actor.Error("tries again", "error", errors.New("read 127.0.0.1:1: refused")) }, 1},
			{"another error", func() { film.Error("tries again", "error", errors.New("the login was refused")) }, 1},
			{"no failure", func() { film.Info("works again"); film.Info("works again") }, 2},
			{"the same after a quiet hour", func() {
				time.Sleep(time.Hour)
				film.Error("tries again", "error", errors.New("the login was refused"))
			}, 1},
		} {
			out.Reset()
			c.say()
			if got := strings.Count(out.String(), "\n"); got != c.want || strings.Contains(out.String(), "times_since") {
				t.Errorf("%s: got %q, want %d lines without a count", c.name, out.String(), c.want)
			}
		}
	})
}
