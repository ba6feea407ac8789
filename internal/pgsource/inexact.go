package pgsource

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// Watch watches the transactions of the table's database. Its horizon is never
// exact where the table has rows that no transaction here stamps.
func (t *Table) Watch(o WatchOptions) *Watch {
	w := t.src.Watch(o)
	w.scope = &tableScope{table: t, inexactReason: t.inexactReason}
	return w
}

// A scope is what the SQLs of a table read, as it was last looked at. A partition
// can be attached, a view or a function replaced, at any time. All of that is
// committed by a transaction, so there is nothing to look at again while none
// has ended.
//
// Of a database at work it is looked at again when a horizon is read and the
// last look is older than the slack. S stays behind its reading by the slack, so
// what is stamped after the last look is never below an S that is called exact.
//
// A look costs a transaction that plans each SQL and runs none: about as much as
// an idle window.
type tableScope struct {
	table         *Table
	version       string    // of all that had been committed, at the last look
	at            time.Time // the server's clock then; zero: not yet
	inexactReason string    // why no horizon can be exact; "": one can
}

// look looks again, if there may be something new.
func (s *tableScope) refresh(ctx context.Context, r reading, slack time.Duration) error {
	since := r.clock.Sub(s.at)
	if r.version == s.version || 0 <= since && since < slack {
		return nil
	}
	elsewhere, err := s.table.readInexactReason(ctx)
	if err != nil {
		return err
	}
	s.version, s.at, s.inexactReason = r.version, r.clock, elsewhere
	return nil
}

// lookElsewhere says why no horizon can speak of the table's rows now; "" if one
// can.
func (t *Table) readInexactReason(ctx context.Context) (why string, err error) {
	err = t.read(ctx, func(x *tx) error {
		views, _ := t.views()
		why, err = x.inexactReason(ctx, views)
		return err
	})
	return why, err
}

// elsewhereSQL names a relation that the transaction has read and whose rows
// others stamp. What was read is what it holds locks on until it ends: behind
// views, in partitions, and where a plan shows less, since it joins on the other
// server or leaves out what it won't run.
const inexactRelationSQL = `SELECT c.relkind, ` + nameOf + `
	FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
	AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND c.relkind IN ('f', 'm')
	ORDER BY 1, 2 LIMIT 1`

// elsewhere says why no horizon can speak of the rows of some SQLs; "" if one
// can. They are planned, not run. A refusal fails the transaction.
func (x *tx) inexactReason(ctx context.Context, views []*view) (string, error) {
	why, err := x.findInexact(ctx, views)
	var refused *serverError
	if errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable) {
		return "the server does not tell what the SQL reads: " + refused.Error() + ": set horizon: timeout", nil
	}
	return why, err
}

func (x *tx) findInexact(ctx context.Context, views []*view) (string, error) {
	var calls calls
	for _, v := range views {
		plan, err := x.all(ctx, query{sql: "EXPLAIN (VERBOSE, COSTS OFF) " + v.everything().sql})
		if err != nil {
			return "", err
		}
		calls.addPlan(plan)
	}
	rows, err := x.all(ctx, query{sql: inexactRelationSQL})
	switch {
	case err != nil:
		return "", err
	case len(rows) == 0:
		return x.opaqueFunction(ctx, calls)
	case string(rows[0][0]) == "f":
		return fmt.Sprintf("the SQL reads foreign table %s, whose rows another server stamps: set horizon: timeout", rows[0][1]), nil
	}
	return fmt.Sprintf("the SQL reads materialized view %s, whose rows appear with a later REFRESH: set horizon: timeout", rows[0][1]), nil
}
