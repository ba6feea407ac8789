package sqlserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// sightSQL is 1 if the account sees the transactions of others. In Azure SQL Database
// a database has the right, and otherwise the server.
const (
	sightSQL = "CASE WHEN " + azureSQL + " THEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DATABASE STATE') ELSE HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') END"
	azureSQL = "SERVERPROPERTY('EngineEdition') = 5"
)

// Server implements dialect.Inspector.
func (d *DB) Server(ctx context.Context, s dialect.Session) (server doc.Server, err error) {
	rows, err := stdsql.Query(ctx, s, "SELECT CAST(SERVERPROPERTY('ProductVersion') AS varchar(50)), CAST(SERVERPROPERTY('Edition') AS varchar(100)), CONVERT(varchar(26), SYSUTCDATETIME(), 121), "+
		"USER_NAME(), CAST(COALESCE(IS_SRVROLEMEMBER('sysadmin'), IS_ROLEMEMBER('db_owner'), 0) AS bigint), CAST(COALESCE("+sightSQL+", 0) AS bigint), CAST(CASE WHEN "+azureSQL+" THEN 1 ELSE 0 END AS bigint), "+
		"CAST((SELECT snapshot_isolation_state FROM sys.databases WHERE database_id = DB_ID()) AS bigint), QUOTENAME(DB_NAME())")
	if err != nil {
		return server, err
	}
	r := rows[0]
	server.Version = "SQL Server " + r.Text(0) + ", " + r.Text(1)
	server.Role, server.Superuser, server.SeesTransactions, server.Advice = quote(r.Text(3)), r.Number(4) > 0, r.Number(5) > 0, advice
	server.Advice.Sight = "USE master; GRANT VIEW SERVER STATE TO the login of " + server.Role
	if r.Number(6) > 0 {
		server.Advice.Sight = "GRANT VIEW DATABASE STATE TO " + server.Role
	}
	if r.Number(7) != 1 {
		server.Mixed = "ALTER DATABASE " + r.Text(8) + " SET ALLOW_SNAPSHOT_ISOLATION ON"
	}
	if server.Now, err = time.Parse(time.DateTime, r.Text(2)); err != nil {
		return server, err
	}
	server.Remote = d.conf.Host != "." && stdsql.IsRemote(d.conf.Host)
	if isEncrypted(d.conf) {
		server.TLS, server.Verified = "TLS", !d.conf.TrustServerCertificate
	}
	return server, nil
}

// advice lacks Sight, which names the user.
var advice = doc.Advice{
	Account: "user", Super: "is a sysadmin, or a db_owner",
	Verify: "add encrypt=true&trustservercertificate=false to the DSN, and certificate=FILE if the authority is not a public one",
	Reader: "CREATE LOGIN indexerd_reader WITH PASSWORD = '...'; CREATE USER indexerd_reader FOR LOGIN indexerd_reader", Read: "GRANT SELECT ON %s TO indexerd_reader",
	Index: "CREATE INDEX %s ON %s", Analyze: "UPDATE STATISTICS %s",
	Limit: "end transactions within %d s, or give the last tier a longer timeout",
}

// tables returns the tables of which an SQL returns columns: the server does not
// show the others.
func tables(all ...*dialect.Described) []origin {
	found := map[origin]bool{}
	for _, of := range all {
		for i := range of.Columns {
			if o := nativeOf(&of.Columns[i]).origin; o.table != "" {
				o.column = ""
				found[o] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b origin) int { return strings.Compare(a.sql(), b.sql()) })
}

// Writable implements dialect.Inspector.
func (*DB) Writable(ctx context.Context, s dialect.Session, all []*dialect.Described) (names []string, err error) {
	for _, t := range tables(all...) {
		name := literal(t.sql())
		rows, err := stdsql.Query(ctx, s, "SELECT CAST(MAX(HAS_PERMS_BY_NAME("+name+", 'OBJECT', p.name)) AS bigint) FROM (VALUES ('INSERT'), ('UPDATE'), ('DELETE'), ('ALTER')) p(name)")
		if err != nil {
			return nil, err
		}
		if rows[0].Number(0) > 0 {
			names = append(names, t.sql())
		}
	}
	return names, nil
}

// Estimate implements dialect.Inspector: the rows of the greatest table.
func (*DB) Estimate(ctx context.Context, s dialect.Session, of *dialect.Described) (n int64, err error) {
	for _, t := range tables(of) {
		rows, err := stdsql.Query(ctx, s, rowsSQL(t))
		if err != nil {
			return 0, err
		}
		n = max(n, rows[0].Number(0))
	}
	return n, nil
}

func rowsSQL(t origin) string {
	return "SELECT SUM(rows) FROM sys.partitions WHERE object_id = OBJECT_ID(" + literal(t.sql()) + ") AND index_id IN (0, 1)"
}

// indexed returns the table of some columns of an SQL, and the indexes that begin with
// them, in any order: whether each is unique and has no others. The table is zero if
// they are not columns of one.
func indexed(ctx context.Context, s dialect.Session, of *dialect.Described, by []int) (t origin, unique []bool, err error) {
	var names []string
	for i, at := range by {
		o := nativeOf(&of.Columns[at]).origin
		names = append(names, literal(o.column))
		if o.column = ""; o.table == "" || i > 0 && o != t {
			return origin{}, nil, nil
		}
		t = o
	}
	rows, err := stdsql.Query(ctx, s, fmt.Sprintf(`SELECT CAST(MAX(CAST(i.is_unique AS int)) AS bigint), COUNT_BIG(*) FROM sys.indexes i
		JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
		WHERE i.object_id = OBJECT_ID(%s) AND i.type IN (1, 2) AND i.has_filter = 0 AND i.is_disabled = 0 AND i.is_hypothetical = 0 GROUP BY i.index_id
		HAVING SUM(CASE WHEN k.key_ordinal <= %d AND COL_NAME(k.object_id, k.column_id) IN (%s) THEN 1 ELSE 0 END) = %d`, literal(t.sql()), len(by), strings.Join(names, ", "), len(by)))
	for _, r := range rows {
		unique = append(unique, r.Number(0) == 1 && r.Number(1) == int64(len(by)))
	}
	return t, unique, err
}

// Unique implements dialect.Uniquer.
func (*DB) Unique(ctx context.Context, s dialect.Session, of *dialect.Described, key []int) (bool, error) {
	_, unique, err := indexed(ctx, s, of, key)
	return slices.Contains(unique, true), err
}

// Relations implements dialect.Planner.
func (*DB) Relations(_ context.Context, _ dialect.Session, of *dialect.Described, updated int) (relations []doc.Relation, err error) {
	for _, t := range tables(of) {
		of := updated >= 0 && nativeOf(&of.Columns[updated]).origin.sql() == t.sql()
		relations = append(relations, doc.Relation{Name: t.sql(), Origin: of})
	}
	return relations, nil
}

// Plan implements dialect.Planner. The server shows plans to few accounts, so this
// one is inferred: without an index a statement reads the whole table.
func (*DB) Plan(ctx context.Context, s dialect.Session, of *dialect.Described, _ dialect.Statement, by []int) (p doc.Plan, err error) {
	p.By = make([]doc.Column, len(by))
	t, unique, err := indexed(ctx, s, of, by)
	if err != nil || t.table == "" {
		return p, err
	}
	for i, at := range by {
		p.By[i] = doc.Column{Table: t.sql(), Name: quote(nativeOf(&of.Columns[at]).origin.column)}
	}
	if p.Indexed = len(unique) > 0; p.Indexed {
		return p, nil
	}
	rows, err := stdsql.Query(ctx, s, rowsSQL(t))
	if err == nil {
		p.FullScans = []doc.FullScan{{Table: t.sql(), Rows: rows[0].Number(0)}}
	}
	return p, err
}
