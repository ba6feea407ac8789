package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"indexerd/internal/httpapi"
	"indexerd/internal/terminal"
)

type verifyCommand struct {
	asking
	Table   string        `arg:"" optional:"" help:"The table; all if left out."`
	Content bool          `help:"Also read every page, check its checksum and what the index was told of it."`
	Repair  bool          `help:"Mend what differs, and verify again. Documents without a row are removed, also those that the guard holds."`
	Strict  bool          `help:"Count documents whose row was deleted since the last sweep as differences."`
	Wait    time.Duration `default:"30s" placeholder:"DURATION" help:"How long to wait for changes that are under way (${default})."`
}

// Help says how it ends.
func (verifyCommand) Help() string {
	return "Compares the index with the database, both ways, row by row, while the daemon runs or not.\n" +
		"Ends with 0 if they are equal, 1 if they differ, 2 if that can't be told. A document whose row was deleted since the\n" +
		"last sweep can still be found: it is pending, which its line says first, and a difference only with --strict.\n\n" +
		"Examples:\n  indexerd verify -c configs/pagila.yaml\n  indexerd verify -c configs/pagila.yaml film --content --repair\n" +
		"  indexerd sweep -c configs/pagila.yaml film && indexerd verify -c configs/pagila.yaml film --strict"
}

// Run verifies.
func (c verifyCommand) Run(ctx context.Context, w world) error {
	verified, err := c.verify(ctx, w)
	if err != nil {
		if exitCode(err) == exitNo {
			err = coded{err, exitBad} // nothing was proved, either way
		}
		return err
	}
	switch {
	case verified.unknown() != "":
		return coded{errors.New("verify: could not tell: " + verified.unknown()), exitBad}
	case !verified.Equal:
		return errors.New("verify: the index and the database differ")
	}
	return nil
}

type verified struct {
	httpapi.VerifyResult
	strict bool
}

// unknown says why the question has no answer, or nothing.
func (v verified) unknown() string {
	unsettled := 0
	for _, t := range v.Tables {
		if t.Error != nil {
			return t.Table + ": " + *t.Error
		}
		if v.differences(t) > 0 {
			unsettled = -1 // differs, whatever is unsettled beside
		}
		if unsettled >= 0 {
			unsettled += t.Unsettled
		}
	}
	if unsettled > 0 {
		return fmt.Sprintf("%d rows are still changing: run indexerd, or wait longer", unsettled)
	}
	return ""
}

func (v verified) differences(t httpapi.VerifiedTable) int {
	n := t.Lost + t.Stale + t.Ghost + t.Torn
	if v.strict {
		n += t.Pending
	}
	return n
}

func (c verifyCommand) verify(ctx context.Context, w world) (v verified, err error) {
	caller, err := dial(ctx, c.Config, w, question{databases: true, writes: c.Repair})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, caller.close()) }()
	wait := c.Wait.Seconds()
	request := httpapi.VerifyRequest{Content: c.Content, Repair: c.Repair, Strict: c.Strict, WaitS: &wait}
	v.strict = c.Strict
	if c.Table != "" {
		request.Tables = []string{c.Table}
	}
	run, err := caller.begin(ctx, w, "/api/v1/verify", request)
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(run.Result, &v.VerifyResult); err != nil {
		return v, fmt.Errorf("read the result: %w", err)
	}
	if c.JSON {
		_, err = fmt.Fprintf(w.stdout, "%s\n", run.Result)
		return v, err
	}
	v.print(w.stdout)
	return v, nil
}

func (v verified) print(w io.Writer) {
	for _, t := range v.Tables {
		word := "equal"
		switch {
		case t.Error != nil:
			fmt.Fprintf(w, "%s: could not tell: %s\n", t.Table, terminal.Line(*t.Error))
			continue
		case v.differences(t) > 0:
			word = "DIFFERENT"
		case t.Unsettled > 0:
			word = "not settled"
		case t.Pending > 0:
			word = fmt.Sprintf("%d PENDING, deleted since the last sweep and still found; otherwise equal", t.Pending)
		}
		fmt.Fprintf(w, "%s: %s as of %s: %d compared", t.Table, word, clock(v.AsOf), t.Compared)
		for _, count := range []struct {
			n    int
			what string
		}{
			{t.Lost, "lost"}, {t.Stale, "stale"}, {t.Ghost, "ghost"}, {t.Torn, "torn"}, {t.Pending, "pending"},
			{t.Unsettled, "unsettled"}, {t.Quarantined, "quarantined"}, {t.Repaired, "repaired"},
		} {
			if count.n > 0 {
				fmt.Fprintf(w, ", %d %s", count.n, count.what)
			}
		}
		fmt.Fprintf(w, ", %d ms\n", v.TookMS)
		for _, first := range []struct {
			what string
			oids []string
		}{{"lost", t.First.Lost}, {"stale", t.First.Stale}, {"ghost", t.First.Ghost}, {"torn", t.First.Torn}} {
			if len(first.oids) > 0 {
				fmt.Fprintf(w, "  %s: %s\n", first.what, terminal.Line(strings.Join(first.oids, " ")))
			}
		}
	}
}
