package configs

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// readSecret returns the content of a file of one line that keeps a secret, or
// what is wrong with it, in words that show neither its content nor its name:
// the name may come from the environment.
func (r *reader) readSecret(file string) (secret, wrong string) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", "can't be read: " + reason(err)
	case !info.Mode().IsRegular():
		return "", "not a regular file"
	case info.Mode().Perm()&0o077 != 0 && !r.isCredential(file):
		return "", "others than its owner can read it"
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "can't be read: " + reason(err)
	}
	secret = strings.TrimSpace(string(data))
	switch {
	case secret == "":
		return "", "the file is empty"
	case strings.ContainsAny(secret, "\r\n"):
		return "", "the file has more than one line"
	}
	return secret, ""
}

// isCredential reports whether systemd guards the file. It shows such files
// as readable by a group, because it lets the service's user in by an ACL.
func (r *reader) isCredential(file string) bool {
	dir, set := r.getenv("CREDENTIALS_DIRECTORY")
	return set && filepath.IsAbs(dir) && filepath.Dir(file) == filepath.Clean(dir)
}

// checkDSN says what is wrong with the shape of a DSN and what to do. Whether
// it leads anywhere is the driver's to find out.
func checkDSN(driver, dsn string) (wrong, do string) {
	switch driver {
	case "postgres":
		return checkPostgres(dsn)
	case "sqlite":
		return checkSQLite(dsn)
	}
	return "", "" // the driver's own fault is enough
}

func checkPostgres(dsn string) (wrong, do string) {
	scheme, rest, isURL := strings.Cut(dsn, "://")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		return checkPostgresURL(rest)
	case isKeywords(dsn):
		return "", ""
	}
	return "not the address of a PostgreSQL database", "write postgres://user@host:port/database, or host=... dbname=..."
}

// checkPostgresURL finds what makes a driver split an address at the wrong
// place, so that it would print a part of the password as a host.
func checkPostgresURL(rest string) (wrong, do string) {
	rest, _, _ = strings.Cut(rest, "?")
	authority, _, _ := strings.Cut(rest, "/")
	if strings.Count(rest, "@") > 1 || strings.Contains(rest, "@") && !strings.Contains(authority, "@") {
		return "an address with an @ or / too many", "percent-encode those of a user or password: %40 and %2F"
	}
	if _, err := url.PathUnescape(rest); err != nil || strings.ContainsAny(rest, " \t\r\n#") {
		return "an address that is no URL", "percent-encode special characters of a user or password: % is %25, # is %23"
	}
	return "", ""
}

// isKeywords reports whether s is a list of keyword=value that leads somewhere,
// with values quoted by ' and escaped by \ as libpq reads them.
func isKeywords(s string) bool {
	leads := false
	s = strings.TrimSpace(s)
	for s != "" {
		keyword, value, found := strings.Cut(s, "=")
		keyword = strings.TrimSpace(keyword)
		if !found || strings.ContainsAny(keyword, " \t\r\n") {
			return false
		}
		switch keyword {
		case "host", "hostaddr", "port", "dbname", "database", "user", "service":
			leads = true
		}
		rest, ok := afterValue(strings.TrimSpace(value))
		if !ok {
			return false
		}
		s = strings.TrimSpace(rest)
	}
	return leads
}

// afterValue returns what follows the value that s begins with.
func afterValue(s string) (rest string, ok bool) {
	quoted := strings.HasPrefix(s, "'")
	s = strings.TrimPrefix(s, "'")
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case quoted && s[i] == '\'':
			return s[i+1:], true
		case !quoted && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n'):
			return s[i:], true
		}
	}
	return "", !quoted
}

func checkSQLite(dsn string) (wrong, do string) {
	scheme, _, isURL := strings.Cut(dsn, "://")
	switch {
	case isURL && scheme != "file":
		return "not the path of a SQLite database", "write a path, or file:PATH"
	case strings.Contains(dsn, ":memory:") || strings.Contains(dsn, "mode=memory"):
		return "a database in memory, which no other program can write to", "name a file"
	}
	return "", ""
}
