package main

import (
	"encoding/json"
	"fmt"
	"time"

	"indexerd/internal/sync/tierplan"
)

type planCommand struct {
	Tiers       string        `required:"" placeholder:"LIST" help:"Tiers as every:timeout[:end], separated by commas."`
	Span        time.Duration `default:"10m" help:"The time to plan for (${default})."`
	Incremental time.Duration `default:"1m" help:"How often incremental runs (${default})."`
	JSON        bool          `help:"Print the plan as one JSON object."`
}

// Help implements kong.HelpProvider.
func (planCommand) Help() string {
	return "Computes the cost of compensation tiers: queries, rows read, stamps in memory and the maximum delay.\n\n" +
		"Example:\n  indexerd plan --tiers 1m:1m,3m:3m,10m:10m:settled --span 10m"
}

// Run prints the plan.
func (c planCommand) Run(w world) error {
	tiers, err := tierplan.Parse(c.Tiers)
	if err != nil {
		return coded{fmt.Errorf("plan: --tiers: %w", err), exitBad}
	}
	if c.Span <= 0 || c.Incremental <= 0 {
		return coded{fmt.Errorf("plan: --span %v and --incremental %v must be greater than 0", c.Span, c.Incremental), exitBad}
	}
	plan := tierplan.Compute(tiers, c.Span, c.Incremental)
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(plan)
	}
	return tierplan.Write(w.stdout, plan)
}
