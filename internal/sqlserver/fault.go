package sqlserver

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// The numbers of errors by what they are about. Every other one may be about one
// row: one that is about the whole statement fails again when the statement runs
// without keys.
var (
	aboutServer = []int32{
		0, 64, 233, 596, 6005, 10053, 10054, 10060, 17142, // network, shutdown, kill
		701, 802, 1105, 8645, 8651, 9001, 9002, // no memory or disk left
		1204, 1205, // no locks left, deadlock
		3952, 3957, 3958, 3960, 3961, 3966, 3967, // SNAPSHOT is off, or the snapshot can't be read any more
		922, 924, 927, 976, 978, 983, // the database is being restored, or is a replica
		10928, 10929, 40197, 40501, 40544, 40549, 40550, 40551, 40552, 40553, 40613, 49918, 49919, 49920, // limits of Azure SQL
	}
	aboutLock      = []int32{1222}
	aboutMissing   = []int32{207, 208, 229, 230, 2812, 4121, 4413, 4502}
	aboutStatement = []int32{
		102, 103, 105, 107, 114, 116, 125, 130, 137, 141, 145, 147, 156, 164, 170, 174, 189, 195, 201, 205, 206, 209, 214, 243, 262, 297, 300, 306, 319, 336, 371,
		402, 421, 468, 529, 916, 1033, 4104, 4145, 4701, 8003, 8114, 8116, 8117, 8120, 8127, 8155, 8156, 8158, 8159, 8180, 18456, 4060, 41332, 41333,
	}
)

// hints are what to do where the server's text does not say it.
var hints = map[int32]string{
	1033:  "remove the ORDER BY at the end",
	8155:  "name each column with AS",
	8156:  "rename one of the columns with AS",
	208:   "check the name and the schema, such as dbo.film",
	41332: "ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON",
}

// deniedObject finds what the account may not read.
var deniedObject = regexp.MustCompile(`on the (?:column '[^']*' of the )?object '([^']+)', database '[^']*', schema '([^']+)'`)

// classify converts an error of a statement.
func classify(err error) *sqlsource.Fault {
	var server mssql.Error
	if !errors.As(err, &server) {
		return connectFault(err)
	}
	number := server.Number
	f := &sqlsource.Fault{Subject: subjectOf(server), Code: strconv.Itoa(int(number)), Text: fmt.Sprintf("%s (error %d)", sqlsource.OneLine(server.Message), number), Hint: hints[number]}
	switch number {
	case 229, 230:
		f.Text, f.Grant = fmt.Sprintf("the account may not read a table (error %d)", number), "SELECT ON every table that it reads"
		if m := deniedObject.FindStringSubmatch(server.Message); m != nil {
			f.Grant = "SELECT ON " + quote(m[2]) + "." + quote(m[1])
		}
	case 262, 297, 300, 371, 916, 18456, 4060: // the text may name the user
		f.Text = fmt.Sprintf("the account lacks a permission (error %d)", number)
	}
	return f
}

// subjectOf finds what an error is about. An error of a class from 20 on ends the
// connection.
func subjectOf(e mssql.Error) sqlsource.Subject {
	for subject, numbers := range map[sqlsource.Subject][]int32{
		sqlsource.AboutServer: aboutServer, sqlsource.AboutLock: aboutLock, sqlsource.AboutMissing: aboutMissing, sqlsource.AboutStatement: aboutStatement,
	} {
		if slices.Contains(numbers, e.Number) {
			return subject
		}
	}
	if e.Class >= 20 {
		return sqlsource.AboutServer
	}
	return sqlsource.AboutRow
}

// refusals are why the server refuses a connection. Its texts contain the user's name.
var refusals = map[int32]string{
	18456: "the login was refused: check user and password",
	18452: "the login was refused: the server takes no SQL Server logins, or the user is of no trusted domain",
	18470: "the login is disabled",
	4060:  "there is no such database, or the login has no user in it",
	40615: "the firewall of the Azure SQL server does not allow this machine's address",
	10928: "too many connections",
}

// connectFault converts an error of the connection, or of a failed connect.
func connectFault(err error) *sqlsource.Fault {
	f := stdsql.Unreachable(err)
	var server mssql.Error
	if errors.As(err, &server) {
		f.Text = fmt.Sprintf("%s (error %d)", cmp.Or(refusals[server.Number], "the server refused the connection"), server.Number)
	}
	return f
}
