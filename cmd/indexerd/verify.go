package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/httpapi"
)

type verifyCommand struct {
	requestFlags
	Table   string        `arg:"" optional:"" help:"The table; all tables if omitted."`
	Content bool          `help:"Also read every file and page, check their checksums, and compare each page with the document in the index."`
	Repair  bool          `help:"Repair differences and verify again. This also removes documents without a row that the guard holds."`
	Strict  bool          `help:"Count documents whose row was deleted since the last sweep as differences."`
	Wait    time.Duration `default:"30s" placeholder:"DURATION" help:"How long to wait for pending changes (${default})."`
}

// Help implements kong.HelpProvider.
func (verifyCommand) Help() string {
	return "Compares the index with the database, both ways, row by row. A daemon may be running.\n" +
		"Exits with 0 if they are equal, 1 if they differ, 2 if that is unknown. A document whose row was deleted since the\n" +
		"last sweep is pending: it can still be found. It is a difference only with --strict.\n\n" +
		"Examples:\n  indexerd verify -c configs/pagila.yaml\n  indexerd verify -c configs/pagila.yaml film --content --repair\n" +
		"  indexerd sweep -c configs/pagila.yaml film && indexerd verify -c configs/pagila.yaml film --strict"
}

// Run verifies.
func (c verifyCommand) Run(ctx context.Context, w world) error {
	verified, err := c.verify(ctx, w)
	if err != nil {
		if exitCode(err) == exitNo {
			err = coded{err, exitBad} // neither equal nor different
		}
		return err
	}
	switch {
	case verified.unknown() != "":
		return coded{errors.New("verify: result unknown: " + verified.unknown()), exitBad}
	case !verified.Equal:
		return errors.New("verify: " + verified.fault())
	}
	return nil
}

// fault returns why the tables are not equal.
func (v verified) fault() string {
	for _, t := range v.Tables {
		if len(t.Damaged) > 0 {
			return "files are damaged: run `indexerd verify --content --repair`; a daemon repairs them by itself"
		}
	}
	return "the index and the database differ"
}

type verified struct {
	httpapi.VerifyResult
	strict bool
}

// unknown returns why it is unknown whether the tables are equal, or an empty
// text.
func (v verified) unknown() string {
	unsettled := 0
	for _, t := range v.Tables {
		if t.Error != nil {
			return t.Table + ": " + *t.Error
		}
		if v.differences(t) > 0 || len(t.Damaged) > 0 {
			unsettled = -1 // a difference is certain
		}
		if unsettled >= 0 {
			unsettled += t.Unsettled
		}
	}
	if unsettled > 0 {
		return fmt.Sprintf("%d rows are still changing: run indexerd, or wait longer with --wait", unsettled)
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
	wait := c.Wait.Seconds()
	request := httpapi.VerifyRequest{Content: c.Content, Repair: c.Repair, Strict: c.Strict, WaitS: &wait}
	v.strict = c.Strict
	if c.Table != "" {
		request.Tables = []string{c.called(c.Table, w)}
	}
	run, err := c.run(ctx, w, needs{databases: true, writes: c.Repair}, "/api/v1/verify", request, &v.VerifyResult)
	if err != nil {
		return v, err
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
			fmt.Fprintf(w, "%s: unknown: %s\n", t.Table, terminal.Line(*t.Error))
			continue
		case len(t.Damaged) > 0:
			word = "DAMAGED"
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
			{t.Unsettled, "unsettled"}, {t.Quarantined, "quarantined"}, {t.Partial, "partial"}, {t.Repaired, "repaired"},
		} {
			if count.n > 0 {
				fmt.Fprintf(w, ", %d %s", count.n, count.what)
			}
		}
		fmt.Fprintf(w, ", %d ms\n", v.TookMS)
		for _, file := range t.Damaged {
			fmt.Fprintf(w, "  %s\n", terminal.Line(file))
		}
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
