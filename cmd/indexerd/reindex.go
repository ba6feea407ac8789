package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"indexerd/internal/httpapi"
)

type reindexCommand struct {
	asking
	Table string `arg:"" help:"The table."`
}

// Help shows an example.
func (reindexCommand) Help() string {
	return "Builds the index of a table anew from what is stored of its rows, for a changed content, metadata or analyzer.\n" +
		"Searches and indexing go on; the database is not asked.\n\n" +
		"Example:\n  indexerd reindex -c configs/pagila.yaml film"
}

// Run reindexes.
func (c reindexCommand) Run(ctx context.Context, w world) (err error) {
	caller, err := dial(ctx, c.Config, w, question{writes: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, caller.close()) }()
	run, err := caller.begin(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reindex", nil)
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	var r httpapi.ReindexResult
	if err := json.Unmarshal(run.Result, &r); err != nil {
		return fmt.Errorf("read the result: %w", err)
	}
	rest := ""
	if n := r.Partial + r.Left; n > 0 {
		rest = fmt.Sprintf("; %d more are to be fetched, which a sweep does", n)
	}
	_, err = fmt.Fprintf(w.stdout, "%s: %d documents from their pages%s\n", c.Table, r.Indexed, rest)
	return err
}
