package oracle

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Server implements dialect.Inspector.
func (d *DB) Server(ctx context.Context, s dialect.Session) (server doc.Server, err error) {
	rows, err := stdsql.Query(ctx, s, `SELECT (SELECT MAX(v.product || v.version) FROM product_component_version v WHERE v.product LIKE 'Oracle%'), TO_CHAR(SYS_EXTRACT_UTC(SYSTIMESTAMP), `+timeForm+`),
		SYS_CONTEXT('USERENV', 'SESSION_USER'), SYS_CONTEXT('USERENV', 'NETWORK_PROTOCOL'), (SELECT COUNT(*) FROM session_roles r WHERE r.role = 'DBA') FROM DUAL`)
	if err != nil {
		return server, err
	}
	r := rows[0]
	server = doc.Server{Version: strings.TrimSpace(r.Text(0)), Remote: d.remote, Role: quote(r.Text(2)), Superuser: r.Number(4) > 0, Advice: advice}
	if r.Text(3) == "tcps" { // the driver verifies the certificate unless ssl verify is off
		server.TLS, server.Verified = "tcps", d.verified
	}
	server.Advice.Sight = fmt.Sprintf("GRANT SELECT ON SYS.GV_$SESSION TO %[1]s; GRANT SELECT ON SYS.GV_$TRANSACTION TO %[1]s; GRANT SELECT ON SYS.DBA_2PC_PENDING TO %[1]s", server.Role)
	if server.Now, err = time.Parse(time.DateTime, r.Text(1)); err != nil {
		return server, err
	}
	_, err = stdsql.Query(ctx, s, "SELECT COUNT(*) FROM gv$session s, gv$transaction t, dba_2pc_pending p WHERE 1 = 0")
	server.SeesTransactions = err == nil
	return server, nil
}

// advice lacks Sight, which names the account. No plans are read, so it has no indexes.
var advice = doc.Advice{
	Account: "account", Super: "has the role DBA",
	Verify: "add ssl=true to the DSN, with the server's port for TCPS, and wallet=DIRECTORY if the authority is not a public one",
	Reader: `CREATE USER indexerd_reader IDENTIFIED BY "..."; GRANT CREATE SESSION TO indexerd_reader`, Read: "GRANT SELECT ON %s TO indexerd_reader",
	Limit: "end transactions within %d s, or give the last tier a longer timeout",
}

// A known is a table that the account may read.
type known struct {
	name     string
	rows     int64
	writable bool
}

// word matches a part of an SQL that may be a table's name.
var word = regexp.MustCompile(`"[^"]+"|[\pL_][\pL\pN_$#]*`)

// tablesOf returns the tables whose names are words of an SQL. The plan, which has all
// of them, can't be read without a write.
func tablesOf(ctx context.Context, s dialect.Session, of *dialect.Described) (tables []known, err error) {
	words := map[string]bool{}
	for _, w := range word.FindAllString(of.SQL, -1) {
		if name := strings.Trim(w, `"`); name != w {
			words[name] = true
		} else {
			words[strings.ToUpper(w)] = true
		}
	}
	rows, err := stdsql.Query(ctx, s, `SELECT t.table_name, NVL(t.num_rows, 0),
		CASE WHEN t.owner = SYS_CONTEXT('USERENV', 'SESSION_USER') OR EXISTS (SELECT 1 FROM session_privs p WHERE p.privilege IN ('INSERT ANY TABLE', 'UPDATE ANY TABLE', 'DELETE ANY TABLE'))
		OR EXISTS (SELECT 1 FROM all_tab_privs p WHERE p.table_schema = t.owner AND p.table_name = t.table_name AND p.privilege IN ('INSERT', 'UPDATE', 'DELETE')
			AND p.grantee IN (SYS_CONTEXT('USERENV', 'SESSION_USER'), 'PUBLIC')) THEN 1 ELSE 0 END
		FROM all_tables t WHERE t.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N')`)
	for _, r := range rows {
		if words[r.Text(0)] {
			tables = append(tables, known{r.Text(0), r.Number(1), r.Number(2) > 0})
		}
	}
	return tables, err
}

// Writable implements dialect.Inspector. A table of another owner with the same name
// counts too.
func (*DB) Writable(ctx context.Context, s dialect.Session, all []*dialect.Described) (names []string, err error) {
	for _, of := range all {
		tables, err := tablesOf(ctx, s, of)
		if err != nil {
			return nil, err
		}
		for _, t := range tables {
			if name := sqlName(t.name); t.writable && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// Estimate implements dialect.Inspector: the rows of the largest table at its last
// statistics.
func (*DB) Estimate(ctx context.Context, s dialect.Session, of *dialect.Described) (n int64, err error) {
	tables, err := tablesOf(ctx, s, of)
	for _, t := range tables {
		n = max(n, t.rows)
	}
	return n, err
}
