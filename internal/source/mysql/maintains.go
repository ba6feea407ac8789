package mysql

import (
	"context"
	"slices"
	"strings"

	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Maintains implements dialect.Maintainer. Triggers are seen with the privilege TRIGGER
// only.
func (*DB) Maintains(ctx context.Context, s dialect.Session, of *dialect.Described, column int) (bool, error) {
	e, err := explain(ctx, s, of)
	if err != nil {
		return false, err
	}
	at, known := e.origins[of.Columns[column].Name]
	if !known {
		return false, nil
	}
	rows, err := stdsql.Query(ctx, s, "SELECT LOWER(extra) FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?", at.table.schema, at.table.name, at.column)
	if err != nil || len(rows) == 1 && strings.Contains(rows[0].Text(0), "on update current_timestamp") {
		return err == nil, err
	}
	triggers, err := stdsql.Query(ctx, s, `SELECT action_statement FROM information_schema.triggers
		WHERE event_object_schema = ? AND event_object_table = ? AND event_manipulation = 'UPDATE' AND action_timing = 'BEFORE'`, at.table.schema, at.table.name)
	return slices.ContainsFunc(triggers, func(r stdsql.Row) bool {
		for _, m := range assigned.FindAllStringSubmatch(r.Text(0), -1) {
			if strings.EqualFold(m[1], at.column) {
				return true
			}
		}
		return false
	}), err
}
