package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"

	"indexerd/configs"
	"indexerd/internal/daemon"
	"indexerd/internal/httpapi"
	"indexerd/store"
)

type reloadCommand struct {
	asking
	Table string `arg:"" help:"The table."`
}

// Help shows an example.
func (reloadCommand) Help() string {
	return "Forgets all that is stored of a table and loads it anew: for a changed key, source or updated.\n" +
		"A running daemon reads its configuration anew for it and begins to load; other tables are searched meanwhile.\n" +
		"Where none runs, the next run loads the table.\n\n" +
		"Example:\n  indexerd reload -c configs/pagila.yaml film"
}

// Run forgets a table, or has the daemon do so.
func (c reloadCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
	}
	err = daemon.MayWrite(cfg)
	if err == nil {
		err = daemon.Forget(cfg, c.Table)
	}
	if errors.Is(err, store.ErrLocked) {
		return c.whileRunning(ctx, cfg, w)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(httpapi.Run{Table: c.Table, Pass: "reload", State: "done", Result: json.RawMessage("{}")})
	}
	fmt.Fprintf(w.stdout, "%s is forgotten: `indexerd run -c %s` loads it again\n", c.Table, c.Config)
	return nil
}

// whileRunning has the daemon reload the table.
func (c reloadCommand) whileRunning(ctx context.Context, cfg *configs.Config, w world) error {
	caller, err := dialDaemon(cfg, w)
	if err != nil {
		return err
	}
	run, err := caller.begin(ctx, w, "/api/v1/tables/"+url.PathEscape(c.Table)+"/reload", nil)
	if err == nil {
		err = failed(run)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(run)
	}
	fmt.Fprintf(w.stdout, "%s is forgotten and is being loaded anew: `indexerd status -c %s` shows how far\n", c.Table, c.Config)
	return nil
}
