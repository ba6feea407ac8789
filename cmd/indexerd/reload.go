package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"indexerd/configs"
	"indexerd/internal/serve/daemon"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/store"
)

type reloadCommand struct {
	requestFlags
	Table string `arg:"" help:"The table."`
}

// Help implements kong.HelpProvider.
func (reloadCommand) Help() string {
	return "Deletes what is stored of a table and loads it again, after a change of key, source or updated.\n" +
		"A running daemon reads its configuration again and starts the load; the other tables can still be searched.\n" +
		"If no daemon is running, the next run loads the table.\n\n" +
		"Example:\n  indexerd reload -c configs/pagila.yaml film"
}

// Run deletes what is stored of a table. A running daemon then loads it.
func (c reloadCommand) Run(ctx context.Context, w world) error {
	c.Table = c.called(c.Table, w)
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err == nil {
		err = checkLoaded(cfg)
	}
	if err == nil {
		err = datadir.MayWrite(cfg)
	}
	if err == nil {
		err = daemon.Forget(cfg, c.Table)
	}
	switch {
	case errors.Is(err, store.ErrLocked):
		return c.whileRunning(ctx, cfg, w)
	case err != nil:
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(httpapi.Run{Table: c.Table, Pass: "reload", State: "done", Result: json.RawMessage("{}")})
	}
	_, err = fmt.Fprintf(w.stdout, "%s is deleted: `indexerd run -c %s` loads it again\n", c.Table, c.Config)
	return err
}

// whileRunning makes the daemon reload the table.
func (c reloadCommand) whileRunning(ctx context.Context, cfg *configs.Config, w world) error {
	client, err := connectDaemon(cfg, w)
	if err != nil {
		return err
	}
	run, err := client.run(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reload", nil, nil)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	_, err = fmt.Fprintf(w.stdout, "%s is being loaded again: `indexerd status -c %s` shows the progress\n", c.Table, c.Config)
	return err
}
