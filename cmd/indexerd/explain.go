package main

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/httpapi"
)

type explainCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
	OID   string `arg:"" name:"oid" help:"The document's key; the parts of a composite key joined by commas."`
}

// Help implements kong.HelpProvider.
func (explainCommand) Help() string {
	return "Shows what database, index, page and tree hold for a row, the pass that read it last, and the next pass that reads it.\n\n" +
		"Example:\n  indexerd explain -c configs/pagila.yaml film 7"
}

// Run explains a row. It exits with 1 if neither database nor index has the row.
func (c explainCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	var x httpapi.Explanation
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/explain/" + url.PathEscape(c.OID)
	if err := c.get(ctx, w, needs{databases: true}, path, &x, func() error { printExplanation(w.stdout, x); return nil }); err != nil {
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
			return "not found"
		}
		if v.Updated == nil {
			return "token " + v.Token
		}
		return fmt.Sprintf("updated %s, token %s", clock(v.Updated), v.Token)
	}
	show("database", version(x.Database))
	if x.Index == nil {
		show("index", "not found")
	} else {
		show("index", fmt.Sprintf("write %d", x.Index.V))
	}
	if x.Page == nil {
		show("page", "not found")
	} else {
		show("page", fmt.Sprintf("%s, write %d", version(&x.Page.VersionStatus), x.Page.V))
	}
	if x.Tree != nil {
		show("tree", version(x.Tree))
	}
	if s := x.LastSeen; s != nil {
		show("last seen", fmt.Sprintf("by %s at %s", passName(s.Pass, s.Tier), clock(&s.At)))
	}
	if p := x.Partial; p != nil {
		show("partial", fmt.Sprintf("%s (since %s)", terminal.Line(p.Reason), clock(&p.Since)))
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

// visibilities describe the last document of a quarantined row.
var visibilities = map[string]string{
	string(doc.Visible): "visible to the current groups of the row",
	string(doc.Hidden):  "visible to admins only: the groups of the row can't be read",
}

// passName returns the name of a pass with its tier, if it has one.
func passName(pass string, tier *string) string {
	if tier == nil {
		return pass
	}
	return pass + " " + *tier
}
