package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/lmittmann/tint"

	"indexerd/configs"
	"indexerd/internal/base/terminal"
)

// A logSink is a slog.Handler whose format and level can change while loggers use
// it.
type logSink struct {
	now  *atomic.Pointer[slog.Handler]
	with []slog.Attr
}

func newLogSink(s *screen, conf configs.Log) *logSink {
	l := &logSink{now: &atomic.Pointer[slog.Handler]{}}
	l.use(s, conf)
	return l
}

var levels = map[string]slog.Level{"info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// use sets format and level: colored text on a terminal, otherwise key=value or
// JSON lines.
func (l *logSink) use(s *screen, conf configs.Log) {
	level := levels[conf.Level]
	var h slog.Handler
	switch {
	case conf.Format == "json":
		h = slog.NewJSONHandler(terminal.NewWriter(s), &slog.HandlerOptions{Level: level})
	case s.terminal:
		h = tint.NewTextHandler(s, &tint.Options{TimeFormat: time.TimeOnly, Level: level})
	default:
		h = slog.NewTextHandler(s, &slog.HandlerOptions{Level: level})
	}
	l.now.Store(&h)
}

// Enabled implements slog.Handler.
func (l *logSink) Enabled(ctx context.Context, level slog.Level) bool {
	return (*l.now.Load()).Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l *logSink) Handle(ctx context.Context, r slog.Record) error {
	return (*l.now.Load()).WithAttrs(l.with).Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *logSink) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logSink{l.now, append(l.with[:len(l.with):len(l.with)], attrs...)}
}

// WithGroup implements slog.Handler. A logger with a group, which the daemon does
// not use, keeps its format.
func (l *logSink) WithGroup(name string) slog.Handler {
	return (*l.now.Load()).WithAttrs(l.with).WithGroup(name)
}
