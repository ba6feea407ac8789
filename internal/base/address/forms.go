package address

import (
	"net"
	"regexp"
	"strings"
)

// The forms of addresses that are no URL with a login, a host and a path.

// readJDBC reads an address of Java, without its jdbc:.
func readJDBC(text string) (Address, error) {
	name, rest, _ := strings.Cut(text, ":")
	name = strings.ToLower(name)
	switch {
	case name == "sqlserver":
		return readOfSQLServer(strings.TrimPrefix(rest, "//"))
	case name == "oracle":
		_, rest, _ = strings.Cut(rest, ":") // thin or oci
		return readOfSQLPlus(strings.Replace(rest, ":@", "@", 1))
	case strings.HasPrefix(rest, "loadbalance://") || strings.HasPrefix(rest, "replication://") || strings.HasPrefix(rest, "sequential://"):
		return Address{}, &Error{"address of several servers", "write that of one: mysql://user@host:port/database"}
	case drivers[name] == "":
		return Address{}, unknownScheme(name, strings.TrimPrefix(rest, "//"))
	case drivers[name] != "sqlite" && !strings.HasPrefix(rest, "//"):
		rest = "//localhost/" + rest // the default of Java's driver of PostgreSQL
	}
	return readURL(name+":"+rest, true)
}

// readOfSQLServer reads host:port;name=value;... of Java's driver.
func readOfSQLServer(text string) (Address, error) {
	host, properties, _ := strings.Cut(text, ";")
	r := reading{driver: "sqlserver", host: host}
	for name, value := range pairs(properties) {
		r.parameters = append(r.parameters, parameter{name, value})
	}
	return r.whole()
}

// whole returns the address after its parameters are translated.
func (r *reading) whole() (Address, error) {
	if _, err := r.translate(); err != nil {
		return Address{}, err
	}
	if r.host == "" && r.driver != "postgres" {
		return Address{}, foreign(r.driver)
	}
	return r.address(), nil
}

// ofGo is an address of Go's driver of MySQL.
var ofGo = regexp.MustCompile(`^(?:([^:@/]*)(?::(.*))?@)?(tcp|unix)\(([^)]*)\)/([^/?]*)(?:\?(.*))?$`)

func readOfGo(text string) (Address, error) {
	m := ofGo.FindStringSubmatch(text)
	r := reading{driver: "mysql", user: m[1], password: m[2], hasPassword: m[2] != ""}
	if r.split(m[4] + "/" + m[5] + "?" + m[6]); m[3] == "unix" {
		r.host, r.database = "localhost", m[5]
		r.parameters = append(r.parameters, parameter{"socket", m[4]})
	}
	return r.whole()
}

// ofSQLPlus is an address of Oracle's clients: user/password@host:port/service, or
// with :SID at the end.
var ofSQLPlus = regexp.MustCompile(`^(?:([^/@\s"]*)(?:/(.*))?@)?(?://)?([A-Za-z0-9.-]+:[0-9]+|[A-Za-z0-9.-]+)([:/])([A-Za-z0-9._$#-]+)$`)

func readOfSQLPlus(text string) (Address, error) {
	m := ofSQLPlus.FindStringSubmatch(text)
	if m == nil {
		return Address{}, foreign("oracle")
	}
	r := reading{driver: "oracle", user: m[1], password: m[2], hasPassword: m[2] != "", host: m[3], database: m[5]}
	if m[4] == ":" {
		r.database, r.parameters = "", []parameter{{"sid", m[5]}}
	}
	return r.whole()
}

// named are the names of pairs by what they mean, in lower case and without spaces.
var named = map[string]string{
	"server": "host", "datasource": "host", "host": "host", "address": "host", "addr": "host", "networkaddress": "host",
	"port": "port", "database": "database", "initialcatalog": "database", "dbname": "database",
	"userid": "user", "uid": "user", "user": "user", "username": "user", "userid.": "user",
	"password": "password", "pwd": "password",
}

// isPairs reports whether a text is a list of name=value; as of ADO and ODBC.
func isPairs(text string) bool {
	known := 0
	for name := range pairs(text) {
		if _, ok := named[meaning(name)]; ok || meaning(name) == "driver" {
			known++
		}
	}
	return known > 0 && (strings.Contains(text, ";") || strings.HasPrefix(strings.ToLower(text), "data source="))
}

func meaning(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }

// pairs are those of name=value;name={value};name="value".
func pairs(text string) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		for text != "" {
			name, rest, found := strings.Cut(text, "=")
			if !found {
				return
			}
			var value string
			value, text = pairValue(strings.TrimLeft(rest, " "))
			if name = strings.Trim(name, " ;\r\n"); name != "" && !yield(name, value) {
				return
			}
		}
	}
}

// pairValue cuts off the value that a text begins with.
func pairValue(text string) (value, rest string) {
	closing := map[string]string{"{": "}", `"`: `"`, "'": "'"}
	if len(text) > 0 && closing[text[:1]] != "" {
		if value, rest, found := strings.Cut(text[1:], closing[text[:1]]); found {
			_, rest, _ = strings.Cut(rest, ";")
			return value, rest
		}
	}
	value, rest, _ = strings.Cut(text, ";")
	return strings.TrimSpace(value), rest
}

// readPairs reads an address of ADO or ODBC. Their names differ by database.
func readPairs(text string) (Address, error) {
	r := reading{driver: driverOfPairs(text)}
	port := ""
	for name, value := range pairs(text) {
		switch named[meaning(name)] {
		case "host":
			r.host = value
		case "port":
			port = value
		case "database":
			r.database = value
		case "user":
			r.user = value
		case "password":
			r.password, r.hasPassword = value, true
		default:
			if m := meaning(name); m == "trustedconnection" || m == "trusted_connection" || m == "integratedsecurity" {
				if !strings.EqualFold(value, "no") && !strings.EqualFold(value, "false") {
					return Address{}, &Error{"login by Windows, which indexerd does not have", "name a user: write " + kinds[r.driver].write}
				}
			}
			r.parameters = append(r.parameters, parameter{name, value})
		}
	}
	if r.driver == "sqlite" {
		return readFile(r.host)
	}
	r.host = strings.TrimPrefix(strings.TrimPrefix(r.host, "tcp:"), "np:")
	if host, p, found := strings.Cut(r.host, ","); found && r.driver == "sqlserver" {
		r.host, port = host, p
	}
	host, instance, _ := strings.Cut(r.host, `\`)
	switch strings.ToLower(host) {
	case ".", "(local)":
		r.host = strings.TrimSuffix(`localhost\`+instance, `\`)
	case "(localdb)":
		return Address{}, &Error{"LocalDB, which no other user can open", "name a server: write " + kinds["sqlserver"].write}
	}
	if port != "" {
		r.host = net.JoinHostPort(r.host, port)
	}
	return r.whole()
}

// driverOfPairs tells the database by the ODBC driver, or by names that others lack.
func driverOfPairs(text string) string {
	has := map[string]string{}
	for name, value := range pairs(text) {
		has[meaning(name)] = value
	}
	odbc := strings.ToLower(has["driver"])
	_, username := has["username"]
	_, host := has["host"]
	_, port := has["port"]
	_, server := has["server"]
	file := strings.ToLower(has["datasource"])
	switch {
	case strings.Contains(odbc, "mysql") || strings.Contains(odbc, "mariadb"):
		return "mysql"
	case strings.Contains(odbc, "postgres"):
		return "postgres"
	case strings.Contains(odbc, "oracle"):
		return "oracle"
	case odbc == "" && (username || host):
		return "postgres"
	case odbc == "" && server && port:
		return "mysql"
	case strings.HasSuffix(file, ".db") || strings.HasSuffix(file, ".sqlite") || strings.HasSuffix(file, ".sqlite3"):
		return "sqlite"
	}
	return "sqlserver"
}

// startsKeywords is the beginning of a list of keywords of libpq.
var startsKeywords = regexp.MustCompile(`^\s*[A-Za-z_]+\s*=`)

// readKeywords reads host=... dbname=... of libpq. Values are quoted by ' and escaped
// by \. At least a host, a database, a user or a service is named.
func readKeywords(text string) (Address, error) {
	r, complete := reading{driver: "postgres", keywords: true}, false
	var written []string // each keyword with its value
	for rest := strings.TrimSpace(text); rest != ""; {
		name, value, found := strings.Cut(rest, "=")
		name = strings.TrimSpace(name)
		if !found || strings.ContainsAny(name, " \t\r\n") {
			return Address{}, foreign("postgres")
		}
		switch name {
		case "host", "hostaddr", "port", "dbname", "database", "user", "service":
			complete = true
		}
		value = strings.TrimSpace(value)
		after, ok := afterValue(value)
		if !ok {
			return Address{}, foreign("postgres")
		}
		r.parameters = append(r.parameters, parameter{name, strings.TrimSpace(value[:len(value)-len(after)])})
		rest = strings.TrimSpace(after)
	}
	if !complete {
		return Address{}, foreign("postgres")
	}
	changed, err := r.translate()
	if err != nil || !changed {
		return Address{Driver: "postgres", DSN: text, Secret: r.isSecret()}, err
	}
	for _, p := range r.parameters {
		written = append(written, p.name+"="+p.value)
	}
	return Address{"postgres", strings.Join(written, " "), r.isSecret(), r.notes}, nil
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
