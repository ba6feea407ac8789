package pgsource

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
)

// Watch starts to watch the transactions of the database. Watches of a source
// share readings. A reading costs five round trips (four if the server prepares
// no transactions), and two more for each further sample.
//
// The horizon holds for an updateTime that this server sets by now(),
// clock_timestamp() or statement_timestamp(). If a transaction's start is hidden
// (another role's session, track_activities off), its virtual transaction id is
// visible.
//
// Behind a connection pooler each statement may run in another session. On one
// server that does not matter: each statement starts after the previous answer,
// reads state that all sessions share, and leaves out its own session, which has
// no transaction beside it. But a pooler may have several servers, and what one
// of them shows does not bound a snapshot of another. So no horizon is exact
// behind a pooler.
func (s *Source) Watch(o horizon.Options) *horizon.Watch { return s.readings.Watch(o) }

// A sampler connects to a source for readings of its horizon.
type sampler struct{ src *Source }

// Connect implements horizon.Sampler.
func (s sampler) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	err := s.connect(ctx, read)
	var refused *serverError
	if errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable) {
		return horizon.Refused("the server does not show open transactions: " + refused.Error() + ": set horizon: timeout")
	}
	return err
}

func (s sampler) connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	x, err := s.src.acquire(ctx)
	if err != nil {
		return err
	}
	defer x.release()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	err = read(ctx, &watchConn{tx: x})
	if errors.Is(err, errNoAnswer) { // between two statements
		return x.fault(ctx, err)
	}
	return err
}

// A watchConn is a connection for one reading, outside a transaction.
type watchConn struct {
	*tx
	state      serverState
	seen       time.Time // on a standby: what was committed by then is visible; else zero
	hidesState bool      // some session has track_activities off, which hides its start from every role
}

// A serverState is what a server reports beside its transactions.
type serverState struct {
	identity     string
	standby      bool
	pooled       bool   // statements may reach several servers
	subscription string // one that replicates rows into this database; "": none
	seesAll      bool   // the role sees when other roles' transactions began
	canPrepare   bool   // transactions can be prepared
}

// serverStateSQL reads a serverState. The write-ahead log's timeline is part of
// the identity: it changes with a failover or a restore. Whether transactions
// can be prepared changes only when the server starts.
const serverStateSQL = `SELECT
	concat_ws('/', (SELECT system_identifier FROM pg_catalog.pg_control_system()),
		CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
		(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint),
	pg_is_in_recovery(),
	(SELECT min(subname) FROM pg_catalog.pg_subscription WHERE subdbid = d.oid),
	pg_has_role('pg_read_all_stats', 'usage'),
	current_setting('max_prepared_transactions') <> '0',
	pg_backend_pid()
	FROM pg_catalog.pg_database d WHERE datname = current_database()`

func (x *tx) serverState(ctx context.Context) (serverState, error) {
	row, err := x.row(ctx, query{sql: serverStateSQL})
	if err != nil {
		return serverState{}, err
	}
	x.noticePooler(string(row[5]))
	return serverState{
		identity: string(row[0]), pooled: x.src.pooled.Load() && !x.src.oneServer, standby: isTrue(row[1]), subscription: string(row[2]), seesAll: isTrue(row[3]), canPrepare: isTrue(row[4]),
	}, nil
}

// inexactReason returns why no horizon of this server is exact, and what to do;
// "": it may be exact.
func (s serverState) inexactReason() string {
	switch {
	case s.standby:
		return "the server is a standby, which does not show its primary's transactions: name the primary in dsn, or set horizon: timeout"
	case s.pooled:
		return "the connection leads through a connection pooler, which may have several servers: name the server itself in dsn, or set horizon: timeout"
	case s.subscription != "":
		return fmt.Sprintf("subscription %q replicates rows whose updateTimes another server set: set horizon: timeout", s.subscription)
	}
	return ""
}

// remedy is what makes hidden transactions visible.
func (s serverState) remedy() string {
	if s.seesAll {
		return "turn track_activities on in every session"
	}
	return "GRANT pg_read_all_stats to the daemon's role"
}

// Identity implements horizon.Conn.
func (w *watchConn) Identity(ctx context.Context) (string, error) {
	var err error
	if w.state, err = w.serverState(ctx); err != nil || !w.state.standby {
		return w.state.identity, err
	}
	shows, err := w.standby(ctx)
	w.seen = shows.seen()
	return w.state.identity, err
}

// State implements horizon.Conn.
func (w *watchConn) State(ctx context.Context) (horizon.State, error) {
	s := horizon.State{Seen: w.seen, Reason: w.state.inexactReason(), Remedy: w.state.remedy()}
	var err error
	if w.state.canPrepare {
		if s.Prepared, err = w.preparedTxs(ctx); err != nil {
			return s, err
		}
	}
	if !w.state.seesAll || w.hidesState {
		if s.Unbounded, err = w.unbounded(ctx); err != nil {
			return s, err
		}
	}
	s.Version, err = w.version(ctx)
	return s, err
}

// versionSQL returns the completed transactions. Snapshots with the same ones
// see the same rows, since every writer has a transaction id.
const versionSQL = "SELECT txid_current_snapshot()"

func (w *watchConn) version(ctx context.Context) (string, error) {
	row, err := w.row(ctx, query{sql: versionSQL})
	if err != nil {
		return "", err
	}
	return w.state.identity + " " + string(row[0]), nil
}

// statementTimestampSQL finds a user's function or column default that uses
// statement_timestamp(), whose OID is fixed. In a procedure that commits,
// statement_timestamp() is earlier than the transaction.
const statementTimestampSQL = `SELECT 'function ' || oid::regproc FROM pg_catalog.pg_proc WHERE oid >= 16384 AND prosrc ILIKE '%statement_timestamp%'
	UNION ALL SELECT 'the default of a column of ' || adrelid::regclass FROM pg_catalog.pg_attrdef WHERE adbin::text LIKE '%:funcid 2648 %'
	LIMIT 1`

// unbounded returns why the samples do not bound what hidden transactions stamp;
// "": they do.
func (w *watchConn) unbounded(ctx context.Context) (string, error) {
	rows, err := w.all(ctx, query{sql: statementTimestampSQL})
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return fmt.Sprintf("%s uses statement_timestamp(), and when a statement began can't be seen: %s", strings.TrimSpace(string(rows[0][0])), w.state.remedy()), nil
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
