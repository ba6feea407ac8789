package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"indexerd/internal/doc"
	"indexerd/internal/httpapi"
	"indexerd/internal/terminal"
)

type explainCommand struct {
	asking
	Table string `arg:"" help:"The table."`
	OID   string `arg:"" name:"oid" help:"The document's key; the parts of a composite key joined by commas."`
}

// Help shows an example.
func (explainCommand) Help() string {
	return "Says what database, index, page and tree have of one row, who saw it last, and what happens next.\n\n" +
		"Example:\n  indexerd explain -c configs/pagila.yaml film 7"
}

// Run explains. It ends with 1 where nobody knows the row.
func (c explainCommand) Run(ctx context.Context, w world) error {
	caller, err := dial(ctx, c.Config, w, question{databases: true})
	if err != nil {
		return err
	}
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/explain/" + url.PathEscape(c.OID)
	body, err := caller.do(ctx, http.MethodGet, path, nil)
	if err := errors.Join(err, caller.close()); err != nil {
		return err
	}
	var x httpapi.Explanation
	if err := json.Unmarshal(body, &x); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	if err := c.print(w, body, &x, func() error { printExplanation(w.stdout, x); return nil }); err != nil {
		return err
	}
	if x.Verdict == "absent" {
		return fmt.Errorf("not_found: neither the database nor the index has %s of %s", c.OID, c.Table)
	}
	return nil
}

func printExplanation(w io.Writer, x httpapi.Explanation) {
	fmt.Fprintf(w, "%s of %s: %s\n", terminal.Line(x.OID), x.Table, x.Verdict)
	show := func(who, what string) { fmt.Fprintf(w, "  %-11s %s\n", who, what) }
	version := func(v *httpapi.VersionStatus) string {
		if v == nil {
			return "does not have it"
		}
		return fmt.Sprintf("updated %s, token %s", clock(v.Updated), v.Token)
	}
	show("database", version(x.Database))
	if x.Index == nil {
		show("index", "does not have it")
	} else {
		show("index", fmt.Sprintf("write %d", x.Index.V))
	}
	if x.Page == nil {
		show("page", "does not have it")
	} else {
		show("page", fmt.Sprintf("%s, write %d", version(&x.Page.VersionStatus), x.Page.V))
	}
	if x.Tree != nil {
		show("tree", version(x.Tree))
	}
	if s := x.LastSeen; s != nil {
		show("last seen", fmt.Sprintf("by %s at %s", passName(s.Pass, s.Tier), clock(&s.At)))
	}
	if q := x.Quarantine; q != nil {
		show("quarantine", fmt.Sprintf("%s (since %s, %d tries)", terminal.Line(q.Reason), clock(&q.Since), q.Tries))
		if q.Document != "" {
			show("document", visibilities[q.Document])
		}
	}
	if n := x.Next; n != nil {
		show("next", fmt.Sprintf("%s at %s: %s", n.Pass, clock(n.At), n.Will))
	}
}

// visibilities describes who finds the last document of a row in quarantine.
var visibilities = map[string]string{
	string(doc.Visible): "visible to the groups that the row has now",
	string(doc.Hidden):  "hidden from all but admins: the groups of the row can't be read",
}

// passName is a pass with its tier, if it has one.
func passName(pass string, tier *string) string {
	if tier == nil {
		return pass
	}
	return pass + " " + *tier
}
