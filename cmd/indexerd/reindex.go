package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"indexerd/internal/serve/httpapi"
)

type reindexCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
}

// Help implements kong.HelpProvider.
func (reindexCommand) Help() string {
	return "Rebuilds the index of a table from its stored pages, after a change of content, metadata or analyzer.\n" +
		"Searches and indexing continue. The database is not read.\n\n" +
		"Example:\n  indexerd reindex -c configs/pagila.yaml film"
}

// Run reindexes.
func (c reindexCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	var r httpapi.ReindexResult
	run, err := c.run(ctx, w, needs{writes: true}, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reindex", nil, &r)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	rest := ""
	if n := r.Partial + r.Left; n > 0 {
		rest = fmt.Sprintf("; the next sweep fetches %d more", n)
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %d documents from their pages%s\n", c.Table, r.Indexed, rest)
	return err
}
