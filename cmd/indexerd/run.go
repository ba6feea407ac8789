package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/lmittmann/tint"
	"github.com/mattn/go-isatty"

	"indexerd/configs"
)

// describeWithin is how long run waits at its start for the databases to say
// what the SQLs return. One that is down is waited for while running.
const describeWithin = 10 * time.Second

type runCommand struct {
	configFlag
}

// Help shows an example.
func (runCommand) Help() string {
	return "Loads each table once, follows the database second by second and answers searches.\n" +
		"End it with SIGTERM or Ctrl-C; run it again and it goes on where it was.\n\n" +
		"Example:\n  indexerd run -c configs/pagila.yaml"
}

// Run runs the daemon until ctx ends.
func (c runCommand) Run(ctx context.Context, w world) error {
	cfg, err := c.load(w)
	if err != nil {
		return err
	}
	return daemon(ctx, cfg, w, nil)
}

// daemon runs one data directory. serving, if any, is called with the address
// once it answers there.
func daemon(ctx context.Context, cfg *configs.Config, w world, serving func(address string)) (err error) {
	if err := makeDataDir(cfg); err != nil {
		return err
	}
	e, err := openEngine(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if err := e.openDatabases(ctx); err != nil {
		return err
	}

	asking, done := context.WithTimeout(ctx, describeWithin)
	err = e.checkTables(asking)
	done()
	if err != nil && ctx.Err() != nil {
		return nil // signalled before it began
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	l, err := net.Listen("tcp", cfg.HTTP.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w: end what listens there, or name another address in http.listen", cfg.HTTP.Listen, errors.Unwrap(err))
	}
	screen := newScreen(w.stderr)
	log := newLog(screen)
	log.Info("indexerd serves", "url", "http://"+l.Addr().String(), "data", cfg.Data)
	if serving != nil {
		serving(l.Addr().String())
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go watchLoads(watching, e.tables, screen, log)
	err = e.serve(ctx, l, log)
	log.Info("indexerd stopped")
	return err
}

// newLog writes for people on a terminal, and key=value lines elsewhere.
func newLog(s *screen) *slog.Logger {
	if s.terminal {
		return slog.New(tint.NewTextHandler(s, &tint.Options{TimeFormat: time.TimeOnly}))
	}
	return slog.New(slog.NewTextHandler(s, nil))
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
