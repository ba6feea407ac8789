package main

import (
	"context"
	"fmt"
	"io"
	"net/url"

	"indexerd/internal/base/terminal"
	"indexerd/internal/index/search"
)

type versionsCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
	OID   string `arg:"" name:"oid" help:"The document's key; the parts of a composite key joined by commas."`
}

// Help implements kong.HelpProvider.
func (versionsCommand) Help() string {
	return "Shows the stored versions of a row, newest first. pages.versions of the table sets how many are kept; the default is 1.\n\n" +
		"Example:\n  indexerd versions -c configs/pagila.yaml film 7"
}

// Run prints the versions.
func (c versionsCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	var v search.Versions
	path := "/api/v1/tables/" + url.PathEscape(c.Table) + "/versions/" + url.PathEscape(c.OID)
	return c.get(ctx, w, needs{}, path, &v, func() error {
		printVersions(w.stdout, v)
		return nil
	})
}

func printVersions(w io.Writer, v search.Versions) {
	for _, version := range v.Versions {
		updated := "never"
		if version.Updated != nil {
			updated = *version.Updated
		}
		fmt.Fprintf(w, "%s, updated %s, fetched %s\n", terminal.Line(v.OID), updated, version.Fetched)
		printFields(w, version.Fields, func(f search.Field) string { return shorten(formatValue(f.Value)) })
	}
}
