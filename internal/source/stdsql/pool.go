package stdsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"time"
)

// OpenPool returns a pool of at most conns connections, each of which runs the
// settings first. It does not connect.
func OpenPool(c driver.Connector, conns int, settings ...string) *sql.DB {
	db := sql.OpenDB(&connector{c, settings})
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db
}

// A connector prepares each connection.
type connector struct {
	driver.Connector
	settings []string
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, setting := range c.settings {
		if _, err := conn.(driver.ExecerContext).ExecContext(ctx, setting, nil); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// BeginBy begins a transaction by statements, for a driver whose own BeginTx can't
// take the snapshot.
func BeginBy(ctx context.Context, conn *sql.Conn, statements ...string) (Tx, error) {
	for _, statement := range statements {
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return transaction{conn}, err
		}
	}
	return transaction{conn}, nil
}

// A transaction is a Tx that statements began.
type transaction struct{ *sql.Conn }

// endTimeout limits the end of a transaction, which a server answers at once.
const endTimeout = 10 * time.Second

// Rollback ends the transaction. If it can't, it closes the connection, which the
// pool would use again.
func (t transaction) Rollback() error {
	ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
	defer cancel()
	_, err := t.ExecContext(ctx, "ROLLBACK")
	if err != nil {
		_ = t.Raw(func(any) error { return driver.ErrBadConn })
	}
	return err
}
