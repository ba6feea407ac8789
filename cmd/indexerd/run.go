package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/mattn/go-isatty"

	"indexerd/configs"
	"indexerd/internal/terminal"
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
	cfg, err := configs.Load(c.Config, w.getenv)
	if err != nil {
		return err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	return daemon(ctx, cfg, w, hangups, nil)
}

// daemon runs one data directory. At each of hangups it reads its configuration
// anew. serving, if any, is called with the address once it answers there.
func daemon(ctx context.Context, cfg *configs.Config, w world, hangups <-chan os.Signal, serving func(address string)) (err error) {
	if err := makeDataDir(cfg); err != nil {
		return err
	}
	if err := ownedByCaller(cfg); err != nil {
		return coded{err, exitBad} // another start as this user would not help
	}
	e, err := openToRun(cfg)
	if err != nil {
		return err
	}
	l, err := e.listen(ctx)
	if err != nil || l == nil {
		return errors.Join(err, e.close())
	}
	screen := newScreen(w.stderr)
	sink := newLogSink(screen, cfg.Log)
	log := slog.New(sink)
	f := newFront(e.limitConnections(l, log), cfg.HTTP, log)
	log.Info("indexerd serves", "url", f.base, "data", cfg.Data)
	warnOpen(cfg, log)
	if serving != nil {
		serving(l.Addr().String())
	}
	d := &daemonRun{
		cfg: cfg, getenv: w.getenv, front: f, screen: screen, log: log, sink: sink,
		hangups: hangups, orders: make(chan order, maxOrders),
	}
	e.started, e.orders, e.log = time.Now(), d.orders, log
	if e.frozen != nil {
		d.sayFrozen(e.frozen)
	}
	d.front.show(e)
	var notifying sync.WaitGroup
	notifying.Go(func() { notifySystemd(ctx, d.front, d.front.address, d.front.own, &d.reloading, log) })
	err = errors.Join(d.live(ctx, e), d.front.close())
	notifying.Wait()
	log.Info("indexerd stopped")
	return err
}

// listen makes sure that the configuration is right as far as it can be told,
// and takes the address; nil: signalled before it began.
func (e *engine) listen(ctx context.Context) (net.Listener, error) {
	if err := e.openDatabases(ctx); err != nil {
		return nil, err
	}
	if err := e.checkTablesWithin(ctx, describeWithin); ctx.Err() != nil {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", e.cfg.HTTP.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w: end what listens there, or name another address in http.listen", e.cfg.HTTP.Listen, errors.Unwrap(err))
	}
	return l, nil
}

func isTerminal(w io.Writer) bool {
	f, ok := terminal.Raw(w).(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}
