// Package target finds the database that init inspects, and how a configuration names
// it: an address with a password is named by a variable of the environment, so that no
// file and no output has the password.
package target

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

// A Target is a database.
type Target struct {
	address.Address
	Written string // as the configuration has it
}

// A Getenv returns a variable of the environment, false: it is not set.
type Getenv func(name string) (string, bool)

// Find finds the database of an address, "": of the environment. It writes an address
// with a password to the new file env, unless that is "". Notes say what a user has to
// know. No error shows a part of a password.
func Find(text, env string, getenv Getenv) (Target, error) {
	from := ""
	if text == "" {
		if text, from = fromVariables(getenv); text == "" {
			return Target{}, errors.New("init: no database is named: write its address, or set DATABASE_URL; indexerd init --help has examples")
		}
	}
	dsn, err := fromEnvironment(text, getenv)
	if err != nil {
		return Target{}, err
	}
	a, err := address.Read("", dsn)
	if err != nil {
		return Target{}, fmt.Errorf("init: %w", err)
	}
	t := Target{Address: a, Written: escaped(text)}
	if from != "" {
		t.Notes = append([]string{"the database is that of " + from}, t.Notes...)
	}
	if !hasPassword(text) {
		return t, noFile(env)
	}
	name, known := variableOf(text, getenv)
	t.Written = "${" + name + "}"
	switch {
	case env != "":
		if err := writeEnvironment(env, name, text); err != nil {
			return Target{}, err
		}
		t.Notes = append(t.Notes, fmt.Sprintf("the address has a password: the configuration names the variable %s, which %s sets (load it before indexerd check and run)", name, env))
	case known:
		t.Notes = append(t.Notes, fmt.Sprintf("the address has a password: the configuration names the variable %s, which has it", name))
	default:
		t.Notes = append(t.Notes, fmt.Sprintf("the address has a password: the configuration names the variable %s: set it to the address before indexerd check and run, or write it to a file by --env .env", name))
	}
	return t, nil
}

// Getenv is the environment in which the configuration is read: it has the variable that
// the configuration names.
func (t Target) Getenv(getenv Getenv) Getenv {
	return func(name string) (string, bool) {
		if value, set := getenv(name); set || t.Written != "${"+name+"}" {
			return value, set
		}
		return t.DSN, true
	}
}

// noFile is the error of --env without a password.
func noFile(env string) error {
	if env == "" {
		return nil
	}
	return fmt.Errorf("init: the address has no password, so nothing is to be kept in %s: leave out --env", env)
}

// fromVariables returns the address that the environment has, and where it was.
func fromVariables(getenv Getenv) (text, from string) {
	if url, _ := getenv("DATABASE_URL"); url != "" {
		return "${DATABASE_URL}", "DATABASE_URL"
	}
	var pairs, names []string
	for _, v := range []struct{ name, keyword string }{{"PGSERVICE", "service"}, {"PGHOST", "host"}, {"PGPORT", "port"}, {"PGDATABASE", "dbname"}, {"PGUSER", "user"}} {
		if value, _ := getenv(v.name); value != "" {
			pairs = append(pairs, v.keyword+"='"+strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value)+"'")
			names = append(names, v.name)
		}
	}
	return strings.Join(pairs, " "), strings.Join(names, ", ")
}

// usual are the variables in which an address is looked for.
var usual = []string{"DATABASE_URL", "DB_URL", "DATABASE_DSN", "DB_DSN", "DSN", "POSTGRES_URL", "POSTGRESQL_URL", "PG_URL", "MYSQL_URL", "MARIADB_URL", "JDBC_DATABASE_URL", "SQLSERVER_URL", "ORACLE_URL"}

// variableOf returns the variable that has an address, or a name for one.
func variableOf(text string, getenv Getenv) (name string, known bool) {
	for _, name := range usual {
		if value, _ := getenv(name); value == text {
			return name, true
		}
	}
	for _, name := range usual {
		if _, set := getenv(name); !set {
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
func fromEnvironment(dsn string, getenv Getenv) (string, error) {
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
