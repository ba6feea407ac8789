package mysql

import (
	"context"
	"strings"
	"sync"
	"time"

	"indexerd/internal/source/changes"
	"indexerd/internal/source/stdsql"
)

// MySQL shows when a transaction last committed a write to a table, in whole seconds:
// update_time. It is set before others see the rows, by cascades and triggers too, and not
// by a transaction that is rolled back. It does not show that rows appear or disappear
// otherwise: a rebuilt table has another create_time, and a TRUNCATE, a RENAME and an
// exchange of partitions are counted when they begin.
//
// update_time is lost with a restart, and when InnoDB closes a table for others. So it
// shows what to compare first, and proves nothing.

// writesLate is how long a commit may take from its update_time until others see it. A
// table that was written within that time counts as written again. So does one that was
// written in the second of the reading.
const writesLate = 2 * time.Second

// ddlSQL counts statements that have begun to change which rows a name stands for, what an
// SQL reads, or what the account sees of that. The status needs no privilege.
const ddlSQL = `SHOW GLOBAL STATUS WHERE variable_name IN ('Com_rename_table', 'Com_truncate', 'Com_alter_table', 'Com_create_view', 'Com_drop_view', 'Com_create_function', 'Com_alter_function', 'Com_drop_function',
	'Com_grant', 'Com_grant_roles', 'Com_revoke', 'Com_revoke_all', 'Com_revoke_roles')`

// writtenSQL reads when tables of a schema were created, and written, each partition of
// them included, and whether that was just before.
const writtenSQL = `SELECT table_name, CONCAT(MAX(create_time)), MAX(create_time) > UTC_TIMESTAMP() - INTERVAL ? SECOND, MAX(GREATEST(create_time, COALESCE(update_time, create_time))) > UTC_TIMESTAMP() - INTERVAL ? SECOND,
	CONCAT_WS(' ', MAX(create_time), MAX(update_time), COUNT(*), SUM(CRC32(CONCAT_WS(' ', partition_name, subpartition_name, create_time, update_time))))
	FROM information_schema.partitions WHERE table_schema = ? AND table_name IN (`

// tableID identifies a base table to changes. No name has a NUL.
func tableID(schema, name string) string { return schema + "\x00" + name }

// writes are what MySQL shows of writes beside its version.
type writes struct {
	mu      sync.Mutex
	version string // of the last reading
	catalog string // at that version
	ddl     version
}

// read adds the catalog and the counters to a sample that has a version. While the
// version stands still, it reads none of them again.
func (w *writes) read(ctx context.Context, s *stdsql.Session, server string, c *changes.Sample, tables func(string) []string, settled time.Duration) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.version != c.Version {
		asked := time.Now()
		rows, err := stdsql.Query(ctx, s, ddlSQL)
		if err != nil {
			return err
		}
		counts := []string{server}
		for _, r := range rows {
			counts = append(counts, r.Text(1))
		}
		w.version, w.catalog = c.Version, w.ddl.at(asked, strings.Join(counts, " "), settled)
	}
	c.Counted, c.Weak, c.Catalog = true, true, w.catalog
	if ids := tables(c.Version); ids != nil {
		c.Counters, err = written(ctx, s, ids, c.Version, c.Catalog)
	}
	return err
}

// written returns the counters of tables. A table that was written just before, and one
// that the account does not see, have the version as their counter.
func written(ctx context.Context, s *stdsql.Session, ids []string, version, catalog string) (map[string]changes.Counts, error) {
	counters, bySchema := make(map[string]changes.Counts, len(ids)), map[string][]any{}
	for _, id := range ids {
		counters[id] = changes.Counts{Definition: version, Storage: version}
		schema, name, _ := strings.Cut(id, "\x00")
		bySchema[schema] = append(bySchema[schema], name)
	}
	late := int64(writesLate / time.Second)
	for schema, names := range bySchema {
		rows, err := stdsql.Query(ctx, s, writtenSQL+"?"+strings.Repeat(", ?", len(names)-1)+") GROUP BY table_name", append([]any{late, late, schema}, names...)...)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			id := tableID(schema, r.Text(0))
			c := counters[id]
			if r.Number(2) == 0 {
				c.Definition = r.Text(1)
			}
			if r.Number(3) == 0 {
				c.Storage = catalog + " " + r.Text(4)
			}
			counters[id] = c
		}
	}
	return counters, nil
}
