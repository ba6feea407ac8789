package tierplan

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"text/tabwriter"
)

// Write prints a plan as a table. Figures with a unit are minutes.
func Write(w io.Writer, p Plan) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "every\ttimeout\tend\tvisits\tread\tcompared\tworst delay\t\n")
	worst := 0.0
	for _, c := range p.Tiers {
		worst = max(worst, c.DelayMax)
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%s\t%s\t\n", show(c.Every), show(c.Timeout), c.End, c.Visits, show(c.Read), show(c.Read), show(c.DelayMax))
	}
	fmt.Fprintf(t, "in %s\t\t\t%d\t%s\t%s\t%s\t\n", show(p.Span), p.Visits, show(p.Read), show(p.Compared), show(worst))
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	_, err := fmt.Fprintf(w, `
Stamps in memory: of %s in the tree that all tiers share; of %s if each had its own.
Worst delay: from its commit until a row is found that commits within this timeout
and not within a shorter one. Rows that commit later than every timeout wait for
the sweep.
`, show(p.MemoryShared), show(p.Memory))
	if err != nil {
		return fmt.Errorf("print the plan: %w", err)
	}
	return nil
}

// show prints minutes with at most two decimals.
func show(minutes float64) string {
	return strconv.FormatFloat(math.Round(minutes*100)/100, 'f', -1, 64) + " min"
}
