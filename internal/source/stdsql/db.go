package stdsql

import (
	"context"
	"database/sql"
	"net"
	"strings"
	"time"

	"indexerd/internal/source/dialect"
)

// A DB is the part of a Dialect that connects. It is safe for concurrent use.
type DB struct {
	Name    string // of the database, without secrets
	Pool    *sql.DB
	Vendor  Vendor
	Timeout time.Duration // of statements that are not slow; 0: the server keeps to one
}

// Address implements dialect.Dialect.
func (d *DB) Address() string { return d.Name }

// Acquire implements dialect.Dialect.
func (d *DB) Acquire(ctx context.Context) (dialect.Session, error) {
	s, err := d.Session(ctx, d.Pool)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Session takes a connection of a pool.
func (d *DB) Session(ctx context.Context, pool *sql.DB) (*Session, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, connectFault(ctx, d.Name, err, d.Vendor.Refusal)
	}
	return &Session{vendor: d.Vendor, timeout: d.Timeout, conn: conn, unchanged: map[*dialect.Described]bool{}}, nil
}

// ReadingTimeout limits a reading of what is open or has changed.
const ReadingTimeout = 30 * time.Second

// Reading runs read with a session, for horizon.Sampler and changes.Sampler. A fault with
// one of the codes becomes a horizon.Refused for the code's reason.
func (d *DB) Reading(ctx context.Context, read func(context.Context, *Session) error, reasons map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, ReadingTimeout)
	defer cancel()
	s, err := d.Session(ctx, d.Pool)
	if err != nil {
		return err
	}
	defer s.End()
	return Refusal(read(ctx, s), reasons)
}

// Close implements dialect.Dialect.
func (d *DB) Close() { _ = d.Pool.Close() }

// IsRemote reports whether a host is another machine.
func IsRemote(host string) bool {
	ip := net.ParseIP(host)
	return !strings.EqualFold(host, "localhost") && (ip == nil || !ip.IsLoopback())
}
