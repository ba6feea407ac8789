package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
)

// Connect implements horizon.Sampler. A reading costs five round trips (four if the
// server prepares no transactions), one more after a commit, and two more for each further sample.
//
// The horizon holds for an updateTime that this server sets by now(),
// clock_timestamp() or statement_timestamp(). If a transaction's start is hidden
// (another role's session, track_activities off), its virtual transaction id is
// visible.
//
// Behind a connection pooler each statement may run in another session. On one
// server that does not matter: each statement starts after the previous answer,
// reads state that all sessions share, and leaves out its own session, which has
// no transaction beside it. But a pooler may have several servers, and what one of
// them shows does not bound a snapshot of another. So no horizon is exact behind a
// pooler.
func (db *DB) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	x, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer x.End()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	err = read(ctx, &watchConn{session: x})
	if errors.Is(err, errNoAnswer) { // between two statements
		return x.fault(ctx, err)
	}
	if refused := refusal(err); refused != nil {
		return horizon.Refused("the server does not show open transactions: " + refused.Text + ": set horizon: timeout")
	}
	return err
}

// refusal returns the error with which the server refused a statement, and would
// refuse it again; nil if it did not.
func refusal(err error) *dialect.Fault {
	if fault, ok := errors.AsType[*dialect.Fault](err); ok && !errors.Is(err, doc.ErrUnavailable) {
		return fault
	}
	return nil
}

// A watchConn is a connection for one reading, outside a transaction.
type watchConn struct {
	*session
	server     serverState
	seen       time.Time // on a standby: what was committed by then is visible; else zero
	hidesState bool      // some session has track_activities off, which hides its start from every role
}

// A serverState is what a server reports beside its transactions.
type serverState struct {
	Identity     string
	Standby      bool
	Subscription string // one that replicates rows into this database; "": none
	SeesAll      bool   // the role sees when other roles' transactions began
	CanPrepare   bool   // transactions can be prepared
	PID          string // of the session that answered
	pooled       bool   // statements may reach several servers
}

// inexactReason returns why no horizon of this server is exact, and what to do;
// "": it may be exact.
func (s serverState) inexactReason() string {
	switch {
	case s.Standby:
		return "the server is a standby, which does not show its primary's transactions: name the primary in dsn, or set horizon: timeout"
	case s.pooled:
		return "the connection leads through a connection pooler, which may have several servers: name the server itself in dsn, or set horizon: timeout"
	case s.Subscription != "":
		return fmt.Sprintf("subscription %q replicates rows whose updateTimes another server set: set horizon: timeout", s.Subscription)
	}
	return ""
}

// remedy is what makes hidden transactions visible.
func (s serverState) remedy() string {
	if s.SeesAll {
		return "turn track_activities on in every session"
	}
	return "GRANT pg_read_all_stats to the daemon's role"
}

// Identity implements horizon.Conn.
func (w *watchConn) Identity(ctx context.Context) (id string, err error) {
	if w.server, err = one[serverState](ctx, w.session, repeated("serverState")); err != nil {
		return "", err
	}
	w.noticePooler(w.server.PID)
	w.server.pooled = w.db.pooled.Load() && !w.db.oneServer
	if w.server.Standby {
		var shows standby
		shows, err = w.standby(ctx)
		w.seen = shows.seen()
	}
	return w.server.Identity, err
}

// Sample implements horizon.Conn.
func (w *watchConn) Sample(ctx context.Context) (s horizon.Sample, err error) {
	s.Sent = time.Now()
	clock, err := one[struct{ Now micros }](ctx, w.session, repeated("now"))
	if err != nil {
		return s, err
	}
	s.Received, s.Clock = time.Now(), clock.Now.Time
	pids, starts := w.db.own.lists()
	q := repeated("sample").bind(pgtype.Int4ArrayOID, arrayOf(pids)).bind(pgtype.Int8ArrayOID, arrayOf(starts))
	rows, err := many[struct {
		horizon.Tx
		Began  micros
		Ahead  *int64 // microseconds
		Silent bool
	}](ctx, w.session, q)
	for _, row := range rows {
		w.hidesState = w.hidesState || row.Silent
		if row.Silent && row.ID == "" && row.Ahead == nil {
			continue // without a transaction
		}
		row.Start = row.Began.Time
		s.Open = append(s.Open, row.Tx)
		if row.Ahead != nil {
			s.Ahead = max(s.Ahead, time.Duration(*row.Ahead)*time.Microsecond)
		}
	}
	return s, err
}

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (horizon.State, error) {
	s := horizon.State{Seen: w.seen, Reason: w.server.inexactReason(), Remedy: w.server.remedy()}
	if w.server.CanPrepare {
		prepared, err := many[struct {
			horizon.PreparedTx
			At micros
		}](ctx, w.session, repeated("prepared"))
		if err != nil {
			return s, err
		}
		for _, tx := range prepared {
			tx.Since = tx.At.Time
			s.Prepared = append(s.Prepared, tx.PreparedTx)
		}
	}
	if !w.server.SeesAll || w.hidesState {
		users, err := many[struct{ What string }](ctx, w.session, stored("statementTimestamp"))
		if err != nil {
			return s, err
		}
		if len(users) > 0 {
			s.Unbounded = fmt.Sprintf("%s uses statement_timestamp(), and when a statement began can't be seen: %s", strings.TrimSpace(users[0].What), s.Remedy)
		}
	}
	row, err := one[struct{ Version string }](ctx, w.session, repeated("version"))
	if err != nil {
		return s, err
	}
	s.Version = w.server.Identity + " " + row.Version
	s.Catalog, err = w.session.catalog(ctx, s.Version)
	return s, err
}

// A seenCatalog is the catalog as it was read after a version.
type seenCatalog struct{ version, catalog string }

// catalog returns the state of the catalog. It is read again when the version has
// moved, which takes a few milliseconds.
func (x *session) catalog(ctx context.Context, version string) (string, error) {
	if seen := x.db.catalog.Load(); seen != nil && seen.version == version {
		return seen.catalog, nil
	}
	row, err := one[struct{ Catalog string }](ctx, x, stored("described"))
	if err != nil {
		return "", err
	}
	x.db.catalog.Store(&seenCatalog{version, row.Catalog})
	return row.Catalog, nil
}
