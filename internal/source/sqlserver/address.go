package sqlserver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/microsoft/go-mssqldb/msdsn"
)

// parameters are those of the driver that an address may have. The others would
// change what values mean, or log statements.
var parameters = []string{"database", "encrypt", "trustservercertificate", "certificate", "servercertificate", "hostnameincertificate",
	"tlsmin", "applicationintent", "multisubnetfailover", "failoverpartner", "failoverport"}

// parseDSN reads sqlserver://user:password@host:port?database=name, or host/instance
// instead of host:port. The further parameters are the driver's own. Without encrypt
// the connection is encrypted, and the server's certificate is not verified. A
// password that the URL lacks is that of SQLCMDPASSWORD, as for sqlcmd. Errors
// contain no part of the DSN, which may be a part of the password.
func parseDSN(dsn string) (c msdsn.Config, err error) {
	const form = "write sqlserver://user@host:port?database=name, with special characters of the password percent-encoded"
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme != "sqlserver" || u.Hostname() == "" || strings.Contains(u.Path, "@") {
		return c, errors.New("not an address of a SQL Server database: " + form)
	}
	query := url.Values{}
	for name, values := range u.Query() {
		name = strings.ToLower(name)
		if !slices.Contains(parameters, name) {
			return c, errors.New("has a parameter that is not known: write " + strings.Join(parameters, ", "))
		}
		query.Set(name, values[len(values)-1])
	}
	if query.Get("database") == "" {
		return c, errors.New("names no database: " + form)
	}
	if !query.Has("encrypt") {
		query.Set("encrypt", "true")
		query.Set("trustservercertificate", "true")
	}
	if _, set := u.User.Password(); !set && u.User != nil {
		u.User = url.UserPassword(u.User.Username(), os.Getenv("SQLCMDPASSWORD"))
	}
	u.RawQuery = query.Encode()
	if c, err = msdsn.Parse(u.String()); err != nil {
		return c, errors.New("has a parameter with a wrong value, or a certificate that can't be read: compare encrypt, trustservercertificate, certificate, tlsmin and the port with the driver's documentation")
	}
	c.AppName = "indexerd " + rand.Text()[:8] // the horizon leaves out sessions of this name
	return c, nil
}

// address returns what names the database without secrets.
func address(c msdsn.Config) string {
	host := c.Host
	switch {
	case c.Instance != "":
		host += `\` + c.Instance
	case c.Port == 0:
		host += ":1433"
	default:
		host += fmt.Sprintf(":%d", c.Port)
	}
	return host + "/" + c.Database
}

// isEncrypted reports whether rows are encrypted.
func isEncrypted(c msdsn.Config) bool {
	return c.Encryption == msdsn.EncryptionRequired || c.Encryption == msdsn.EncryptionStrict
}
