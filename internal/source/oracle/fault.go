package oracle

import (
	"errors"
	"regexp"
	"strings"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// heading is what the texts of errors begin with.
var heading = regexp.MustCompile(`^ORA-\d+:?\s*`)

const (
	badLogin    = "the login was refused: correct user and password"
	noLogin     = "the account may not log in: GRANT CREATE SESSION to it"
	locked      = "the account is locked: ALTER USER ... ACCOUNT UNLOCK"
	expired     = "the password has expired: give it another by ALTER USER ... IDENTIFIED BY"
	noRight     = "the account lacks a privilege"
	sessions    = "too many sessions: raise sessions and processes, or the limit of the profile"
	connections = "too many connections: raise processes"
	oldSnapshot = "if this repeats, lower batch, or raise UNDO_RETENTION"
)

// faults are the errors of the server. A text with a user's name is not shown.
var faults = stdsql.Faults{
	Of: func(err error) (n stdsql.Numbered, ok bool) {
		if ora, ok := errors.AsType[*network.OracleError](err); ok {
			first, _, _ := strings.Cut(strings.TrimSpace(ora.ErrMsg), "\n") // the others say where in the server
			return stdsql.Numbered{Number: ora.ErrCode, Text: heading.ReplaceAllString(first, "")}, true
		}
		return n, false
	},
	Format: "ORA-%05d", Code: "ORA-%05d",
	About: map[dialect.Subject][]int{
		dialect.AboutServer: {
			18, 20, 2391, // too many sessions
			28, 1012, 1013, 1033, 1034, 1041, 1089, 1092, 3113, 3114, 3135, 12537, 12547, 12570, // network, shutdown, kill
			60, 4031, 1652, 1653, // deadlock, no memory or temporary space left
			1466, 8103, 1410, 8176, // the table was altered after the snapshot
			1555, 22924, // the snapshot is older than the undo
		},
		dialect.AboutLock:      {54, 4021, 30006},
		dialect.AboutForeign:   {12154, 12170, 12505, 12514, 12516, 12519, 12520, 12528, 12541, 12545}, // a database link can't connect
		dialect.AboutMissing:   {904, 942, 980, 1031, 2019, 4043, 41900},
		dialect.AboutStatement: {1017, 1045, 1456, 1795, 6550, 28000, 28001},
	},
	Otherwise: func(number int) dialect.Subject {
		if number >= 900 && number < 1000 {
			return dialect.AboutStatement
		}
		return dialect.AboutRow
	},
	Hints: map[int]string{942: "check its name and owner, or GRANT SELECT on it to the account", 1555: oldSnapshot, 22924: oldSnapshot},
	Texts: map[int]string{
		942:  "a table or view does not exist, or the account may not read it",
		1031: noRight, 41900: noRight, 1017: badLogin, 1045: noLogin, 28000: locked, 28001: expired,
	},
	Grant: func(e stdsql.Numbered) string {
		if e.Number == 1031 || e.Number == 41900 {
			return stdsql.GrantAll
		}
		return ""
	},
	Refusals: map[int]string{
		1017: badLogin, 1045: noLogin, 28000: locked, 28001: expired, 12505: "there is no such SID: correct it (lsnrctl status lists them)", 12514: "there is no such service: correct it (lsnrctl status lists them)",
		18: sessions, 20: sessions, 2391: sessions, 12516: connections, 12519: connections, 12520: connections,
	},
}

// lineOf returns the line of an SQL that has a position, from 1; 0: none has.
func lineOf(sql string, position int) int {
	if position < 0 || position > len(sql) {
		return 0
	}
	return 1 + strings.Count(sql[:position], "\n")
}
