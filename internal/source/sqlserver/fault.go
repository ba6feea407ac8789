package sqlserver

import (
	"errors"
	"regexp"

	mssql "github.com/microsoft/go-mssqldb"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

const (
	noReading = "the account may not read a table"
	noRight   = "the account lacks a permission"
)

// faults are the errors of the server. A text with a user's name is not shown, and an
// error of a class from 20 on ends the connection.
var faults = stdsql.Faults{
	Of: func(err error) (n stdsql.Numbered, ok bool) {
		if server, ok := errors.AsType[mssql.Error](err); ok {
			return stdsql.Numbered{Number: int(server.Number), Text: server.Message, Fatal: server.Class >= 20}, true
		}
		return n, false
	},
	Format: "error %d", Code: "%d",
	About: map[dialect.Subject][]int{
		dialect.AboutServer: {
			0, 64, 233, 596, 6005, 10053, 10054, 10060, 17142, // network, shutdown, kill
			701, 802, 1105, 8645, 8651, 9001, 9002, // no memory or disk left
			1204, 1205, // no locks left, deadlock
			3952, 3957, 3958, 3960, 3961, 3966, 3967, // SNAPSHOT is off, or the snapshot can't be read any more
			922, 924, 927, 976, 978, 983, // the database is being restored, or is a replica
			10928, 10929, 40197, 40501, 40544, 40549, 40550, 40551, 40552, 40553, 40613, 49918, 49919, 49920, // limits of Azure SQL
		},
		dialect.AboutLock:    {1222},
		dialect.AboutForeign: {7303, 7391, 7399}, // of a linked server
		dialect.AboutMissing: {207, 208, 229, 230, 2812, 4121, 4413, 4502},
		dialect.AboutStatement: {
			102, 103, 105, 107, 114, 116, 125, 130, 137, 141, 145, 147, 156, 164, 170, 174, 189, 195, 201, 205, 206, 209, 214, 243, 262, 297, 300, 306, 319, 336, 371,
			402, 421, 468, 529, 916, 1033, 4104, 4145, 4701, 8003, 8114, 8116, 8117, 8120, 8127, 8155, 8156, 8158, 8159, 8180, 18456, 4060, 41332, 41333,
		},
	},
	Hints: map[int]string{
		1033:  "remove the ORDER BY at the end",
		8155:  "name each column with AS",
		8156:  "rename one of the columns with AS",
		208:   "check the name and the schema, such as dbo.film",
		41332: "ALTER DATABASE CURRENT SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT ON",
	},
	Texts: map[int]string{229: noReading, 230: noReading, 262: noRight, 297: noRight, 300: noRight, 371: noRight, 916: noRight, 18456: noRight, 4060: noRight},
	Grant: func(e stdsql.Numbered) string {
		if e.Number != 229 && e.Number != 230 {
			return ""
		}
		if m := deniedObject.FindStringSubmatch(e.Text); m != nil {
			return "SELECT ON " + quote(m[2]) + "." + quote(m[1])
		}
		return stdsql.GrantAll
	},
	Refusals: map[int]string{
		18456: "the login was refused: correct user and password",
		18452: "the login was refused: let the server take SQL Server logins, or correct the user",
		18470: "the login is disabled: enable it by ALTER LOGIN ... ENABLE",
		4060:  "there is no such database, or the login has no user in it: correct its name, or CREATE USER in it",
		40615: "the firewall of the Azure SQL server does not allow this machine's address: add a rule for it",
		10928: "too many connections: close some, or raise the limit",
	},
}

// deniedObject finds what the account may not read.
var deniedObject = regexp.MustCompile(`on the (?:column '[^']*' of the )?object '([^']+)', database '[^']*', schema '([^']+)'`)
