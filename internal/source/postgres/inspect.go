package postgres

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// Server implements dialect.Inspector.
func (*DB) Server(ctx context.Context, s dialect.Session) (doc.Server, error) {
	x := s.(*session)
	row, err := one[struct {
		Version, Role   string
		Superuser, Sees bool
		Life, Idle      int64
		Now             micros
	}](ctx, x, stored("server"))
	d := doc.Server{
		Version: row.Version, Now: row.Now.Time, Pooled: x.db.pooled.Load(), Role: row.Role, Superuser: row.Superuser, SeesTransactions: row.Sees, Advice: advice,
		TransactionTimeout: time.Duration(row.Life) * time.Millisecond, IdleTimeout: time.Duration(row.Idle) * time.Millisecond,
	}
	d.Advice.Sight = "GRANT pg_read_all_stats TO " + d.Role
	x.describeConnection(&d)
	return d, err
}

// advice lacks Sight, which names the role.
var advice = doc.Advice{
	Account: "role", Super: "is a superuser",
	Verify: "add sslmode=verify-full to the DSN, and sslrootcert=FILE if the authority is not a public one",
	Reader: "CREATE ROLE indexerd_reader LOGIN", Read: "GRANT SELECT ON %s TO indexerd_reader",
	Index: "CREATE INDEX CONCURRENTLY ON %[2]s", Analyze: "ANALYZE %s",
	Limit: "ALTER DATABASE ... SET idle_in_transaction_session_timeout = '%ds', or transaction_timeout since PostgreSQL 17",
}

// describeConnection sets how the server is reached. A connection whose
// certificate is not verified may end at another server.
func (x *session) describeConnection(d *doc.Server) {
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

// Writable implements dialect.Inspector.
func (*DB) Writable(ctx context.Context, s dialect.Session, all []*dialect.Described) (names []string, err error) {
	x := s.(*session)
	read, err := x.tablesOf(ctx, all...)
	if err != nil {
		return nil, err
	}
	tables, err := many[struct{ Name string }](ctx, x, read.query(stored("writable")))
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names, err
}

// Estimate implements dialect.Inspector.
func (*DB) Estimate(ctx context.Context, s dialect.Session, of *dialect.Described) (int64, error) {
	plan, err := s.(*session).explain(ctx, query{sql: everything(of.Wrapped)})
	return int64(plan.Rows), err
}

// Shown implements dialect.ZoneShower.
func (*DB) Shown(ctx context.Context, s dialect.Session, zone string, at []time.Time) (figures []time.Time, err error) {
	us := make([]int64, len(at))
	for i, instant := range at {
		us[i] = instant.UnixMicro()
	}
	rows, err := s.(*session).rows(ctx, stored("shown").bind(pgtype.Int8ArrayOID, arrayOf(us)).bind(pgtype.TextOID, zone))
	for _, row := range rows {
		shown, err := dialect.ParseTime(string(row[0]))
		if err != nil {
			return nil, err
		}
		figures = append(figures, shown)
	}
	return figures, err
}
