package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/terminal"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/index/analysis"
	"indexerd/internal/serve/database"
	"indexerd/internal/tool/inspect"
	"indexerd/internal/tool/proposal"
	"indexerd/internal/tool/target"
)

type initCommand struct {
	DSN      string   `arg:"" optional:"" name:"DSN" help:"The database, in the form that its tools print: a URL, host=... dbname=..., jdbc:..., an ADO string, a file of SQLite; or '$${NAME}', the environment variable with it. Default: DATABASE_URL, or PGHOST and the like."`
	Language string   `default:"auto" placeholder:"LANGUAGE" help:"The language of the texts: auto detects that of each table; else none, or one such as de, for all (${default})."`
	Tables   []string `placeholder:"NAME,..." xor:"which" help:"Only these tables, each with all of its columns."`
	All      bool     `xor:"which" help:"All tables that can be searched, not only those that people search by a name or a text."`
	Env      string   `name:"env" placeholder:"FILE" help:"Write an address with a password to this new file, which sets a variable."`
}

// Help implements kong.HelpProvider.
func (initCommand) Help() string {
	return "Inspects the tables of a database and prints a configuration with reasons: documents of the tables that people search by a name or a text, and each other table as a comment of one line that can be switched on. Changes nothing.\n\n" +
		"Examples:\n" +
		"  indexerd init postgres://reader@127.0.0.1:5432/pagila > indexerd.yaml\n" +
		"  indexerd init > indexerd.yaml                      the database of DATABASE_URL\n" +
		"  indexerd init '${PAGILA_DSN}' > indexerd.yaml      for a DSN with a password\n" +
		"  indexerd init mysql://reader@127.0.0.1:3306/shop > indexerd.yaml\n" +
		"  indexerd init oracle://reader@127.0.0.1:1521/shop > indexerd.yaml\n" +
		"  indexerd init 'sqlserver://reader@127.0.0.1?database=shop' > indexerd.yaml\n" +
		"  indexerd init shop.db > indexerd.yaml              SQLite\n" +
		"  indexerd init --tables film,actor > indexerd.yaml  these tables alone\n" +
		"  indexerd init --all > indexerd.yaml                all tables\n" +
		"  indexerd run -c indexerd.yaml"
}

// Run prints a configuration that the run command accepts.
func (c initCommand) Run(ctx context.Context, w world) error {
	if known := append([]string{proposal.AutoLanguage, proposal.NoLanguage}, analysis.Languages()...); c.Language != "" && !slices.Contains(known, c.Language) {
		return coded{fmt.Errorf("init: unknown language %q: write %s", c.Language, strings.Join(known, ", ")), exitBad}
	}
	of, err := target.Find(c.DSN, c.Env, w.getenv)
	if err != nil {
		return coded{err, exitBad}
	}
	driver := of.Driver
	db, err := database.OpenCatalog(ctx, driver, of.DSN)
	if err != nil {
		return coded{fmt.Errorf("init: %w", err), exitBad}
	}
	defer db.Close()
	meter := new(progress.Meter)
	_, stop := watch(w, "init", meter)
	defer stop()
	catalog, err := db.Catalog(ctx, meter)
	switch {
	case errors.Is(err, doc.ErrUnavailable) && driver == "sqlite":
		return coded{fmt.Errorf("init: %w: name a file of SQLite%s, or postgres://user@host/database, or mysql://user@host/database", err, rooted(of.DSN)), exitBad}
	case errors.Is(err, doc.ErrUnavailable):
		what, do := inspect.NoAnswer(ctx, driver, db.Address(), err)
		return coded{fmt.Errorf("init: %s: %s", what, do), exitBad}
	case err != nil:
		return fmt.Errorf("init: %w", err)
	}
	only, err := proposal.Find(catalog, c.Tables)
	if err != nil {
		return coded{fmt.Errorf("init: %w", err), exitBad}
	}
	meter.Step("reading samples", "tables", 0, int64(len(catalog.Tables)))
	proposed := proposal.Config(catalog, proposal.Source{
		Driver: driver, DSN: of.Written, Address: db.Address(), Unit: func(sql, column string) timeunit.Unit { return unitOf(ctx, db, sql, column) },
		Texts: func(sql string, columns []string) [][]string {
			defer meter.Add(1)
			return textsOf(ctx, db, sql, columns)
		}, Language: c.Language, Only: only, All: c.All,
	})
	stop()
	if proposed.Tables > 0 {
		if _, err := configs.Parse("init", []byte(proposed.YAML), of.Getenv(w.getenv)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(w.stdout, proposed.YAML); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	for _, note := range of.Notes {
		fmt.Fprintf(w.stderr, "init: %s\n", note)
	}
	if proposed.Tables == 0 {
		return fmt.Errorf("init: %s has no table that can be indexed: see the reasons in the output", db.Address())
	}
	if secrets := proposal.Secrets(catalog); len(secrets) > 0 {
		fmt.Fprintf(w.stderr, "init: left out what looks like a secret: %s; to index a column all the same, add it to the sql of its table\n", someOf(secrets))
	}
	fmt.Fprintf(w.stderr, "init: %s\n", summary(catalog, proposed, only, c.All, db.Address()))
	return nil
}

// summary says how many tables are proposed, and where the others are.
func summary(c doc.Catalog, r proposal.Result, only []string, all bool, address string) string {
	text := fmt.Sprintf("%d of %s of %s", r.Tables, terminal.Count(len(c.Tables), "table"), address)
	if r.Others > 0 {
		text += fmt.Sprintf("; the other %d below them as comments, each a line that can be switched on", r.Others)
		if !all {
			text += "; --all proposes all tables"
		}
	}
	if omitted := len(c.Tables) - r.Tables - r.Others; only == nil && (omitted > 0 || len(c.Views) > 0) {
		text += "; the end of the output lists omitted tables and views with the reason"
	}
	return text
}

// someOf lists the first names.
func someOf(names []string) string {
	const most = 12
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more, see the comments in the output", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// rooted explains a URI of SQLite with three slashes, which other programs take for a
// relative path.
func rooted(dsn string) string {
	for _, scheme := range []string{"sqlite://", "file://"} {
		if path, ok := strings.CutPrefix(dsn, scheme); ok && strings.HasPrefix(path, "/") {
			return " (this is " + path + "; a relative path is " + scheme + strings.TrimLeft(path, "/") + ")"
		}
	}
	return ""
}

// sampleWithin bounds a query of rows of one table.
const sampleWithin = 3 * time.Second

// The sample of texts, by which the analyzer and the language are chosen, and secrets found.
const (
	sampledTexts = 300
	sampledBytes = 256 << 10
)

// textsOf returns a sample of texts of each column of a table; none if that takes too long.
func textsOf(ctx context.Context, db database.Catalog, sql string, columns []string) [][]string {
	ctx, cancel := context.WithTimeout(ctx, sampleWithin)
	defer cancel()
	texts, err := db.TextsOf(ctx, sql, columns, sampledTexts, sampledBytes)
	if err != nil {
		return nil
	}
	return texts
}

// unitOf derives the unit of a time from the rows of a table. It returns Unknown
// if that takes too long; the daemon then derives it.
func unitOf(ctx context.Context, db database.Catalog, sql, column string) timeunit.Unit {
	ctx, cancel := context.WithTimeout(ctx, sampleWithin)
	defer cancel()
	unit, err := db.UnitOf(ctx, sql, column)
	if err != nil {
		return timeunit.Unknown
	}
	return unit
}
