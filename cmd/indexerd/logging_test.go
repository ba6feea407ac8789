package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
)

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

// A daemon whose database is missing tries again and again, and logs it once a
// minute; each line is of the format that the file names.
func TestDaemonLogsAFailureOnce(t *testing.T) {
	t.Parallel()
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
	if got, most := strings.Count(log, "tries again"), 1+int(time.Since(began)/time.Minute); got == 0 || got > most {
		t.Errorf("%d lines of the failure, want 1 to %d:\n%s", got, most, log)
	}
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("got %q, want JSON", line)
		}
	}
}
