package sqlserver

import (
	"context"
	"regexp"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// tableSQL names a table in a query of the catalog.
const tableSQL = "QUOTENAME(OBJECT_SCHEMA_NAME(t.object_id)) + N'.' + QUOTENAME(t.name)"

// Catalog implements dialect.Cataloger by six queries of the catalog. It reads no
// table. GREATEST is of newer servers only, so the catalog names no such function.
func (*DB) Catalog(ctx context.Context, s dialect.Session) (doc.Catalog, error) {
	c := stdsql.NewCatalog(s, 1)
	c.Zone = "UTC"
	for _, r := range c.Rows(ctx, "SELECT DB_NAME(), "+tableSQL+`, t.name, OBJECT_SCHEMA_NAME(t.object_id), CAST(CASE WHEN t.type = 'V' THEN 1 ELSE 0 END AS bigint),
		CAST(COALESCE(HAS_PERMS_BY_NAME(`+tableSQL+`, 'OBJECT', 'SELECT'), 0) AS bigint), (SELECT SUM(p.rows) FROM sys.partitions p WHERE p.object_id = t.object_id AND p.index_id IN (0, 1)), SCHEMA_NAME()
		FROM sys.objects t WHERE t.type IN ('U', 'V') AND t.is_ms_shipped = 0 ORDER BY OBJECT_SCHEMA_NAME(t.object_id), t.name`) {
		c.Name = r.Text(0)
		t := doc.CatalogTable{Schema: r.Text(3), Name: r.Text(2), SQL: r.Text(1), Rows: r.Number(6)}
		if r.Number(5) == 0 {
			t.Deny()
		}
		if t.Schema == r.Text(7) {
			t.Schema = ""
		}
		if r.Number(4) == 1 {
			c.Views = append(c.Views, t.SQL)
			continue
		}
		c.Add(r[1:], t)
	}
	c.Each(ctx, "SELECT "+tableSQL+`, c.name, TYPE_NAME(CASE c.system_type_id WHEN 240 THEN c.user_type_id ELSE c.system_type_id END), CAST(c.max_length AS bigint), CAST(c.precision AS bigint), CAST(c.scale AS bigint), CAST(1 - c.is_nullable AS bigint), COALESCE(d.definition, N''), CAST(c.generated_always_type AS bigint)
		FROM sys.tables t JOIN sys.columns c ON c.object_id = t.object_id LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id WHERE c.is_hidden = 0 ORDER BY t.object_id, c.column_id`, addColumn)
	c.Each(ctx, "SELECT "+tableSQL+`, k.definition FROM sys.tables t JOIN sys.check_constraints k ON k.parent_object_id = t.object_id WHERE k.definition LIKE N'%isjson(%'`, addCheck)
	c.Indexes(ctx, "SELECT "+tableSQL+`, CAST(i.index_id AS varchar(20)), c.name, CAST(i.is_primary_key AS bigint), CAST(i.is_unique AS bigint)
		FROM sys.tables t JOIN sys.indexes i ON i.object_id = t.object_id JOIN sys.index_columns k ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal > 0
		JOIN sys.columns c ON c.object_id = k.object_id AND c.column_id = k.column_id
		WHERE i.type IN (1, 2) AND i.has_filter = 0 AND i.is_disabled = 0 AND i.is_hypothetical = 0 ORDER BY t.object_id, i.is_primary_key DESC, i.index_id, k.key_ordinal`)
	c.References(ctx, "SELECT "+tableSQL+`, CAST(k.constraint_column_id AS bigint), COL_NAME(k.parent_object_id, k.parent_column_id), QUOTENAME(OBJECT_SCHEMA_NAME(k.referenced_object_id)) + N'.' + QUOTENAME(OBJECT_NAME(k.referenced_object_id)), COL_NAME(k.referenced_object_id, k.referenced_column_id), CASE OBJECTPROPERTY(k.constraint_object_id, 'CnstIsDeleteCascade') WHEN 1 THEN N'CASCADE' ELSE N'' END
		FROM sys.tables t JOIN sys.foreign_key_columns k ON k.parent_object_id = t.object_id ORDER BY t.object_id, k.constraint_object_id, k.constraint_column_id`, func(sql string) string { return sql })
	// The triggers need the right VIEW DEFINITION.
	c.Triggers(ctx, "SELECT "+tableSQL+`, COALESCE(OBJECT_DEFINITION(g.object_id), N'') FROM sys.tables t JOIN sys.triggers g ON g.parent_id = t.object_id AND g.is_disabled = 0
		JOIN sys.trigger_events e ON e.object_id = g.object_id AND e.type_desc = 'UPDATE'`, assigned)
	return c.Done()
}

// setsNow matches a default that is the time of the insert.
var setsNow = regexp.MustCompile(`(?i)\b(getdate|getutcdate|sysdatetime|sysutcdatetime|sysdatetimeoffset|current_timestamp)\b`)

func addColumn(t *doc.CatalogTable, r stdsql.Row) {
	n := &native{name: r.Text(1), precision: int(r.Number(3)), scale: int(r.Number(4))}
	col := doc.CatalogColumn{Name: r.Text(0), SQL: quote(r.Text(0)), Type: n.name, NotNull: r.Number(5) == 1, Now: setsNow.MatchString(r.Text(6)), Maintained: r.Number(7) == 1}
	length := int(r.Number(2))
	if n.name == "binary" && length == 16 {
		n.arguments = "(16)"
	}
	described := newColumn(col.Name, n)
	col.Key, col.Time, col.Kind = described.Kind != 0, described.Clock != nil || described.Epochs != nil, n.columnKind()
	if col.Kind == doc.OtherColumn {
		col.Forms, col.Reason = n.forms()
	}
	if col.Kind == doc.TextColumn && length > 0 && !n.isLong() {
		col.Length = length
		if n.name[0] == 'n' {
			col.Length /= 2
		}
	}
	t.Columns = append(t.Columns, col)
}

// columnKind classifies a column by how it can be indexed.
func (n *native) columnKind() doc.ColumnKind {
	switch c := n.clock(); {
	case c != nil && c.Form == dialect.Day:
		return doc.DateColumn
	case c != nil && c.Form == dialect.Instant:
		return doc.InstantColumn
	case c != nil:
		return doc.WallColumn
	case n.is("bit"):
		return doc.BooleanColumn
	case n.isDecimal(), n.is("bigint", "int", "smallint", "tinyint", "money", "smallmoney", "float", "real"):
		return doc.NumberColumn
	case n.is("char", "varchar", "text", "nchar", "nvarchar", "ntext", "xml"):
		return doc.TextColumn
	case n.is("uniqueidentifier", "time"):
		return doc.WordColumn
	case n.is("json"):
		return doc.JSONColumn
	}
	return doc.OtherColumn
}

// forms returns the expressions under which a column of another kind is selected, with
// what they are, or why it is left out.
func (n *native) forms() (forms []doc.CatalogForm, reason string) {
	switch n.name {
	case "hierarchyid":
		return []doc.CatalogForm{{SQL: "%s.ToString()", Kind: doc.WordColumn}}, "as text"
	case "geography":
		return []doc.CatalogForm{{Suffix: "_lat", SQL: "%s.Lat", Kind: doc.NumberColumn}, {Suffix: "_lon", SQL: "%s.Long", Kind: doc.NumberColumn}}, "the coordinates of points"
	case "geometry":
		return []doc.CatalogForm{{Suffix: "_x", SQL: "%s.STX", Kind: doc.NumberColumn}, {Suffix: "_y", SQL: "%s.STY", Kind: doc.NumberColumn}}, "the coordinates of points"
	case "sql_variant":
		return nil, "values of several types: CAST it in the SQL"
	case "timestamp", "rowversion":
		return nil, "the version of the row"
	case "vector":
		return nil, "a vector, which is compared by distance"
	}
	return nil, "bytes"
}

// checked matches the column that a check requires to be JSON.
var checked = regexp.MustCompile(`(?i)isjson\(\[((?:[^\]]|\]\])+)\]`)

// addCheck makes a text with a check a column of JSON.
func addCheck(t *doc.CatalogTable, r stdsql.Row) {
	m := checked.FindStringSubmatch(r.Text(0))
	if m == nil {
		return
	}
	if c := stdsql.Column(t, strings.ReplaceAll(m[1], "]]", "]")); c.Kind == doc.TextColumn {
		c.Kind, c.Marked, c.Length = doc.JSONColumn, true, 0
	}
}

// assigned matches a column that a statement sets to the server's time.
var assigned = regexp.MustCompile(`(?i)(?:\[([^\]]+)\]|([a-z_][a-z0-9_]*))\s*=\s*(?:getdate|getutcdate|sysdatetime|sysutcdatetime|sysdatetimeoffset|current_timestamp)\b`)
