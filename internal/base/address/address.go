// Package address reads the address of a database in the forms that people paste: what
// drivers, frameworks and hosts of databases print, such as postgresql+psycopg2://,
// jdbc:mysql://, an ADO string or a line of a .env file. It writes the address in the
// one form that the driver of indexerd reads, without parameters that are of another
// program, and names those.
//
// Nothing that Read returns beside Address.DSN has any part of a password, whatever the
// form of the address: errors name schemes, hosts and parameters only where the text
// shows without doubt what they are.
package address

import (
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/nearest"
)

// An Address is one that a driver reads.
type Address struct {
	Driver string // postgres, mysql, oracle, sqlserver or sqlite
	DSN    string // as the driver reads it; the same bytes if it was in that form
	Secret bool   // it has a password
	Notes  []string
}

// An Error is an address that can't be read: what is wrong, and what to write.
type Error struct{ Wrong, Do string }

func (e *Error) Error() string { return e.Wrong + ": " + e.Do }

// A kind is what the addresses of a driver look like.
type kind struct{ of, write string }

var kinds = map[string]kind{
	"postgres":  {"a PostgreSQL database", "postgres://user@host:port/database, or host=... dbname=..."},
	"mysql":     {"a MySQL or MariaDB database", "mysql://user@host:port/database"},
	"oracle":    {"an Oracle database", "oracle://user@host:port/service"},
	"sqlserver": {"a SQL Server database", "sqlserver://user@host:port?database=name"},
	"sqlite":    {"a SQLite database", "a path, file:PATH or sqlite:PATH"},
}

// drivers are the drivers by the scheme of a URL, without what follows a plus sign.
var drivers = map[string]string{
	"postgres": "postgres", "postgresql": "postgres", "psql": "postgres", "pgsql": "postgres", "pg": "postgres", "postgis": "postgres",
	"mysql": "mysql", "mariadb": "mysql", "mysql2": "mysql", "mysqli": "mysql", "trilogy": "mysql",
	"oracle": "oracle", "sqlserver": "sqlserver", "mssql": "sqlserver", "azuresql": "sqlserver",
	"sqlite": "sqlite", "sqlite3": "sqlite", "file": "sqlite",
}

// native are the schemes that a driver reads.
var native = map[string]bool{
	"postgres": true, "postgresql": true, "mysql": true, "mariadb": true, "oracle": true, "sqlserver": true, "sqlite": true, "file": true,
}

// A reading is an address in parts.
type reading struct {
	driver         string
	user, password string
	hasPassword    bool
	host           string // with its port
	database       string
	parameters     []parameter
	keywords       bool // a list of keywords of libpq, in which user and password stay
	notes          []string
}

type parameter struct{ name, value string }

// Read reads an address of a driver; "" is any. Its error is an *Error.
func Read(driver, text string) (Address, error) {
	text = bare(text)
	if driver == "sqlite" && !hasScheme(text) {
		return readFile(text)
	}
	a, err := read(driver, text)
	switch {
	case err != nil:
		return Address{}, err
	case driver != "" && a.Driver != driver:
		return Address{}, foreign(driver)
	}
	return a, nil
}

// foreign is the error of an address that is not of a driver.
func foreign(driver string) *Error {
	k, known := kinds[driver]
	if !known {
		return &Error{"unknown driver", "write postgres, mysql, oracle, sqlserver or sqlite"}
	}
	if driver == "sqlite" {
		return &Error{"not a path of a SQLite database", "write " + k.write}
	}
	return &Error{"not an address of " + k.of, "write " + k.write}
}

// assignment is the beginning of a line that sets a variable of the environment.
var assignment = regexp.MustCompile(`^(?:export\s+)?[A-Z][A-Z0-9_]*=\s*`)

// bare returns an address without white space, quotes and an assignment around it.
func bare(text string) string {
	text = strings.TrimSpace(text)
	if set := assignment.FindString(text); set != "" && (strings.Contains(text, "://") || strings.Contains(text, "jdbc:")) {
		text = text[len(set):]
	}
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		text = text[1 : n-1]
	}
	return text
}

var scheme = regexp.MustCompile(`^(?i)([a-z][a-z0-9.-]*)(\+[a-z0-9_]+)?:(//)?`)

func hasScheme(text string) bool {
	m := scheme.FindStringSubmatch(text)
	return m != nil && (m[3] != "" || drivers[strings.ToLower(m[1])] != "" || strings.EqualFold(m[1], "jdbc"))
}

func read(driver, text string) (Address, error) {
	switch {
	case len(text) > 5 && strings.EqualFold(text[:5], "jdbc:"):
		return readJDBC(text[5:])
	case ofGo.MatchString(text):
		return readOfGo(text)
	case hasScheme(text):
		return readURL(text, false)
	case isPairs(text):
		return readPairs(text)
	case driver == "postgres" || driver == "" && startsKeywords.MatchString(text):
		return readKeywords(text)
	case ofSQLPlus.MatchString(text) && strings.Contains(text, "@") && strings.Contains(text[:strings.LastIndex(text, "@")], "/"):
		return readOfSQLPlus(text)
	case withoutScheme.MatchString(text):
		return Address{}, &Error{"address of a server without a scheme", "write postgres://, mysql://, oracle:// or sqlserver:// before it"}
	case driver != "":
		return Address{}, foreign(driver)
	}
	return readFile(text)
}

// withoutScheme is user@host/database or host:port/database.
var withoutScheme = regexp.MustCompile(`^[^/\s]*@[A-Za-z0-9.-]+(:[0-9]+)?(/\S*)?$|^[A-Za-z0-9.-]+:[0-9]{2,5}(/\S*)?$`)

// readURL reads an address with a scheme. It is written in the driver's own form if
// that is asked for, or if it is in another one.
func readURL(text string, write bool) (Address, error) {
	m := scheme.FindStringSubmatch(text)
	name := strings.ToLower(m[1])
	driver, known := drivers[name]
	rest := text[len(m[0]):]
	switch {
	case !known:
		return Address{}, unknownScheme(name, rest)
	case driver == "sqlite":
		return readFile(text)
	case m[3] == "":
		return Address{}, foreign(driver)
	}
	if err := checkURL(rest); err != nil {
		return Address{}, err
	}
	r := reading{driver: driver}
	r.split(rest)
	changed, err := r.translate()
	if err != nil {
		return Address{}, err
	}
	if native[name] && m[1] == name && m[2] == "" && !changed && !write {
		return Address{Driver: driver, DSN: text, Secret: r.isSecret()}, nil
	}
	return r.address(), nil
}

// checkURL finds characters that would make a driver split the URL at the wrong
// place and print a part of the password as a host.
func checkURL(rest string) error {
	rest, query, _ := strings.Cut(rest, "?")
	authority, _, _ := strings.Cut(rest, "/")
	if strings.Count(rest, "@") > 1 || strings.Contains(rest, "@") && !strings.Contains(authority, "@") {
		return &Error{"unescaped @ or / in the user or password", "write %40 for @ and %2F for /"}
	}
	if _, err := url.PathUnescape(rest); err != nil || strings.ContainsAny(rest+query, " \t\r\n#") {
		return &Error{"not a valid URL", "percent-encode special characters of the user and password: % is %25, # is %23"}
	}
	return nil
}

// split reads what follows the scheme of a URL that checkURL accepts.
func (r *reading) split(rest string) {
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if login, host, found := strings.Cut(authority, "@"); found {
		user, password, has := strings.Cut(login, ":")
		r.user, r.password, r.hasPassword = unescaped(user), unescaped(password), has
		authority = host
	}
	r.host, r.database = authority, unescaped(path)
	for pair := range strings.SplitSeq(query, "&") {
		if name, value, _ := strings.Cut(pair, "="); name != "" {
			r.parameters = append(r.parameters, parameter{unescapedQuery(name), unescapedQuery(value)})
		}
	}
}

func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

func unescapedQuery(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// others are schemes of databases and files that indexerd does not read.
var others = []string{
	"mongodb", "redis", "rediss", "clickhouse", "cockroachdb", "cockroach", "snowflake", "bigquery", "duckdb", "db2", "ibmdb2", "firebird", "h2", "hsqldb", "derby", "cassandra",
	"elasticsearch", "neo4j", "libsql", "turso", "trino", "presto", "redshift", "vertica", "teradata", "sybase", "access", "spanner", "dynamodb", "http", "https", "s3", "ftp", "tcp",
}

// unknownScheme is the error of a URL of no driver. It shows only what can't be a part
// of a password.
func unknownScheme(name, rest string) error {
	wrong, where := "the address has a scheme of no database that indexerd reads", "host:port/database"
	switch near := nearest.Name(name, slices.Sorted(maps.Keys(drivers))); {
	case slices.Contains(others, name):
		wrong = name + " is no database that indexerd reads"
	case near != "":
		wrong += ", perhaps " + near
	}
	if authority, _, _ := strings.Cut(rest, "/"); plainHost.MatchString(authority) && !strings.Contains(rest, "@") {
		where = authority + "/database"
	}
	return &Error{wrong, fmt.Sprintf("write postgres://user@%s, or mysql, oracle or sqlserver in place of postgres, or the path of a SQLite file", where)}
}

var plainHost = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?$`)

// address writes the address for the driver.
func (r *reading) address() Address {
	u := url.URL{Scheme: r.driver, Host: r.host, Path: "/" + r.database}
	if r.user != "" || r.hasPassword {
		u.User = url.User(r.user)
		if r.hasPassword {
			u.User = url.UserPassword(r.user, r.password)
		}
	}
	if r.driver == "sqlserver" {
		u.Path = ""
		if host, instance, found := strings.Cut(r.host, `\`); found {
			u.Host, u.Path = host, "/"+instance
		}
		r.parameters = append([]parameter{{"database", r.database}}, r.parameters...)
	}
	var query []string
	for _, p := range r.parameters {
		query = append(query, strings.ReplaceAll(url.QueryEscape(p.name)+"="+url.QueryEscape(p.value), "+", "%20"))
	}
	u.RawQuery = strings.Join(query, "&")
	return Address{r.driver, u.String(), r.isSecret(), r.notes}
}

// isSecret reports whether there is a password in the address.
func (r *reading) isSecret() bool {
	return r.password != "" || slices.ContainsFunc(r.parameters, func(p parameter) bool {
		return (p.name == "password" || p.name == "sslpassword") && p.value != ""
	})
}

// readFile reads the address of a file of SQLite. Three slashes begin an absolute path;
// many programs take it for a relative one, so it is that if only such a file exists.
func readFile(text string) (Address, error) {
	m := scheme.FindStringSubmatch(text)
	if m == nil || drivers[strings.ToLower(m[1])] != "sqlite" {
		if strings.Contains(text, ":memory:") {
			return Address{}, inMemory
		}
		return Address{Driver: "sqlite", DSN: text}, nil
	}
	path, query, _ := strings.Cut(text[len(m[0]):], "?")
	if strings.Contains(path, ":memory:") || strings.Contains(query, "mode=memory") {
		return Address{}, inMemory
	}
	start := "sqlite:" + m[3]
	if strings.EqualFold(m[1], "file") {
		start = "file:" + m[3]
	}
	a := Address{Driver: "sqlite", DSN: start + path}
	if m[3] != "" {
		path = strings.TrimPrefix(path, "localhost")
		a.DSN = start + path
		switch relative := strings.TrimLeft(path, "/"); {
		case strings.HasPrefix(path, "//"):
			a.DSN = "sqlite:///" + relative
		case strings.HasPrefix(path, "/") && !exists(unescaped(path)) && exists(unescaped(relative)):
			a.DSN, a.Notes = "sqlite:"+relative, []string{"there is no /" + relative + ": read as the relative path " + relative}
		}
	}
	var ignored []string
	for pair := range strings.SplitSeq(query, "&") {
		switch name, _, _ := strings.Cut(pair, "="); {
		case pair == "mode=ro":
			a.DSN += "?mode=ro"
		case name != "":
			ignored = append(ignored, name)
		}
	}
	if note := ignoring(ignored); note != "" {
		a.Notes = append(a.Notes, note)
	}
	return a, nil
}

var inMemory = &Error{"in-memory database, which no other program can change", "name a file"}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// ignoring returns the note on parameters that are left out, "" if there are none. Only
// names that other programs have are shown: any other may be a part of a password.
func ignoring(names []string) string {
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	shown := slices.DeleteFunc(slices.Compact(slices.Clone(names)), func(name string) bool { return !slices.Contains(foreignNames, meaning(name)) })
	if len(shown) < len(names) {
		shown = append(shown, "some that are not known")
	}
	return "ignored parameters of the address: " + strings.Join(shown, ", ")
}
