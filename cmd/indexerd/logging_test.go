package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/configs"
)

// A database that is down for an hour fails every second: a line a minute says
// so, with the count, and nothing else is lost.
func TestFailuresAreLoggedRarely(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := slog.New(newRarely(slog.NewTextHandler(&out, nil)))
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

// The format can be changed under loggers that are in use.
func TestLogSink(t *testing.T) {
	var out bytes.Buffer
	screen := newScreen(&out)
	sink := newLogSink(screen, configs.Log{Format: "text", Level: "info"})
	film := slog.New(sink).With("table", "film")
	film.Info("loaded", "rows", 3)
	sink.use(screen, configs.Log{Format: "json", Level: "warn"})
	film.Info("not said")
	film.Warn("held", "rows", 4)
	lines := strings.SplitAfter(out.String(), "\n")
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "level=INFO msg=loaded table=film rows=3\n") {
		t.Fatalf("got %q, want two lines, the first as text", lines)
	}
	var got struct {
		Msg, Table string
		Rows       int
	}
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil || got.Msg != "held" || got.Table != "film" || got.Rows != 4 {
		t.Errorf("got %q, want the same as JSON: %v", lines[1], err)
	}
}

// A daemon whose database is missing tries again and again, and says it once a
// minute; each line is of the format that the file names.
func TestDaemonLogsAFailureOnce(t *testing.T) {
	dir := t.TempDir()
	file := writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nlog: {format: json}\nsources:\n  db: {driver: sqlite, dsn: %s}\n", filepath.Join(dir, "data"), filepath.Join(dir, "none.sqlite"))+
		"tables:\n  note: {source: db, sql: SELECT * FROM note, key: id, updated: u, content: {fields: [text]}}\n")
	began := time.Now()
	p := start(t, "run", "-c", file)
	tries := map[string]bool{}
	eventually(t, time.Minute, "three tries fail", func() error {
		if e := p.status(t).Tables[0].LastError; e != nil {
			tries[time.Time(e.At).String()] = true
		}
		if len(tries) < 3 {
			return fmt.Errorf("%d", len(tries))
		}
		return nil
	})
	log := p.log.String()
	if got, most := strings.Count(log, "tries again"), 1+int(time.Since(began)/rarelyEvery); got == 0 || got > most {
		t.Errorf("%d lines of the failure, want 1 to %d:\n%s", got, most, log)
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("got %q, want JSON", line)
		}
	}
}
