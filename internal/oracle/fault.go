package oracle

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// The numbers of errors by what they are about. Every other one may be about one row: a
// function raises any.
var (
	aboutServer = []int{
		18, 20, 2391, 12516, 12519, 12520, // too many sessions
		28, 1012, 1013, 1033, 1034, 1041, 1089, 1092, 3113, 3114, 3135, 12170, 12505, 12514, 12528, 12537, 12541, 12547, 12570, // network, shutdown, kill
		60, 4031, 1652, 1653, // deadlock, no memory or temporary space left
		1466, 8103, 1410, 8176, // the table was altered after the snapshot
		1555, 22924, // the snapshot is older than the undo
	}
	aboutLock      = []int{54, 4021, 30006}
	aboutMissing   = []int{904, 942, 980, 1031, 4043, 41900}
	aboutStatement = []int{1017, 1045, 1456, 1795, 6550, 28000, 28001}
)

func subjectOf(code int) sqlsource.Subject {
	switch {
	case slices.Contains(aboutServer, code):
		return sqlsource.AboutServer
	case slices.Contains(aboutLock, code):
		return sqlsource.AboutLock
	case slices.Contains(aboutMissing, code):
		return sqlsource.AboutMissing
	case slices.Contains(aboutStatement, code), code >= 900 && code < 1000:
		return sqlsource.AboutStatement
	}
	return sqlsource.AboutRow
}

// heading is what the texts of errors begin with.
var heading = regexp.MustCompile(`^ORA-\d+:?\s*`)

// classify converts an error of a statement.
func classify(err error) *sqlsource.Fault {
	var ora *network.OracleError
	if !errors.As(err, &ora) {
		return stdsql.Unreachable(err)
	}
	code := fmt.Sprintf("ORA-%05d", ora.ErrCode)
	first, _, _ := strings.Cut(strings.TrimSpace(ora.ErrMsg), "\n") // the others say where in the server
	f := &sqlsource.Fault{Subject: subjectOf(ora.ErrCode), Code: code, Text: cmp.Or(sqlsource.OneLine(heading.ReplaceAllString(first, "")), "error") + " (" + code + ")"}
	switch ora.ErrCode {
	case 942:
		f.Text, f.Hint = "a table or view does not exist, or the account may not read it ("+code+")", "check its name and owner, or GRANT SELECT on it to the account"
	case 1031, 41900:
		f.Text, f.Grant = "the account lacks a privilege ("+code+")", "SELECT ON every table that it reads"
	case 1017, 1045, 28000, 28001: // the text may name the user
		f.Text = refusals[ora.ErrCode] + " (" + code + ")"
	case 1555, 22924:
		f.Hint = "if this repeats, lower batch, or raise UNDO_RETENTION"
	}
	return f
}

// lineOf returns the line of an SQL that has a position, from 1; 0: none has.
func lineOf(sql string, position int) int {
	if position < 0 || position > len(sql) {
		return 0
	}
	return 1 + strings.Count(sql[:position], "\n")
}

// refusals are why the server refuses a connection.
var refusals = map[int]string{
	1017:  "the login was refused: check user and password",
	1045:  "the account may not log in: GRANT CREATE SESSION to it",
	28000: "the account is locked",
	28001: "the password has expired",
	12505: "there is no such SID",
	12514: "there is no such service",
	18:    "too many sessions",
	20:    "too many sessions",
	2391:  "too many sessions",
	12516: "too many connections",
	12519: "too many connections",
	12520: "too many connections",
}

// connectFault converts an error of a failed connect. The driver's texts may have the
// address with its user.
func connectFault(err error) *sqlsource.Fault {
	var ora *network.OracleError
	if errors.As(err, &ora) {
		what := cmp.Or(refusals[ora.ErrCode], "the server refused the connection")
		return &sqlsource.Fault{Subject: sqlsource.AboutServer, Code: fmt.Sprintf("ORA-%05d", ora.ErrCode), Text: fmt.Sprintf("%s (ORA-%05d)", what, ora.ErrCode)}
	}
	return stdsql.Unreachable(err)
}
