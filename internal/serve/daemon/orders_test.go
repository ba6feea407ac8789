package daemon

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/tables"
	"indexerd/timetrace"
)

// An order that comes as a storage breaks waits for the next engine. If it were lost,
// its run would never end.
func TestOrderBesideAnotherEnd(t *testing.T) {
	cfg := &configs.Config{}
	d := &daemon{Options: Options{Log: slog.New(slog.DiscardHandler)}, cfg: cfg, orders: make(chan order, maxOrders)}
	e := newEngine(cfg, nil)
	_, move := moves.NewLive(t.Context(), cfg, cfg, nil, nil)
	for _, c := range []struct {
		first error // that ends the engine; nil: the order does
		waits int
	}{{tables.ErrBroken, 1}, {nil, 0}} {
		ctx, end := context.WithCancelCause(t.Context())
		d.orders <- order{move: move}
		d.takeOrders(ctx, e, func(cause error) {
			if c.first != nil {
				end(c.first)
			}
			end(cause)
		})
		if got := len(d.orders); got != c.waits {
			t.Errorf("ended by %v: %d orders wait, want %d", context.Cause(ctx), got, c.waits)
		}
		for len(d.orders) > 0 {
			<-d.orders
		}
	}
}

// An order that ends an engine just after its storage broke, and before its passes have
// ended, is left for the next engine.
func TestOrderAfterAnotherEnd(t *testing.T) {
	for _, c := range []struct {
		cause error // of the engine's end
		waits int
	}{{tables.ErrBroken, 1}, {nil, 1}, {&renewal{}, 0}} {
		d := &daemon{Options: Options{Log: slog.New(slog.DiscardHandler)}, orders: make(chan order, maxOrders)}
		d.leaveUnused(&renewal{order: order{table: "note"}}, c.cause)
		if got := len(d.orders); got != c.waits {
			t.Errorf("ended by %v: %d orders wait, want %d", c.cause, got, c.waits)
		}
		if d.leaveUnused(tables.ErrBroken, tables.ErrBroken); len(d.orders) != c.waits {
			t.Errorf("without an order: %d orders wait, want %d", len(d.orders), c.waits)
		}
	}
}

// A signal to end that comes while an engine ends for the next one is no failure.
func TestStopWhileTheConfigurationIsReadAgain(t *testing.T) {
	cfg := newMoved(t).files
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	hangups := make(chan os.Signal, 1)
	err := Run(ctx, cfg, Options{
		Getenv: os.LookupEnv, Hangups: hangups, Log: slog.New(slog.DiscardHandler),
		Serving: func(string) { hangups <- syscall.SIGHUP },
		WatchLoads: func(ctx context.Context, _ func() []Load) { // the engine waits for it
			<-ctx.Done()
			if errors.As(context.Cause(ctx), new(*renewal)) {
				stop()
			}
		},
	})
	if err != nil || ctx.Err() == nil {
		t.Errorf("run: got error %v, want none after both signals", err)
	}
}

// The order to reload a table is durable: a daemon that ended before it carried it out does
// so when it starts. Where it can't be stored, it is refused.
func TestReloadIsDurable(t *testing.T) {
	cfg := &configs.Config{Data: t.TempDir()}
	trace, err := timetrace.Open(atomicfile.OS, cfg.Data, "test")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"film", "actor"} {
		if err := errors.Join(trace.UpdateTable(table, func(m *timetrace.Table) { m.Loaded = true }), os.MkdirAll(filepath.Join(cfg.Data, table, "index"), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"film", "never_loaded"} {
		if err := noteReload(cfg.Data, table); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := (holding{}).carryOutReloads(cfg); err != nil {
			t.Fatal(err)
		}
		if trace, err = timetrace.Open(atomicfile.OS, cfg.Data, "test"); err != nil {
			t.Fatal(err)
		}
		if marks := trace.Tables(); len(marks) != 1 || !marks["actor"].Loaded {
			t.Errorf("marks: got %+v, want those of actor", marks)
		}
		if _, err := os.Stat(filepath.Join(cfg.Data, "film")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the directory of film: got %v, want %v", err, fs.ErrNotExist)
		}
		if left, _ := filepath.Glob(filepath.Join(cfg.Data, "*"+reloadSuffix)); len(left) > 0 {
			t.Errorf("orders: got %v, want none", left)
		}
	}
	if err := noteReload(filepath.Join(cfg.Data, "none"), "film"); err == nil || !strings.Contains(err.Error(), "the order can't be stored") {
		t.Errorf("got %v, want an error of an order that can't be stored", err)
	}
}
