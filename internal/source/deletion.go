package source

import (
	"context"
	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"maps"
	"slices"
)

// A deletion selects the rows that are marked deleted. Zero: none.
//
// The condition on a column is part of every statement. The list is queried by the
// keys of each page, in the page's snapshot: as part of every statement it could
// be read once for each row.
type deletion struct {
	column int   // of the main view; valid if there are values
	values []any // that mark a row
	list   *view // nil: not by SQL
}

// deletedPath is the list's field of the configuration.
const deletedPath = "deleted.sql"

func newDeletion(ctx context.Context, x *tx, cfg TableConfig, main *view) (d deletion, err error) {
	if cfg.Deleted.Column != "" {
		const field = "deleted.column"
		if d.column, err = main.column(field, cfg.Deleted.Column); err != nil {
			return d, err
		}
		if len(cfg.Deleted.Values) == 0 {
			return d, &ConfigError{field, "no values are named", "name the values that mark a row deleted"}
		}
		d.values = cfg.Deleted.Values
		// The database checks that the values have the column's type.
		q := main.query("1").Where(main.field(d.column).In(d.values), dialect.Never)
		if _, err := x.each(ctx, q, func([]any) bool { return true }); err != nil {
			return d, configFault(field, err)
		}
	}
	if cfg.Deleted.SQL != "" {
		d.list, err = newView(ctx, x, cfg.Deleted.SQL, cfg.Key, updatedConfig{}, paths{sql: deletedPath, key: deletedPath})
	}
	return d, err
}

// marked returns the condition that the column marks a row deleted; nil: no column
// does.
func (t *Table) marked() dialect.Condition {
	if len(t.deletion.values) == 0 {
		return nil
	}
	return t.field(t.deletion.column).In(t.deletion.values)
}

// live returns the condition that no column marks the row deleted; nil: no column
// does. NULL does not mark a row.
func (t *Table) live() dialect.Condition {
	if marked := t.marked(); marked != nil {
		return dialect.Not(marked)
	}
	return nil
}

// liveOf is live for the main view. Rows of other views are never marked.
func (t *Table) liveOf(v *view) dialect.Condition {
	if v == t.view {
		return t.live()
	}
	return nil
}

// unlisted returns the condition that the deleted SQL does not list a row; nil if
// there is none. It may read the list once for each row: it is for statements that
// read the whole table.
func (t *Table) unlisted() dialect.Condition {
	list := t.deletion.list
	if list == nil {
		return nil
	}
	same := list.keyFields()
	return func(q *dialect.Query) {
		q.Reads(&list.Described)
		q.Write("NOT EXISTS (SELECT 1 ", list.From())
		word := " WHERE "
		for i, f := range t.keyFields() {
			q.Write(word, same[i].Expr, " = ", f.Expr)
			word = " AND "
			if listed, tie := list.tie(i), t.tie(i); listed.Expr != "" && tie.Expr != "" {
				q.Write(word, listed.Expr, " = ", tie.Expr)
			}
		}
		q.Write(")")
	}
}

// markedAmong returns which of the OIDs a column marks deleted.
func (t *Table) markedAmong(ctx context.Context, x *tx, oids []doc.OID) (found []doc.OID, err error) {
	if marked := t.marked(); marked != nil {
		err = t.eachOf(ctx, x, oids, func(among dialect.Condition) *dialect.Query { return t.keys().Where(marked, among) },
			func(oid doc.OID, _ []any) { found = append(found, oid) })
	}
	return found, err
}

// listed returns which of the keys the deleted SQL lists.
func (t *Table) listed(ctx context.Context, x *tx, oids []doc.OID) (listed map[doc.OID]bool, err error) {
	listed = map[doc.OID]bool{}
	if list := t.deletion.list; list != nil {
		err = list.eachOf(ctx, x, oids, func(among dialect.Condition) *dialect.Query { return list.keys().Where(among) },
			func(oid doc.OID, _ []any) { listed[oid] = true })
	}
	return listed, err
}

// dropListed drops the rows that the deleted SQL lists. If keys were asked for,
// each listed one is reported as deleted, even if its row no longer exists.
func (t *Table) dropListed(ctx context.Context, x *tx, asked []doc.OID, b *doc.Batch) error {
	if t.deletion.list == nil {
		return nil
	}
	oids := asked
	if asked == nil {
		oids = slices.Concat(doc.OIDs(b.Docs), doc.OIDs(b.Rejects))
		oids = slices.DeleteFunc(oids, func(oid doc.OID) bool { return oid == "" })
	}
	listed, err := t.listed(ctx, x, oids)
	if err != nil {
		return err
	}
	b.Docs = slices.DeleteFunc(b.Docs, func(d doc.Doc) bool { return listed[d.OID] })
	b.Rejects = slices.DeleteFunc(b.Rejects, func(r doc.Reject) bool { return listed[r.OID] })
	if asked != nil {
		b.Deleted = append(b.Deleted, slices.Sorted(maps.Keys(listed))...)
	}
	return nil
}
