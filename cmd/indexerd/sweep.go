package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"indexerd/internal/serve/httpapi"
)

type sweepCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
	Allow int    `placeholder:"N" help:"Allow so many removals that the guard holds."`
}

// Help implements kong.HelpProvider.
func (sweepCommand) Help() string {
	return "Compares the whole table with its index, both ways, and repairs differences.\n" +
		"Exits with 1 if removals are held because more rows are gone than deletecheck.max_count and max_fraction allow.\n\n" +
		"Examples:\n  indexerd sweep -c configs/pagila.yaml film\n  indexerd sweep -c configs/pagila.yaml film --allow 990"
}

// Run sweeps.
func (c sweepCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	if c.Allow < 0 {
		return coded{fmt.Errorf("sweep: --allow %d: write a number of removals", c.Allow), exitBad}
	}
	var s httpapi.SweepResult
	run, err := c.run(ctx, w, needs{databases: true, writes: true}, "/api/v1/tables/"+url.PathEscape(c.Table)+"/sweep", map[string]int{"allow": c.Allow}, &s)
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(w.stdout).Encode(run)
	} else {
		_, err = fmt.Fprintf(w.stdout, "%s: %d compared, %d added, %d updated, %d removed, %d in quarantine\n", c.Table, s.Compared, s.Added, s.Updated, s.Deleted, s.Quarantined)
	}
	if err != nil {
		return err
	}
	if run.State == "held" {
		return fmt.Errorf("%d removals are held: check the database; to allow them: indexerd sweep -c %s %s --allow %d", s.Held, c.Config, c.Table, s.Held)
	}
	return nil
}
