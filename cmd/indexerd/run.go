package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/mattn/go-isatty"

	"indexerd/configs"
	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/daemon"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
)

type runCommand struct {
	configFlag
	TakeOver bool `help:"Take over indexes and pages that are not below data from another data directory, whose daemon then ends."`
}

// Help implements kong.HelpProvider.
func (runCommand) Help() string {
	return "Loads each table once, follows the databases and serves searches.\n" +
		"Stop it with SIGTERM or Ctrl-C. The next run continues where this one stopped.\n\n" +
		"Example:\n  indexerd run -c configs/pagila.yaml"
}

// Run runs the daemon until ctx ends.
func (c runCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.Load(c.Config, w.getenv)
	if err != nil {
		return err
	}
	cfg.TakeOver = c.TakeOver
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	return runDaemon(ctx, cfg, w, hangups, nil)
}

// runDaemon runs a daemon that writes its log and the progress of loads to stderr.
// It calls serving, if not nil, with the address that the daemon serves.
func runDaemon(ctx context.Context, cfg *configs.Config, w world, hangups <-chan os.Signal, serving func(address string)) error {
	screen := newScreen(w.stderr)
	sink := newLogSink(screen, cfg.Log)
	log := slog.New(sink)
	err := daemon.Run(ctx, cfg, daemon.Options{
		Getenv: w.getenv, Hangups: hangups, Log: log, Serving: serving,
		UseLog:     func(conf configs.Log) { sink.use(screen, conf) },
		WatchLoads: func(ctx context.Context, loads func() []daemon.Load) { watchLoads(ctx, loads, screen, log) },
	})
	if errors.As(err, new(*datadir.OwnerError)) || stored.IsAnothers(err) || leader.IsMoved(err) {
		return coded{err, exitBad} // systemd must not restart it: the user is wrong, another daemon has the index, or another place the marks
	}
	return err
}

func isTerminal(w io.Writer) bool {
	f, ok := terminal.Raw(w).(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
