package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// checkWithin bounds what is asked of one table.
const checkWithin = 15 * time.Second

// A finding is one thing that check has to say.
type finding struct {
	Level string `json:"level"` // error, warning or info
	Code  string `json:"code"`
	Where string `json:"where"`
	Path  string `json:"path"`
	What  string `json:"what"`
	Do    string `json:"do"`
}

// findings is the answer of check.
type findings struct {
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []finding `json:"findings"`

	unusable bool // a configuration fault, or a database that does not answer
}

type checkCommand struct {
	configFlag
	JSON bool `help:"Print the findings as one JSON object."`
}

// Help shows an example.
func (checkCommand) Help() string {
	return "Reads the configuration, reaches each database and has it prepare each SQL. Changes nothing.\n\n" +
		"Example:\n  indexerd check -c configs/pagila.yaml"
}

// Run prints the findings. It ends with 0 when nothing is above a warning.
func (c checkCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.Load(c.Config, w.getenv)
	f := &findings{Findings: []finding{}}
	var faults configs.Faults
	switch {
	case errors.As(err, &faults):
		f.faults(faults)
	case err != nil:
		return err
	default:
		f.check(ctx, cfg)
	}
	if err := c.print(w, f); err != nil {
		return err
	}
	switch {
	case f.unusable:
		return coded{fmt.Errorf("check: %d errors, %d warnings", f.Errors, f.Warnings), exitBad}
	case f.Errors > 0:
		return fmt.Errorf("check: %d errors, %d warnings", f.Errors, f.Warnings)
	}
	return nil
}

func (c checkCommand) print(w world, f *findings) error {
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(f)
	}
	for _, one := range f.Findings {
		fmt.Fprintf(w.stdout, "%-7s %s: %s: %s: %s\n", one.Level, one.Where, one.Path, one.What, one.Do)
	}
	if f.Errors == 0 {
		fmt.Fprintf(w.stdout, "no errors, %d warnings: `indexerd run -c %s` starts it\n", f.Warnings, c.Config)
	}
	return nil
}

func (f *findings) add(level, code string, at configs.Fault) {
	switch level {
	case "error":
		f.Errors++
	case "warning":
		f.Warnings++
	}
	f.Findings = append(f.Findings, finding{level, code, fmt.Sprintf("%s:%d", at.File, at.Line), at.Path, at.What, at.Do})
}

func (f *findings) faults(faults configs.Faults) {
	f.unusable = true
	for _, one := range faults {
		f.add("error", "config", one)
	}
}

// check looks at every table of a well-formed configuration.
func (f *findings) check(ctx context.Context, cfg *configs.Config) {
	sources := map[string]*source{}
	for _, s := range cfg.Sources {
		db, err := openDatabase(ctx, s)
		if err != nil {
			f.unusable = true
			f.add("error", "bad_dsn", faultAt(cfg, "sources."+s.Name+".dsn", err.Error(), "mend the address"))
			continue
		}
		defer db.Close()
		sources[s.Name] = &source{database: db, conf: s}
	}
	for _, t := range cfg.Tables {
		if s := sources[t.Source]; s != nil {
			f.checkTable(ctx, cfg, newTable(cfg, t, nil, s))
		}
	}
}

func (f *findings) checkTable(ctx context.Context, cfg *configs.Config, t *table) {
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	path := "tables." + t.conf.Name
	rows, err := t.describe(ctx)
	var many configs.Faults
	var one configs.Fault
	switch {
	case errors.As(err, &many):
		f.faults(many)
		return
	case errors.As(err, &one):
		f.faults(configs.Faults{one})
		return
	case err != nil:
		f.unusable = true
		f.add("error", "unreachable", faultAt(cfg, "sources."+t.conf.Source, oneLine(err), "start the database at "+t.source.Address()+", or mend the address"))
		return
	}
	f.checkClock(ctx, cfg, t, rows)
	n, err := rows.Count(ctx)
	if err != nil {
		f.failed(cfg, path+".sql", err)
		return
	}
	f.checkChanges(ctx, cfg, t, rows)
	f.add("info", "table", faultAt(cfg, path, fmt.Sprintf("%d rows, key %v, updateTime in steps of %v", n, rows.Kinds(), rows.Tick()), "nothing to do"))
}

// clockOffset is how far the clocks of database and daemon may differ before
// it is worth a word. Nothing depends on it: windows are on the database's.
const clockOffset = 5 * time.Second

func (f *findings) checkClock(ctx context.Context, cfg *configs.Config, t *table, r rows) {
	now, err := r.Now(ctx)
	if err != nil {
		f.failed(cfg, "sources."+t.conf.Source, err)
		return
	}
	if off := time.Since(now); off.Abs() > clockOffset {
		f.add("warning", "clock_offset", faultAt(cfg, "sources."+t.conf.Source,
			fmt.Sprintf("its clock and this machine's differ by %v", off.Round(time.Second)), "set both by NTP; windows follow the database's"))
	}
}

// failed files the error of a query that was prepared before.
func (f *findings) failed(cfg *configs.Config, path string, err error) {
	code := "query_failed"
	if errors.Is(err, doc.ErrUnavailable) {
		code, f.unusable = "unreachable", true
	}
	f.add("error", code, faultAt(cfg, path, oneLine(err), "run the SQL by hand to see why"))
}
