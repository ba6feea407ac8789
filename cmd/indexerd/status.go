package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/httpapi"
)

type statusCommand struct{ requestFlags }

// Help implements kong.HelpProvider.
func (statusCommand) Help() string {
	return "Example:\n  indexerd status -c configs/pagila.yaml"
}

// Run prints the status.
func (c statusCommand) Run(ctx context.Context, w world) error {
	var s httpapi.Status
	return c.get(ctx, w, needs{}, "/api/v1/status", &s, func() error {
		printStatus(w.stdout, s)
		return nil
	})
}

func printStatus(w io.Writer, s httpapi.Status) {
	if s.Running {
		fmt.Fprintf(w, "indexerd %s is running as process %d since %s\n", s.Version, s.PID, clock(s.Started))
	} else {
		fmt.Fprintf(w, "indexerd %s is not running; this is the stored state\n", s.Version)
	}
	if s.Leader != nil {
		printLeader(w, *s.Leader)
	}
	for _, src := range s.Sources {
		if src.Error != nil {
			fmt.Fprintf(w, "source %s: %s\n", src.Source, terminal.Line(*src.Error))
		}
	}
	for _, t := range s.Tables {
		printTable(w, t)
	}
	for _, r := range s.Runs {
		fmt.Fprintf(w, "run %s, %s: %s\n", r.Run, titleOf(r), cmp.Or(stepped(r), "under way"))
	}
}

// stepped returns how far a run has come.
func stepped(r httpapi.Run) string {
	return strings.Trim(r.Step+", "+r.Progress().String(), ", ")
}

func printLeader(w io.Writer, l httpapi.LeaderStatus) {
	switch {
	case l.Error != nil:
		fmt.Fprintf(w, "which daemon leads is not known: %s\n", terminal.Line(*l.Error))
	case l.Host == "" && l.Address == "":
		fmt.Fprintln(w, "no daemon leads")
	case l.This:
		fmt.Fprintf(w, "this daemon leads since %s, in term %d\n", clock(l.Since), l.Term)
	default:
		fmt.Fprintf(w, "the daemon on %s (%s) leads since %s, in term %d\n", terminal.Line(l.Host), terminal.Line(l.Address), clock(l.Since), l.Term)
	}
	for _, d := range l.Standbys {
		fmt.Fprintf(w, "standby: %s (%s), indexerd %s, since %s\n", terminal.Line(d.Host), terminal.Line(d.Address), terminal.Line(d.Version), clock(d.Started))
		if d.Unfit != nil {
			fmt.Fprintf(w, "  it does not lead: %s\n", terminal.Line(*d.Unfit))
		}
		if d.Unreached != nil {
			fmt.Fprintf(w, "  it does not reach %s\n", terminal.Line(*d.Unreached))
		}
	}
}

func printTable(w io.Writer, t httpapi.TableStatus) {
	if t.Opening != nil {
		fmt.Fprintf(w, "%s: %s, waiting for %s since %s", t.Table, t.State, t.Opening.WaitsFor, clock(&t.Opening.Since))
	} else {
		fmt.Fprintf(w, "%s: %s, %d documents", t.Table, t.State, t.Documents)
	}
	if t.Load != nil {
		fmt.Fprintf(w, ", %d of %d rows, %.0f rows/s, %v left", t.Load.Done, t.Load.Of, t.Load.RowsPerS, time.Duration(t.Load.ETAS)*time.Second)
	}
	if t.LagS != nil {
		fmt.Fprintf(w, ", %.1f s behind", *t.LagS)
	}
	if t.Settled.At != nil {
		fmt.Fprintf(w, ", settled to %s (%s)", clock(t.Settled.At), t.Settled.Mode)
	}
	if t.Settled.Unverified {
		fmt.Fprintf(w, ", unverified: %s", terminal.Line(t.Settled.Reason))
	}
	if t.Index != nil {
		fmt.Fprintf(w, ", index %s", t.Index.Health)
	}
	if t.Held != nil {
		fmt.Fprintf(w, ", %d removals HELD since %s; to allow them: %s", t.Held.Removals, clock(&t.Held.Since), t.Held.Do)
	}
	if t.Quarantined > 0 {
		fmt.Fprintf(w, ", %d rows in quarantine", t.Quarantined)
		if t.QuarantinedVisible+t.QuarantinedHidden > 0 {
			fmt.Fprintf(w, " (%d with a visible document, %d with a hidden one)", t.QuarantinedVisible, t.QuarantinedHidden)
		}
	}
	if t.Partial > 0 {
		fmt.Fprintf(w, ", %d rows without some of their values", t.Partial)
	}
	if t.OutOfRange > 0 {
		fmt.Fprintf(w, ", %d rows with updated out of range", t.OutOfRange)
	}
	if t.Silent > 0 {
		fmt.Fprintf(w, ", %d rows changed without updated: found by comparison", t.Silent)
		if c := t.Comparison; c != nil {
			fmt.Fprintf(w, ", which takes %.0f ms and is made every %.0f s at most", c.TakesMS, c.EveryS)
		}
	}
	fmt.Fprintln(w)
	if t.LastError != nil {
		fmt.Fprintf(w, "  last error, %s at %s: %s\n", t.LastError.Pass, clock(&t.LastError.At), terminal.Line(strings.TrimSpace(t.LastError.What)))
	}
}

func clock(t *httpapi.Time) string {
	if t == nil {
		return "never"
	}
	return time.Time(*t).UTC().Format("2006-01-02 15:04:05Z")
}
