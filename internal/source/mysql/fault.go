package mysql

import (
	"errors"
	"regexp"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

const (
	badLogin  = "the login was refused: check user, password and host of the account"
	noRight   = "the account, or the definer of a view, lacks a privilege"
	noReading = "the account may not read a table"
	noThreads = "too many connections"
)

// faults are the errors of the server. A text with a user's name is not shown.
var faults = stdsql.Faults{
	Of: func(err error) (n stdsql.Numbered, ok bool) {
		if my, ok := errors.AsType[*mysql.MySQLError](err); ok {
			return stdsql.Numbered{Number: int(my.Number), Text: ofAnyone.ReplaceAllString(my.Message, "")}, true
		}
		return n, false
	},
	Format: "error %d", Code: "%d", Lost: mysql.ErrInvalidConn,
	About: map[dialect.Subject][]int{
		dialect.AboutServer: {
			1021, 1037, 1038, 1041, 1114, // no disk or memory left
			1040, 1203, // too many connections
			1042, 1043, 1047, 1053, 1077, 1079, 1080, 1129, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, // network, shutdown, kill
			1213, 1317, 1969, 3024, // deadlock, kill, time limits of a statement
			1412, // the table was altered after the snapshot
			4166, 4167,
		},
		dialect.AboutLock:      {1205, 3572},
		dialect.AboutForeign:   {1429, 1430, 12701}, // of FEDERATED and Spider
		dialect.AboutMissing:   {1051, 1054, 1142, 1143, 1146, 1305, 1356, 1370},
		dialect.AboutStatement: {1044, 1045, 1049, 1052, 1060, 1064, 1109, 1149, 1227, 1248, 1295, 1390, 1582, 1698, 3118},
	},
	Hints: map[int]string{
		1064: "try it in the server's own client",
		1045: "repair the definer of the view that it reads", 1449: "ALTER the view that it reads with a DEFINER that exists",
		1356: "repair the view: what it reads, or the privileges of its definer",
	},
	Texts: map[int]string{1142: noReading, 1143: noReading, 1044: noRight, 1045: noRight, 1227: noRight, 1698: noRight, 3118: noRight},
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
		1044: badLogin, 1045: badLogin, 1698: badLogin, 1130: badLogin, 3118: badLogin,
		1049: "there is no such database",
		1040: noThreads, 1203: noThreads, 1226: noThreads,
	},
}

// ofAnyone matches the account that a privilege is denied to.
var ofAnyone = regexp.MustCompile(`(?:to|for) user '[^']*'(?:@'[^']*')? `)

// deniedTable finds what the account may not read.
var deniedTable = regexp.MustCompile("command denied .*?for (?:table|column) (?:'.*' in table )?[`']?(.+?)[`']?$")
