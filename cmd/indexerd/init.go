package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/serve/database"
	"indexerd/internal/tool/inspect"
)

// initWithin bounds the inspection of a database.
const initWithin = time.Minute

type initCommand struct {
	DSN string `arg:"" name:"DSN" help:"The database: a URL or host=... dbname=... for PostgreSQL, mysql://user@host:port/database for MySQL and MariaDB, oracle://user@host:port/service for Oracle, sqlserver://user@host:port?database=name for SQL Server, a file or sqlite:PATH for SQLite; or '$${NAME}', the environment variable with the DSN."`
}

// Help implements kong.HelpProvider.
func (initCommand) Help() string {
	return "Inspects the tables of a database and prints a configuration of all searchable columns, with reasons. Changes nothing.\n\n" +
		"Examples:\n" +
		"  indexerd init postgres://reader@127.0.0.1:5432/pagila > indexerd.yaml\n" +
		"  indexerd init '${PAGILA_DSN}' > indexerd.yaml      for a DSN with a password\n" +
		"  indexerd init mysql://reader@127.0.0.1:3306/shop > indexerd.yaml\n" +
		"  indexerd init oracle://reader@127.0.0.1:1521/shop > indexerd.yaml\n" +
		"  indexerd init 'sqlserver://reader@127.0.0.1?database=shop' > indexerd.yaml\n" +
		"  indexerd init shop.db > indexerd.yaml              SQLite\n" +
		"  indexerd run -c indexerd.yaml"
}

// Run prints a configuration that the run command accepts.
func (c initCommand) Run(ctx context.Context, w world) error {
	ctx, cancel := context.WithTimeout(ctx, initWithin)
	defer cancel()
	if hasPassword(c.DSN) {
		return coded{errors.New("init: the DSN has a password, which other users can see in the list of processes and in the configuration: " +
			"remove it and set PGPASSWORD, MYSQL_PWD, ORACLE_PWD or SQLCMDPASSWORD, or set an environment variable to the DSN and write '${NAME}'"), exitBad}
	}
	dsn, err := fromEnvironment(c.DSN, w.getenv)
	if err != nil {
		return coded{err, exitBad}
	}
	driver := driverOf(dsn)
	db, err := database.OpenCatalog(ctx, driver, dsn)
	if err != nil {
		return coded{fmt.Errorf("init: %w", err), exitBad}
	}
	defer db.Close()
	catalog, err := db.Catalog(ctx)
	switch {
	case errors.Is(err, doc.ErrUnavailable) && driver == "sqlite":
		return coded{fmt.Errorf("init: %w: name a file of SQLite%s, or postgres://user@host/database, or mysql://user@host/database", err, rooted(dsn)), exitBad}
	case errors.Is(err, doc.ErrUnavailable):
		return coded{fmt.Errorf("init: %w: start the database, or correct address and login", err), exitBad}
	case err != nil:
		return fmt.Errorf("init: %w", err)
	}
	yaml, tables := inspect.Config(catalog, inspect.Source{
		Driver: driver, DSN: escaped(c.DSN), Address: db.Address(), Unit: func(sql, column string) timeunit.Unit { return unitOf(ctx, db, sql, column) },
		Texts: func(sql string, columns []string) []string { return textsOf(ctx, db, sql, columns) },
	})
	if tables > 0 {
		if _, err := configs.Parse("init", []byte(yaml), w.getenv); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprint(w.stdout, yaml); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if tables == 0 {
		return fmt.Errorf("init: %s has no table that can be indexed: see the reasons in the output", db.Address())
	}
	fmt.Fprintf(w.stderr, "init: %d of %d tables of %s; the end of the output lists omitted tables and columns with the reason\n", tables, len(catalog.Tables), db.Address())
	return nil
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

// The sample of texts, by which the analyzer is chosen.
const (
	sampledTexts = 300
	sampledBytes = 256 << 10
)

// textsOf returns a sample of texts of a table; none if that takes too long.
func textsOf(ctx context.Context, db database.Catalog, sql string, columns []string) []string {
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

var (
	postgresURL      = regexp.MustCompile(`^postgres(ql)?://`)
	mysqlURL         = regexp.MustCompile(`^(mysql|mariadb)://`)
	keywords         = regexp.MustCompile(`^\s*[a-z_]+\s*=`)
	passwordKeyword  = regexp.MustCompile(`(?i)(^|[\s?&'])(ssl)?password\s*=\s*[^\s&]`)
	variable         = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)
	loginAndPassword = regexp.MustCompile(`^[^:]*:.`)
)

// driverOf returns the driver of a DSN.
func driverOf(dsn string) string {
	if postgresURL.MatchString(dsn) || keywords.MatchString(dsn) {
		return "postgres"
	}
	if mysqlURL.MatchString(dsn) {
		return "mysql"
	}
	if strings.HasPrefix(dsn, "oracle://") {
		return "oracle"
	}
	if strings.HasPrefix(dsn, "sqlserver://") {
		return "sqlserver"
	}
	return "sqlite"
}

// hasPassword reports whether a DSN contains a password. The value of a variable
// does not count, its default in the DSN does. The login of a URL ends at the last
// @, because a password may contain one.
func hasPassword(dsn string) bool {
	written := variable.ReplaceAllStringFunc(dsn, func(v string) string {
		return strings.TrimPrefix(variable.FindStringSubmatch(v)[2], ":-")
	})
	if passwordKeyword.MatchString(written) {
		return true
	}
	_, rest, isURL := strings.Cut(written, "://")
	at := strings.LastIndex(rest, "@")
	return isURL && at >= 0 && loginAndPassword.MatchString(rest[:at])
}

// fromEnvironment replaces ${NAME} and ${NAME:-default}, as in a configuration.
func fromEnvironment(dsn string, getenv func(string) (string, bool)) (string, error) {
	var unset string
	expanded := variable.ReplaceAllStringFunc(dsn, func(v string) string {
		m := variable.FindStringSubmatch(v)
		value, set := getenv(m[1])
		if value == "" && m[2] != "" {
			return strings.TrimPrefix(m[2], ":-")
		}
		if !set {
			unset = m[1]
		}
		return value
	})
	if unset != "" {
		return "", fmt.Errorf("init: environment variable %s is not set: set it to the DSN", unset)
	}
	return expanded, nil
}

// escaped returns a DSN for a configuration: every $ that does not begin a
// variable is doubled.
func escaped(dsn string) string {
	var out strings.Builder
	for {
		at := variable.FindStringIndex(dsn)
		if at == nil {
			out.WriteString(strings.ReplaceAll(dsn, "$", "$$"))
			return out.String()
		}
		out.WriteString(strings.ReplaceAll(dsn[:at[0]], "$", "$$"))
		out.WriteString(dsn[at[0]:at[1]])
		dsn = dsn[at[1]:]
	}
}
