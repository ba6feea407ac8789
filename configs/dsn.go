package configs

import (
	"crypto/x509"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readSecret sets secret, the value of the key path, from file unless it is
// already set or there is no file. It returns the path of the key that the
// secret comes from: path, or path with _file at its end.
func (r *reader) readSecret(path, file string, secret *string) (from string) {
	if file == "" || *secret != "" {
		return path
	}
	path += "_file"
	text, wrong := r.secretLine(file)
	if wrong != "" {
		r.wrong(path, wrong, "name a file of one line that only its owner can read (chmod 600)")
	}
	*secret = text
	return path
}

// secretLine returns the content of a file of one line, or what is wrong with
// it. The text shows neither the content of the file nor its name, which may
// come from the environment.
func (r *reader) secretLine(file string) (secret, wrong string) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", "file can't be read: " + reason(err)
	case !info.Mode().IsRegular():
		return "", "not a regular file"
	case info.Mode().Perm()&0o077 != 0 && !r.isCredential(file):
		return "", "file is readable by users other than its owner"
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "file can't be read: " + reason(err)
	}
	secret = strings.TrimSpace(string(data))
	switch {
	case secret == "":
		return "", "file is empty"
	case strings.ContainsAny(secret, "\r\n"):
		return "", "file has more than one line"
	}
	return secret, ""
}

// checkUser reports a section that has a user without a password, or the reverse.
func (r *reader) checkUser(section, user, passwordFile string) {
	switch {
	case user != "" && passwordFile == "":
		r.wrong(section+".user", "password is missing", "name a password_file")
	case user == "" && passwordFile != "":
		r.wrong(section+".password_file", "user is missing", "write user")
	}
}

// readCA returns the certificates of a section's ca_file; nil: it names none.
func (r *reader) readCA(section, file string) []byte {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	switch {
	case err != nil:
		r.wrong(section+".ca_file", "file can't be read: "+reason(err), "name a PEM file that can be read")
	case !x509.NewCertPool().AppendCertsFromPEM(pem):
		r.wrong(section+".ca_file", "no certificate in the file", "name a file with certificates in PEM")
	default:
		return pem
	}
	return nil
}

// isCredential reports whether the file is a systemd credential. systemd gives
// the service's user access by an ACL, which makes the file look readable by its
// group.
func (r *reader) isCredential(file string) bool {
	dir, set := r.getenv("CREDENTIALS_DIRECTORY")
	return set && filepath.IsAbs(dir) && filepath.Dir(file) == filepath.Clean(dir)
}

// addresses are what the DSNs of servers look like.
var addresses = map[string]struct {
	schemes   []string
	of, write string
}{
	"postgres":  {[]string{"postgres", "postgresql"}, "a PostgreSQL database", "postgres://user@host:port/database, or host=... dbname=..."},
	"mysql":     {[]string{"mysql", "mariadb"}, "a MySQL or MariaDB database", "mysql://user@host:port/database"},
	"oracle":    {[]string{"oracle"}, "an Oracle database", "oracle://user@host:port/service"},
	"sqlserver": {[]string{"sqlserver"}, "a SQL Server database", "sqlserver://user@host:port?database=name"},
}

// checkDSN returns what is wrong with the syntax of a DSN and what to do. It
// does not connect.
func checkDSN(driver, dsn string) (wrong, do string) {
	if driver == "sqlite" {
		return checkSQLite(dsn)
	}
	address, known := addresses[driver]
	scheme, rest, isURL := strings.Cut(dsn, "://")
	switch {
	case !known: // already reported
		return "", ""
	case isURL && slices.Contains(address.schemes, scheme):
		return checkURL(rest)
	case driver == "postgres" && isKeywords(dsn):
		return "", ""
	}
	return "not an address of " + address.of, "write " + address.write
}

// checkURL finds characters that would make a driver split the URL at
// the wrong place and print a part of the password as a host.
func checkURL(rest string) (wrong, do string) {
	rest, _, _ = strings.Cut(rest, "?")
	authority, _, _ := strings.Cut(rest, "/")
	if strings.Count(rest, "@") > 1 || strings.Contains(rest, "@") && !strings.Contains(authority, "@") {
		return "unescaped @ or / in the user or password", "write %40 for @ and %2F for /"
	}
	if _, err := url.PathUnescape(rest); err != nil || strings.ContainsAny(rest, " \t\r\n#") {
		return "not a valid URL", "percent-encode special characters of the user and password: % is %25, # is %23"
	}
	return "", ""
}

// isKeywords reports whether s is a list of keyword=value that names at least a
// host, database, user or service. Values are quoted by ' and escaped by \, as
// in libpq.
func isKeywords(s string) bool {
	complete := false
	s = strings.TrimSpace(s)
	for s != "" {
		keyword, value, found := strings.Cut(s, "=")
		keyword = strings.TrimSpace(keyword)
		if !found || strings.ContainsAny(keyword, " \t\r\n") {
			return false
		}
		switch keyword {
		case "host", "hostaddr", "port", "dbname", "database", "user", "service":
			complete = true
		}
		rest, ok := afterValue(strings.TrimSpace(value))
		if !ok {
			return false
		}
		s = strings.TrimSpace(rest)
	}
	return complete
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
	case isURL && scheme != "file" && scheme != "sqlite":
		return "not a path of a SQLite database", "write a path, file:PATH or sqlite:PATH"
	case strings.Contains(dsn, ":memory:") || strings.Contains(dsn, "mode=memory"):
		return "in-memory database, which no other program can change", "name a file"
	}
	return "", ""
}
