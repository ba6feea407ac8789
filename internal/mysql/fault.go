package mysql

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/go-sql-driver/mysql"

	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// The numbers of errors by what they are about. Every other one may be about one
// row: a function raises any, and one that is about the whole statement fails again
// when the statement runs without keys.
var (
	aboutServer = []uint16{
		1021, 1037, 1038, 1041, 1114, // no disk or memory left
		1040, 1203, // too many connections
		1042, 1043, 1047, 1053, 1077, 1079, 1080, 1129, 1152, 1158, 1159, 1160, 1161, 1927, 2006, 2013, // network, shutdown, kill
		1213, 1317, 1969, 3024, // deadlock, kill, time limits of a statement
		1412, // the table was altered after the snapshot
		4166, 4167,
	}
	aboutLock      = []uint16{1205, 3572}
	aboutMissing   = []uint16{1051, 1054, 1142, 1143, 1146, 1305, 1356, 1370}
	aboutStatement = []uint16{1044, 1045, 1049, 1052, 1060, 1064, 1109, 1149, 1227, 1248, 1295, 1390, 1582, 1698, 3118}
)

// deniedTable finds what the account may not read.
var deniedTable = regexp.MustCompile("command denied to user .* for (?:table|column) (?:'.*' in table )?[`']?(.+?)[`']?$")

// classify converts an error of a statement.
func classify(err error) *sqlsource.Fault {
	var my *mysql.MySQLError
	if !errors.As(err, &my) {
		return connectFault(err)
	}
	f := &sqlsource.Fault{Subject: subjectOf(my.Number), Code: strconv.Itoa(int(my.Number)), Text: fmt.Sprintf("%s (error %d)", sqlsource.OneLine(my.Message), my.Number)}
	switch my.Number {
	case 1142, 1143:
		f.Text, f.Grant = fmt.Sprintf("the account may not read a table (error %d)", my.Number), "SELECT ON every table that it reads"
		if m := deniedTable.FindStringSubmatch(my.Message); m != nil {
			f.Grant = "SELECT ON `" + m[1] + "`"
		}
	case 1044, 1045, 1227, 1698, 1370, 3118: // the text names the user
		f.Text = fmt.Sprintf("the account lacks a privilege (error %d)", my.Number)
	case 1064:
		f.Hint = "try it in the server's own client"
	}
	return f
}

func subjectOf(number uint16) sqlsource.Subject {
	for subject, numbers := range map[sqlsource.Subject][]uint16{
		sqlsource.AboutServer: aboutServer, sqlsource.AboutLock: aboutLock, sqlsource.AboutMissing: aboutMissing, sqlsource.AboutStatement: aboutStatement,
	} {
		if slices.Contains(numbers, number) {
			return subject
		}
	}
	return sqlsource.AboutRow
}

// refusals are why the server refuses a connection. The texts of the server contain
// the user's name.
var refusals = map[uint16]string{
	1044: badLogin, 1045: badLogin, 1698: badLogin, 1130: badLogin, 3118: badLogin,
	1049: "there is no such database",
	1040: "too many connections", 1203: "too many connections", 1226: "too many connections",
}

const badLogin = "the login was refused: check user, password and host of the account"

// connectFault converts an error of the connection, or of a failed connect.
func connectFault(err error) *sqlsource.Fault {
	f := stdsql.Unreachable(err)
	var my *mysql.MySQLError
	switch {
	case errors.As(err, &my):
		f.Text = fmt.Sprintf("%s (error %d)", cmp.Or(refusals[my.Number], "the server refused the connection"), my.Number)
	case errors.Is(err, mysql.ErrInvalidConn):
		f.Text = "the connection was lost"
	}
	return f
}
