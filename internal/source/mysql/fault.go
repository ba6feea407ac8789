package mysql

import (
	"crypto/x509"
	"errors"
	"regexp"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

const (
	badLogin  = "the login was refused: correct user, password and host of the account; one that requires SSL is refused with tls=false, and one that requires X509 always"
	locked    = "the account is locked: unlock it by ALTER USER ... ACCOUNT UNLOCK"
	expired   = "the password of the account has expired: give it a new one by ALTER USER ... IDENTIFIED BY"
	noRight   = "the account, or the definer of a view, lacks a privilege"
	noReading = "the account may not read a table"
	noDefiner = "the definer of a view does not exist"
	unseen    = "the account does not see which tables a view reads: GRANT SHOW VIEW on the view, and SELECT on the tables"
)

// faults are the errors of the server. A text with a user's name is not shown.
var faults = stdsql.Faults{
	Of: func(err error) (n stdsql.Numbered, ok bool) {
		if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
			return stdsql.Numbered{Number: int(my.Number), Text: ofAnyone.ReplaceAllString(my.Message, "")}, true
		}
		return n, false
	},
	Format: "error %d", Code: "%d", Lost: mysql.ErrInvalidConn, Anonymous: true,
	About: map[dialect.Subject][]int{
		dialect.AboutServer: {
			1021, 1037, 1038, 1041, 1114, // no disk or memory left
			1040, 1203, // too many connections
			1042, 1043, 1047, 1053, 1077, 1079, 1080, 1129, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, 3032, 3169, 4031, // network, shutdown, kill
			1213, 1317, 1969, 3024, // deadlock, kill, time limits of a statement
			1412, // the table was altered after the snapshot
			4166, 4167,
		},
		dialect.AboutLock:      {1205, 3572},
		dialect.AboutForeign:   {1429, 1430, 12701}, // of FEDERATED and Spider
		dialect.AboutMissing:   {1051, 1054, 1142, 1143, 1146, 1305, 1356, 1370},
		dialect.AboutStatement: {1044, 1045, 1049, 1052, 1060, 1064, 1109, 1149, 1227, 1248, 1295, 1345, 1390, 1449, 1582, 1698, 3118},
	},
	Hints: map[int]string{
		1064: "try it in the server's own client",
		1045: "repair the definer of the view that it reads", 1449: "ALTER the view that it reads with a DEFINER that exists",
		1356: "repair the view: what it reads, or the privileges of its definer",
	},
	Texts: map[int]string{1142: noReading, 1143: noReading, 1044: noRight, 1045: noRight, 1449: noDefiner, 1345: unseen, 1227: noRight, 1698: noRight, 3118: noRight},
	Grant: func(e stdsql.Numbered) string {
		if e.Number != 1142 && e.Number != 1143 {
			return ""
		}
		if m := deniedTable.FindStringSubmatch(e.Text); m != nil {
			return "SELECT ON `" + m[1] + "`"
		}
		return stdsql.GrantAll
	},
	Refusals: map[int]string{
		1045: badLogin, 1698: badLogin, 1130: badLogin,
		3118: locked, 4151: locked, 1820: expired, 1862: expired,
		1044: "the account may not use the database: GRANT SELECT ON it to the account, or correct its name",
		1049: "there is no such database: create it, or correct its name",
		1040: "the server has too many connections: raise max_connections",
		1203: "the account has too many connections: raise max_user_connections",
		1226: "the account has reached one of its limits, such as MAX_USER_CONNECTIONS: raise it",
		3032: "the server is in offline mode: wait until it is online",
		3159: "the server takes no connection without TLS (require_secure_transport): remove tls=false",
	},
}

// Refusal implements stdsql.Vendor. An error of TLS says what the DSN has to have.
func (v vendor) Refusal(err error) *dialect.Fault {
	f := v.Faults.Refusal(err)
	switch {
	case errors.As(err, new(x509.HostnameError)):
		f.Do += ", or, for a certificate that MySQL made itself, tls=verify-ca and ssl-ca=FILE"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		f.Do += " by ssl-ca=FILE"
	case errors.Is(err, errSilent):
		f.Text, f.Do = errSilent.Error(), "correct the port, or the kind of database"
	case errors.Is(err, mysql.ErrNoTLS):
		f.Text, f.Do = "the server has no TLS", "give it a certificate, or remove tls from the DSN"
	}
	return f
}

// ofAnyone matches the account that a privilege is denied to.
var ofAnyone = regexp.MustCompile(`(?:to|for) user '[^']*'(?:@'[^']*')?[ .]*`)

// deniedTable finds what the account may not read.
var deniedTable = regexp.MustCompile("command denied .*?for (?:table|column) (?:'.*' in table )?[`']?(.+?)[`']?$")
