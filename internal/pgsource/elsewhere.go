package pgsource

import (
	"context"
	"errors"
	"fmt"

	"indexerd/internal/doc"
)

// Watch watches the transactions of the table's database. Its horizon is never
// exact where the table has rows that no transaction here stamps.
func (t *Table) Watch(o WatchOptions) *Watch {
	w := t.src.Watch(o)
	w.elsewhere = t.elsewhere
	return w
}

// elsewhereSQL names a relation that the transaction has read and whose rows
// others stamp. What was read is what it holds locks on until it ends: behind
// views, in partitions, and where a plan shows less, since it joins on the other
// server or leaves out what it won't run.
const elsewhereSQL = `SELECT c.relkind, ` + nameOf + `
	FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
	AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND c.relkind IN ('f', 'm')
	ORDER BY 1, 2 LIMIT 1`

// elsewhere says why no horizon can speak of the SQLs that the transaction has
// begun so far; "" if one can. What a function reads that is not inlined is not
// seen, and neither is a partition that is attached later. A refusal fails the
// transaction.
func (x *tx) elsewhere(ctx context.Context) (string, error) {
	rows, err := x.all(ctx, query{sql: elsewhereSQL})
	var refused *serverError
	switch {
	case errors.As(err, &refused) && !errors.Is(err, doc.ErrUnavailable):
		return "the server does not tell what the SQL reads: " + refused.Error() + ": set horizon: timeout", nil
	case err != nil || len(rows) == 0:
		return "", err
	case string(rows[0][0]) == "f":
		return fmt.Sprintf("the SQL reads foreign table %s, whose rows another server stamps: set horizon: timeout", rows[0][1]), nil
	}
	return fmt.Sprintf("the SQL reads materialized view %s, whose rows appear with a later REFRESH: set horizon: timeout", rows[0][1]), nil
}
