package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/pages/move"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/moves"
	"indexerd/store"
)

type moveCommand struct {
	configFlag
	From string `required:"" placeholder:"FILE" help:"The configuration with the place that has the pages, or the marks, now."`
}

// Help implements kong.HelpProvider.
func (moveCommand) Help() string {
	return "Moves the pages of all loaded tables, or the marks, from where one configuration has them to where another one does.\n" +
		"Pages are moved while the daemon runs, or stands. For marks all daemons that use them must be stopped. Both configurations have the same data directory and differ in pages alone, or in marks alone: " +
		"for two daemons move pages first, and then marks from the file to etcd.\n" +
		"A daemon continues its move of pages when it starts again; any other move that was interrupted continues when the command runs again. Until then no daemon starts on marks that are moved. " +
		"Old pages are not deleted; old marks don't count any more.\n\n" +
		"Examples:\n  indexerd move --from files.yaml -c bigtable.yaml\n  sudo systemctl stop indexerd\n  indexerd move --from bigtable.yaml -c etcd.yaml\n  indexerd run -c etcd.yaml"
}

// Run moves the pages or the marks.
func (c moveCommand) Run(ctx context.Context, w world) error {
	from, err := configs.LoadWithoutSecrets(c.From, w.getenv)
	if err != nil {
		return err
	}
	to, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err == nil {
		err = checkLoaded(to)
	}
	if err == nil {
		if err = datadir.MayWrite(to); errors.Is(err, store.ErrLocked) {
			err = nil // the daemon moves the pages
		}
	}
	if err != nil {
		return err
	}
	if from.Marks.Shared() != to.Marks.Shared() {
		return c.moveMarks(ctx, w, from, to)
	}
	return c.movePages(ctx, w, from, to)
}

// moveMarks moves the marks, and prints what to start then.
func (c moveCommand) moveMarks(ctx context.Context, w world, from, to *configs.Config) error {
	m, err := moves.Marks(ctx, from, to)
	switch {
	case errors.Is(err, store.ErrLocked):
		return fmt.Errorf("move: a daemon uses %s: stop it, and run the command again: %w", to.Data, err)
	case errors.As(err, new(configs.Fault)):
		return err
	case err != nil:
		return fmt.Errorf("move the marks: %w", err)
	}
	place := m.To
	if !to.Marks.Shared() {
		place = "the file below " + to.Data
	}
	if m.Already {
		fmt.Fprintf(w.stdout, "the marks are in %s already: start indexerd with %s\n", place, c.Config)
		return nil
	}
	fmt.Fprintf(w.stdout, "the marks are in %s, tables: %d, rows in quarantine: %d. Start indexerd with %s\n", place, m.Tables, m.Quarantined, c.Config)
	return nil
}

// movePages moves the pages, and prints each table.
func (c moveCommand) movePages(ctx context.Context, w world, from, to *configs.Config) error {
	meter := new(progress.Meter)
	shown, stop := watch(w, "move", meter)
	tables := 0
	err := moves.Pages(ctx, from, to, meter, func(m moves.Moved) {
		tables++
		shown.print(func() { printMoved(w, m) })
	})
	stop()
	switch {
	case errors.Is(err, store.ErrLocked):
		return c.moveLive(ctx, w, from, to)
	case errors.Is(err, moves.ErrPagesElsewhere):
		return err
	case err != nil:
		return fmt.Errorf("%w\nrun the command again to continue, or start indexerd with %s, which has all pages", err, c.From)
	case tables == 0:
		return fmt.Errorf("move: no table of %s is loaded: start indexerd with it", c.Config)
	}
	fmt.Fprintf(w.stdout, "start indexerd with %s; the old pages are not deleted\n", c.Config)
	return nil
}

// moveLive has the running daemon move the pages, and prints each table.
func (c moveCommand) moveLive(ctx context.Context, w world, from, to *configs.Config) (err error) {
	file, err := filepath.Abs(c.Config)
	if err != nil {
		return err
	}
	d, err := connectDaemon(to, w)
	if err != nil {
		return err
	}
	var r httpapi.MoveResult
	if _, err := d.run(ctx, w, "/api/v1/move", httpapi.MoveRequest{Config: file, From: from.PageStore.Name()}, &r); err != nil {
		return fmt.Errorf("move: %w", err)
	}
	for _, m := range r.Tables {
		printMoved(w, moves.Moved{
			Table: m.Table, From: m.From, To: m.To, Took: time.Duration(m.TookS * float64(time.Second)),
			Counts: move.Counts{Pages: m.Pages, Copied: m.Copied, Removed: m.Removed, Damaged: m.Damaged, Differ: m.Differ},
		})
	}
	fmt.Fprintf(w.stdout, "the daemon uses these pages. Put %s in the place of %s before it starts again; the old pages are not deleted\n", c.Config, r.Config)
	return nil
}

func printMoved(w world, m moves.Moved) {
	fmt.Fprintf(w.stdout, "%s: %d pages are in %s: %d copied, %d removed there, %d damaged, %d differ; %.1f s, %.0f pages/s\n",
		m.Table, m.Pages, m.To, m.Copied, m.Removed, m.Damaged, m.Differ, m.Took.Seconds(), float64(m.Pages)/m.Took.Seconds())
	if !m.Exact() {
		fmt.Fprintf(w.stdout, "%s is unverified: indexerd fetches these rows again with the sweep at its start\n", m.Table)
	}
}
