package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

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
