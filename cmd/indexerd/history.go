package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"text/tabwriter"
	"time"

	"indexerd/internal/serve/httpapi"
)

type historyCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
	Size  int    `default:"50" placeholder:"N" help:"Runs to show, up to 1000 (${default})."`
	After string `placeholder:"RUN" help:"Show runs before this one."`
}

// Help implements kong.HelpProvider.
func (historyCommand) Help() string {
	return "Shows the runs of the passes, newest first. Runs that found nothing are omitted.\n\n" +
		"Example:\n  indexerd history -c configs/pagila.yaml film"
}

// Run prints the history.
func (c historyCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	v := url.Values{"size": {strconv.Itoa(c.Size)}}
	if c.After != "" {
		v.Set("after", c.After)
	}
	var h httpapi.History
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/history?" + v.Encode()
	return c.get(ctx, w, needs{}, path, &h, func() error { return printHistory(w.stdout, h) })
}

func printHistory(out io.Writer, h httpapi.History) error {
	if len(h.Runs) == 0 {
		fmt.Fprintf(out, "no pass of %s has changed anything since its load\n", h.Table)
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "run\tstarted\tpass\tduration\tcompared\tread\tadded\tupdated\tdeleted\tskipped\tmax lateness\t")
	for _, r := range h.Runs {
		fmt.Fprintf(w, "%s\t%s\t%s\t%.0f ms\t%d\t%d\t%d\t%d\t%d\t%d\t%v\t\n", r.Run, clock(&r.Started), passName(r.Pass, r.Tier), r.TookMS,
			r.Compared, r.Read, r.Added, r.Updated, r.Deleted, r.Skipped, time.Duration(r.LateMaxMS*float64(time.Millisecond)).Round(time.Millisecond))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if h.Next != nil {
		fmt.Fprintf(out, "more: --after %s\n", *h.Next)
	}
	return nil
}
