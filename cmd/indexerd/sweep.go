package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"indexerd/internal/httpapi"
)

type sweepCommand struct {
	asking
	Table string `arg:"" help:"The table."`
	Allow int    `placeholder:"N" help:"Let so many removals through that the guard would hold."`
}

// Help shows an example.
func (sweepCommand) Help() string {
	return "Compares the whole table with its index, both ways, and repairs what differs.\n" +
		"Ends with 1 where removals are held: more rows are gone than deletecheck.max_count and max_fraction let through.\n\n" +
		"Examples:\n  indexerd sweep -c configs/pagila.yaml film\n  indexerd sweep -c configs/pagila.yaml film --allow 990"
}

// Run sweeps.
func (c sweepCommand) Run(ctx context.Context, w world) (err error) {
	if c.Allow < 0 {
		return coded{fmt.Errorf("sweep: --allow %d: write how many removals are let through", c.Allow), exitBad}
	}
	caller, err := dial(ctx, c.Config, w, question{databases: true, writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.close()) }()
	run, err := caller.begin(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/sweep", map[string]int{"allow": c.Allow})
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return err
	}
	var s httpapi.SweepResult
	if err := json.Unmarshal(run.Result, &s); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	if c.JSON {
		err = json.NewEncoder(w.stdout).Encode(run)
	} else {
		fmt.Fprintf(w.stdout, "%s: %d compared, %d added, %d updated, %d removed, %d in quarantine\n", c.Table, s.Compared, s.Added, s.Updated, s.Deleted, s.Quarantined)
	}
	if err != nil {
		return err
	}
	if run.State == "held" {
		return fmt.Errorf("%d removals are held: look at the database; if they are to go: indexerd sweep -c %s %s --allow %d", s.Held, c.Config, c.Table, s.Held)
	}
	return nil
}
