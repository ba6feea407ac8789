package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/leader"
	"indexerd/internal/serve/stored"
	"indexerd/internal/tool/inspect"
)

type checkCommand struct {
	configFlag
	JSON bool `help:"Print the findings as one JSON object."`
}

// Help implements kong.HelpProvider.
func (checkCommand) Help() string {
	return "Reads the configuration, connects to each database, explains each SQL and reads a sample of the rows. Changes nothing, but for an index in OpenSearch that it makes and removes. " +
		"docs/check.md describes each finding.\n\n" +
		"Example:\n  indexerd check -c configs/pagila.yaml"
}

// Run prints the findings. It exits with 0 if no finding is an error.
func (c checkCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.Load(c.Config, w.getenv)
	var f inspect.Findings
	var faults configs.Faults
	switch {
	case errors.As(err, &faults):
		f = inspect.Faults(faults)
	case err != nil:
		return err
	default:
		meter := new(progress.Meter)
		_, stop := watch(w, "check", meter)
		f = check(ctx, cfg, meter)
		stop()
	}
	if err := c.print(w, f); err != nil {
		return err
	}
	switch {
	case f.Unusable:
		return coded{fmt.Errorf("check: %s", f.Summary()), exitBad}
	case f.Errors > 0:
		return fmt.Errorf("check: %s", f.Summary())
	}
	return nil
}

func (c checkCommand) print(w world, f inspect.Findings) error {
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(f)
	}
	f.Write(w.stdout)
	next := fmt.Sprintf("`indexerd run -c %s` starts it", c.Config)
	if f.Errors > 0 {
		next = fmt.Sprintf("fix the errors and run `indexerd check -c %s` again", c.Config)
	}
	_, err := fmt.Fprintf(w.stdout, "%s: %s\n", f.Summary(), next)
	return err
}

// check inspects the sources and tables of a valid configuration. The meter counts the
// tables.
func check(ctx context.Context, cfg *configs.Config, meter *progress.Meter) inspect.Findings {
	c := inspect.NewCheck(cfg)
	meter.Step("connecting", "", 0, progress.Unknown)
	if err := leader.TryMarks(ctx, cfg); leader.IsMoved(err) {
		c.MarksMoved(err)
	} else if err != nil {
		c.Marks(err)
	} else if cfg.Index.Engine == configs.OpenSearch {
		c.Index(stored.TryIndex(ctx, cfg))
	}
	sources := map[string]database.Database{}
	for _, s := range cfg.Sources {
		db, err := database.Open(ctx, s)
		if err != nil {
			c.BadDSN(s.Name, err)
			continue
		}
		defer db.Close()
		if c.Server(ctx, s, db) {
			sources[s.Name] = db
		}
	}
	for i, t := range cfg.Tables {
		if i == 0 {
			meter.Step("", "tables", 0, int64(len(cfg.Tables)))
		}
		if db := sources[t.Source]; db != nil {
			checkTable(ctx, c, cfg, t, db)
		}
		meter.Add(1)
	}
	return c.Findings()
}

func checkTable(ctx context.Context, c *inspect.Check, cfg *configs.Config, t configs.Table, db database.Database) {
	ctx, cancel := context.WithTimeout(ctx, inspect.TableWithin)
	defer cancel()
	r, err := db.Table(ctx, t, nil, database.Units{})
	var denied *database.Denied
	if errors.As(err, &denied) {
		c.Denied(t, denied.Field, denied.What, denied.Grant)
		return
	}
	if err == nil {
		err = database.CheckColumns(cfg, t, r.Columns())
	}
	if err != nil {
		err = database.AsFault(cfg, t.Name, err)
		if of, ok := errors.AsType[database.TableFault](err); ok {
			err = of.Fault
		}
		c.Failed(t, err)
		return
	}
	look := inspect.Table{Conf: t, Rows: r, Mapping: database.Mapping(t)}
	if h := r.Horizon(t.Compensate, doc.Horizon{}, nil); h != nil {
		look.Horizon = h
	}
	if h := r.Hints(); h != nil {
		look.Hints = h
	}
	c.Table(ctx, look)
}
