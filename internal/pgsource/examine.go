package pgsource

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// serverSQL reads a doc.Server. Transactions of this package set their own
// timeouts; reset_val is the role's.
const serverSQL = `SELECT current_setting('server_version'), quote_ident(current_user),
	(SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),
	pg_has_role('pg_read_all_stats', 'usage'),
	coalesce((SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout'), '0'),
	(SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'idle_in_transaction_session_timeout'), ` + clockMicros

// Server describes the database server, the connection and the role.
func (s *Source) Server(ctx context.Context) (d doc.Server, err error) {
	err = s.read(ctx, "", func(x *tx, _ opened) error {
		row, err := x.row(ctx, query{sql: serverSQL})
		if err != nil {
			return err
		}
		d = doc.Server{Version: "PostgreSQL " + string(row[0]), Role: string(row[1]), Superuser: isTrue(row[2]), SeesTransactions: isTrue(row[3])}
		if d.TransactionTimeout, err = parseMillis(row[4]); err != nil {
			return err
		}
		if d.IdleTimeout, err = parseMillis(row[5]); err != nil {
			return err
		}
		x.describeConnection(&d)
		d.Pooled = x.src.pooled.Load()
		d.Now, err = parseMicros(row[6])
		return err
	})
	return d, err
}

func parseMillis(text []byte) (time.Duration, error) {
	ms, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("server timeout: %w", err)
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// describeConnection sets how the server is reached. A connection whose
// certificate is not verified may end at another server.
func (x *tx) describeConnection(d *doc.Server) {
	conn := x.pg.Conn()
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		d.Remote = !a.IP.IsLoopback()
	}
	encrypted, ok := conn.(*tls.Conn)
	if !ok {
		return
	}
	state := encrypted.ConnectionState()
	d.TLS = tls.VersionName(state.Version)
	config := x.conn.Conn().Config().TLSConfig
	d.Verified = len(state.VerifiedChains) > 0 || config != nil && config.VerifyPeerCertificate != nil
}

// views returns the main SQL's view and all that refer to its key, with their
// paths.
func (t *Table) views() (views []*view, paths []string) {
	views, paths = []*view{&t.view}, []string{"sql"}
	for _, c := range t.children {
		views, paths = append(views, &c.view), append(paths, c.path+".sql")
	}
	if t.changes != nil {
		views, paths = append(views, t.changes), append(paths, "changes")
	}
	if t.deleted.list != nil {
		views, paths = append(views, t.deleted.list), append(paths, "deleted.sql")
	}
	return views, paths
}

// Writable returns the tables of all SQLs that the role could also write, each
// once.
func (t *Table) Writable(ctx context.Context) (names []string, err error) {
	err = t.read(ctx, func(x *tx) error {
		var schemas, relations []string
		views, _ := t.views()
		for _, v := range views {
			plan, err := x.explain(ctx, v.everything())
			if err != nil {
				return err
			}
			s, r := plan.tables(anyScan)
			schemas, relations = append(schemas, s...), append(relations, r...)
		}
		q := relationsQuery(schemas, relations)
		q.sql = `SELECT name FROM (` + q.sql + `) r (name, oid) WHERE has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY 1`
		rows, err := x.all(ctx, q)
		for _, row := range rows {
			names = append(names, string(row[0]))
		}
		return err
	})
	return names, err
}

// sizesSQL estimates the number of rows of tables as the planner does: the last
// count, scaled by the growth of the file.
const sizesSQL = `SELECT name, sum(CASE WHEN c.relpages > 0 AND c.reltuples >= 0
		THEN c.reltuples / c.relpages * (pg_relation_size(c.oid) / current_setting('block_size')::int)
		ELSE pg_relation_size(c.oid) / 100 END)::bigint
	FROM (%s) r (name, oid) JOIN pg_catalog.pg_class c ON coalesce(pg_partition_root(c.oid), c.oid) = r.oid
	GROUP BY name ORDER BY name`

// fullScans returns the tables that a plan reads completely, with their sizes.
func (x *tx) fullScans(ctx context.Context, plan planNode) (all []doc.FullScan, err error) {
	schemas, names := plan.tables(planNode.isFullScan)
	if names == nil {
		return nil, nil
	}
	q := relationsQuery(schemas, names)
	q.sql = fmt.Sprintf(sizesSQL, q.sql)
	rows, err := x.all(ctx, q)
	for _, row := range rows {
		n, err := strconv.ParseInt(string(row[1]), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("size of %s: %w", row[0], err)
		}
		all = append(all, doc.FullScan{Table: string(row[0]), Rows: n})
	}
	return all, err
}

// columnsSQL names the columns of tables that can have an index. A trigger may
// set a column if it runs before the UPDATE of each row.
const columnsSQL = `SELECT k.n, ` + nameOf + `, quote_ident(a.attname),
	EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND g.tgtype & 19 = 19),
	c.relkind = 'p'
	FROM unnest($1::oid[], $2::int2[]) WITH ORDINALITY k(rel, att, n)
	JOIN pg_catalog.pg_class c ON c.oid = k.rel AND c.relkind IN ('r', 'p', 'm') JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.att`

// indexedSQL finds an index of the whole table that begins with these columns.
const indexedSQL = `SELECT EXISTS (SELECT FROM pg_catalog.pg_index i
	WHERE i.indrelid = $1::oid AND i.indisvalid AND i.indpred IS NULL
	AND array_to_string((i.indkey::int2[])[0:$3::int - 1], ',') = array_to_string($2::int2[], ','))` // indkey's subscripts start at 0

// columnOrigins returns the tables of some columns of an SQL, and whether an
// index begins with the columns.
func (x *tx) columnOrigins(ctx context.Context, columns []column) (by []doc.Column, indexed bool, err error) {
	by = make([]doc.Column, len(columns))
	var origins, numbers []string
	one := true // all are columns of one table
	for _, c := range columns {
		origins = append(origins, strconv.FormatUint(uint64(c.origin), 10))
		numbers = append(numbers, strconv.FormatUint(uint64(c.number), 10))
		one = one && c.origin != 0 && c.origin == columns[0].origin
	}
	q := query{sql: columnsSQL}
	q.bind(pgtype.OIDArrayOID, arrayLiteral(origins))
	q.bind(pgtype.Int2ArrayOID, arrayLiteral(numbers))
	rows, err := x.all(ctx, q)
	if err != nil {
		return nil, false, err
	}
	for _, row := range rows {
		n, err := strconv.Atoi(string(row[0]))
		if err != nil {
			return nil, false, fmt.Errorf("pg_attribute: %w", err)
		}
		by[n-1] = doc.Column{Table: string(row[1]), Name: string(row[2]), Maintained: isTrue(row[3]), Partitioned: isTrue(row[4])}
	}
	if !one {
		return by, false, nil
	}
	q = query{sql: indexedSQL}
	q.bind(pgtype.OIDOID, origins[0])
	q.bind(pgtype.Int2ArrayOID, arrayLiteral(numbers))
	q.bind(pgtype.Int4OID, strconv.Itoa(len(numbers)))
	row, err := x.row(ctx, q)
	return by, err == nil && isTrue(row[0]), err
}
