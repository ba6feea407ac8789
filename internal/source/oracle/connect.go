package oracle

import (
	"database/sql/driver"
	"errors"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	goora "github.com/sijms/go-ora/v2"
)

// An address is that of a database.
type address struct {
	host, service  string
	port           int
	user, password string
	options        map[string]string // of the driver
}

// passed are the parameters of an address that the driver gets.
var passed = []string{"ssl", "ssl verify", "wallet", "sid", "connect timeout"}

// parseDSN reads oracle://user:password@host:port/service?parameters. The parameters
// are the driver's for encryption (ssl=true, ssl verify=false, wallet), sid, for a
// database without a service, and connect timeout in seconds. A password that the URL
// lacks is that of ORACLE_PWD. Errors contain no part of the DSN, which may be a part
// of the password.
func parseDSN(dsn string) (a address, err error) {
	const form = "write oracle://user@host:port/service, with special characters of the password percent-encoded"
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "oracle" || u.Hostname() == "" || strings.Contains(u.Path, "@") {
		return a, errors.New("not an address of an Oracle database: " + form)
	}
	a = address{host: u.Hostname(), port: 1521, service: strings.Trim(u.Path, "/"), user: u.User.Username()}
	a.options = map[string]string{"PREFETCH_ROWS": "1000", "CONNECT TIMEOUT": "10", "TIMEOUT": "0"}
	if u.Port() != "" {
		if a.port, err = strconv.Atoi(u.Port()); err != nil {
			return a, errors.New("has a port that is no number: " + form)
		}
	}
	var set bool
	if a.password, set = u.User.Password(); !set {
		a.password = os.Getenv("ORACLE_PWD")
	}
	known := map[string]bool{}
	for _, name := range passed {
		known[name] = true
	}
	for name, values := range u.Query() {
		if !known[strings.ToLower(name)] {
			return a, errors.New("has a parameter that is not known: write " + strings.Join(passed, ", "))
		}
		a.options[strings.ToUpper(name)] = values[len(values)-1]
	}
	if a.service == "" && a.options["SID"] == "" {
		return a, errors.New("names no service: " + form)
	}
	return a, nil
}

// String returns host:port/service.
func (a address) String() string {
	return net.JoinHostPort(a.host, strconv.Itoa(a.port)) + "/" + a.service + a.options["SID"]
}

func (a address) connector() driver.Connector {
	return goora.NewConnector(goora.BuildUrl(a.host, a.port, a.service, a.user, a.password, a.options))
}
