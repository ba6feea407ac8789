package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/configs"
	"indexerd/internal/daemon"
	"indexerd/store"
)

type moveCommand struct {
	configFlag
	From string `required:"" placeholder:"FILE" help:"The configuration with the store that has the pages now."`
}

// Help implements kong.HelpProvider.
func (moveCommand) Help() string {
	return "Copies the pages of all loaded tables from the store of one configuration to that of another one, and compares all of them.\n" +
		"The daemon must be stopped. Both configurations have the same data directory and differ in pages.\n" +
		"A move that was interrupted continues when the command runs again. The old pages are not deleted.\n\n" +
		"Example:\n  sudo systemctl stop indexerd\n  indexerd move --from old.yaml -c new.yaml\n  indexerd run -c new.yaml"
}

// Run moves the pages.
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
		err = daemon.CheckOwner(to)
	}
	if err != nil {
		return err
	}
	last := time.Now()
	progress := func(table string, done int64) {
		if time.Since(last) >= lineEvery {
			last = time.Now()
			fmt.Fprintf(w.stderr, "%s: %d pages\n", table, done)
		}
	}
	tables := 0
	err = daemon.MovePages(ctx, from, to, progress, func(m daemon.Moved) {
		tables++
		printMoved(w, m)
	})
	switch {
	case errors.Is(err, store.ErrLocked):
		return fmt.Errorf("move: a daemon uses %s: stop it, and run the command again: %w", to.Data, err)
	case errors.Is(err, daemon.ErrPagesElsewhere):
		return err
	case err != nil:
		return fmt.Errorf("%w\nrun the command again to continue, or start indexerd with %s, which has all pages", err, c.From)
	case tables == 0:
		return fmt.Errorf("move: no table of %s is loaded: start indexerd with it", c.Config)
	}
	fmt.Fprintf(w.stdout, "start indexerd with %s; the old pages are not deleted\n", c.Config)
	return nil
}

func printMoved(w world, m daemon.Moved) {
	fmt.Fprintf(w.stdout, "%s: %d pages are in %s: %d copied, %d removed there, %d damaged, %d differ; %.1f s, %.0f pages/s\n",
		m.Table, m.Pages, m.To, m.Copied, m.Removed, m.Damaged, m.Differ, m.Took.Seconds(), float64(m.Pages)/m.Took.Seconds())
	if !m.Exact() {
		fmt.Fprintf(w.stdout, "%s is unverified: indexerd fetches these rows again with the sweep at its start\n", m.Table)
	}
}
