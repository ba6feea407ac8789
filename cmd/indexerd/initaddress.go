package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/address"
)

// A target is the database that init inspects.
type target struct {
	address.Address
	written string   // as the configuration has it
	notes   []string // for the user
}

// target finds the database: it is named by the argument or by the environment. An
// address with a password is written as the name of a variable.
func (c initCommand) target(w world) (target, error) {
	text, from := c.DSN, ""
	if text == "" {
		if text, from = fromVariables(w); text == "" {
			return target{}, errors.New("init: no database is named: write its address, or set DATABASE_URL; indexerd init --help has examples")
		}
	}
	dsn, err := fromEnvironment(text, w.getenv)
	if err != nil {
		return target{}, err
	}
	a, err := address.Read("", dsn)
	if err != nil {
		return target{}, fmt.Errorf("init: %w", err)
	}
	t := target{Address: a, written: escaped(text), notes: a.Notes}
	if from != "" {
		t.notes = append([]string{"the database is that of " + from}, t.notes...)
	}
	if !hasPassword(text) {
		return t, c.noFile()
	}
	name, known := variableOf(text, w)
	t.written = "${" + name + "}"
	switch {
	case c.Env != "":
		if err := writeEnvironment(c.Env, name, text); err != nil {
			return target{}, err
		}
		t.notes = append(t.notes, fmt.Sprintf("the address has a password: the configuration names the variable %s, which %s sets (load it before indexerd check and run)", name, c.Env))
	case known:
		t.notes = append(t.notes, fmt.Sprintf("the address has a password: the configuration names the variable %s, which has it", name))
	default:
		t.notes = append(t.notes, fmt.Sprintf("the address has a password: the configuration names the variable %s: set it to the address before indexerd check and run, or write it to a file by --env .env", name))
	}
	return t, nil
}

// getenv is the environment in which the configuration is read.
func (t target) getenv(w world) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if value, set := w.getenv(name); set || t.written != "${"+name+"}" {
			return value, set
		}
		return t.DSN, true
	}
}

// noFile is the error of --env without a password.
func (c initCommand) noFile() error {
	if c.Env == "" {
		return nil
	}
	return fmt.Errorf("init: the address has no password, so nothing is to be kept in %s: leave out --env", c.Env)
}

// fromVariables returns the address that the environment has, and where it was.
func fromVariables(w world) (text, from string) {
	if url, _ := w.getenv("DATABASE_URL"); url != "" {
		return "${DATABASE_URL}", "DATABASE_URL"
	}
	var pairs, names []string
	for _, v := range []struct{ name, keyword string }{{"PGSERVICE", "service"}, {"PGHOST", "host"}, {"PGPORT", "port"}, {"PGDATABASE", "dbname"}, {"PGUSER", "user"}} {
		if value, _ := w.getenv(v.name); value != "" {
			pairs = append(pairs, v.keyword+"='"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value)+"'")
			names = append(names, v.name)
		}
	}
	return strings.Join(pairs, " "), strings.Join(names, ", ")
}

// usual are the variables in which an address is looked for.
var usual = []string{"DATABASE_URL", "DB_URL", "DATABASE_DSN", "DB_DSN", "DSN", "POSTGRES_URL", "POSTGRESQL_URL", "PG_URL", "MYSQL_URL", "MARIADB_URL", "JDBC_DATABASE_URL", "SQLSERVER_URL", "ORACLE_URL"}

// variableOf returns the variable that has an address, or a name for one.
func variableOf(text string, w world) (name string, known bool) {
	for _, name := range usual {
		if value, _ := w.getenv(name); value == text {
			return name, true
		}
	}
	for _, name := range usual {
		if _, set := w.getenv(name); !set {
			return name, false
		}
	}
	return "INDEXERD_DSN", false
}

// writeEnvironment writes a new file that sets a variable, in the form that shells,
// systemd and compose read. Only its owner can read it.
func writeEnvironment(file, name, value string) (err error) {
	if strings.ContainsAny(value, "'\n") {
		return fmt.Errorf("init: --env: the address has a quote, which not every reader of %s understands: percent-encode it as %%27", filepath.Base(file))
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("init: --env: %w: name a file that does not exist", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = fmt.Fprintf(f, "%s='%s'\n", name, value)
	return err
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// hasPassword reports whether an address has a password. The value of a variable does
// not count, its default in the address does.
func hasPassword(text string) bool {
	a, err := address.Read("", variable.ReplaceAllStringFunc(text, func(v string) string {
		return strings.TrimPrefix(variable.FindStringSubmatch(v)[2], ":-")
	}))
	return a.Secret || err != nil // in doubt the configuration names a variable
}

// fromEnvironment replaces ${NAME} and ${NAME:-default}, as in a configuration.
func fromEnvironment(dsn string, getenv func(string) (string, bool)) (string, error) {
	var unset []string
	expanded := variable.ReplaceAllStringFunc(dsn, func(v string) string {
		m := variable.FindStringSubmatch(v)
		value, set := getenv(m[1])
		if value == "" && m[2] != "" {
			return strings.TrimPrefix(m[2], ":-")
		}
		if !set {
			unset = append(unset, m[1])
		}
		return value
	})
	if len(unset) > 0 {
		return "", fmt.Errorf("init: environment variable %s is not set: set it to the DSN", slices.Min(unset))
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
