package oracle

import (
	"context"
	"regexp"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A catalog is a catalog that is being read. An owner and a name identify a table.
type catalog struct {
	*stdsql.Catalog
	schema string
}

// Catalog implements dialect.Cataloger by seven queries of the views ALL_*. It lists
// the tables of the account's schema, or if there are none, all that it may read.
func (*DB) Catalog(ctx context.Context, s dialect.Session) (doc.Catalog, error) {
	c := &catalog{Catalog: stdsql.NewCatalog(s, 2)}
	c.Greatest, c.Zone = "GREATEST", "UTC"
	c.readTables(ctx)
	c.readColumns(ctx)
	c.readIndexes(ctx)
	c.readReferences(ctx)
	c.Triggers(ctx, `SELECT o.table_owner, o.table_name, o.trigger_body FROM all_triggers o
		WHERE o.status = 'ENABLED' AND o.trigger_type = 'BEFORE EACH ROW' AND o.triggering_event LIKE '%UPDATE%'`, assigned)
	return c.Done()
}

// assigned matches the column that a trigger sets.
var assigned = regexp.MustCompile(`(?i):new\."?([\pL_][\pL\pN_$#]*)"?\s*:=`)

// userOwner selects the owners that are no part of the server.
const userOwner = " o.owner IN (SELECT u.username FROM all_users u WHERE u.oracle_maintained = 'N')"

func (c *catalog) readTables(ctx context.Context) {
	rows := c.Rows(ctx, `SELECT o.owner, o.table_name, NVL(o.num_rows, 0), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'), SYS_CONTEXT('USERENV', 'DB_NAME')
		FROM all_tables o WHERE`+userOwner+` AND o.nested = 'NO' AND o.secondary = 'N' AND NVL(o.iot_type, 'IOT') = 'IOT' AND o.temporary = 'N' AND o.dropped = 'NO' ORDER BY o.owner, o.table_name`)
	own := false
	for _, r := range rows {
		c.schema, c.Name = r.Text(3), r.Text(4)
		own = own || r.Text(0) == c.schema
	}
	for _, r := range rows {
		if own && r.Text(0) != c.schema {
			continue
		}
		t := doc.CatalogTable{Name: shown(r.Text(1)), SQL: c.sql(r.Text(0), r.Text(1)), Rows: r.Number(2)}
		if r.Text(0) != c.schema {
			t.Schema = shown(r.Text(0))
		}
		c.Add(r, t)
	}
	for _, r := range c.Rows(ctx, "SELECT o.owner, o.view_name FROM all_views o WHERE"+userOwner+" ORDER BY o.owner, o.view_name") {
		if !own || r.Text(0) == c.schema {
			c.Views = append(c.Views, c.sql(r.Text(0), r.Text(1)))
		}
	}
}

// sql returns a table's name as SQL writes it.
func (c *catalog) sql(owner, name string) string {
	if owner == c.schema {
		return sqlName(name)
	}
	return sqlName(owner) + "." + sqlName(name)
}

func (c *catalog) readColumns(ctx context.Context) {
	c.Each(ctx, `SELECT o.owner, o.table_name, o.column_name, o.data_type, o.nullable, NVL(o.char_length, 0), o.data_scale, o.data_length, o.data_default
		FROM all_tab_columns o WHERE`+userOwner+` ORDER BY o.owner, o.table_name, o.column_id`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			scale := int64(noScale)
			if r[4] != nil {
				scale = r.Number(4)
			}
			base := precision.ReplaceAllString(r.Text(1), "")
			col := doc.CatalogColumn{Name: shown(r.Text(0)), SQL: sqlName(r.Text(0)), Type: r.Text(1), NotNull: r.Text(2) == "N"}
			col.Kind = columnKinds[base]
			if col.Kind == doc.OtherColumn {
				col.Forms, col.Reason = forms(base)
			}
			if col.Kind == doc.TextColumn {
				col.Length = int(r.Number(3))
			}
			switch base {
			case "VARCHAR2", "NVARCHAR2", "CHAR", "NCHAR":
				col.Key = true
			case "RAW":
				if col.Key = r.Number(5) == 16; col.Key {
					col.Kind, col.Reason = doc.WordColumn, ""
				}
			case "NUMBER":
				col.Key, col.Time = whole(scale), true
			case "FLOAT":
				col.Time = true
			default:
				col.Time = clock(base) != nil
			}
			col.Now = now.MatchString(r.Text(6))
			t.Columns = append(t.Columns, col)
		})
	// A text with the check IS JSON.
	c.Each(ctx, "SELECT o.owner, o.table_name, o.column_name FROM all_json_columns o WHERE"+userOwner+" ORDER BY o.owner, o.table_name, o.column_name", func(t *doc.CatalogTable, r stdsql.Row) {
		if col := stdsql.Column(t, shown(r.Text(0))); col.Kind == doc.TextColumn {
			col.Kind, col.Marked, col.Length = doc.JSONColumn, true, 0
		}
	})
}

// forms returns the expressions under which a column of another kind is selected, with
// what they are, or why it is left out.
func forms(base string) (forms []doc.CatalogForm, reason string) {
	switch base {
	case "INTERVAL DAY TO SECOND":
		const seconds = "EXTRACT(DAY FROM %[1]s) * 86400 + EXTRACT(HOUR FROM %[1]s) * 3600 + EXTRACT(MINUTE FROM %[1]s) * 60 + EXTRACT(SECOND FROM %[1]s)"
		return []doc.CatalogForm{{SQL: seconds, Kind: doc.NumberColumn}}, "in seconds"
	case "INTERVAL YEAR TO MONTH":
		return []doc.CatalogForm{{SQL: "EXTRACT(YEAR FROM %[1]s) * 12 + EXTRACT(MONTH FROM %[1]s)", Kind: doc.NumberColumn}}, "in months"
	case "RAW", "LONG RAW", "BLOB", "BFILE":
		return nil, "bytes"
	case "LONG":
		return nil, "its driver does not read it: make it a CLOB"
	case "ROWID", "UROWID":
		return nil, "the place of a row, which changes"
	case "VECTOR":
		return nil, "a vector, which is compared by distance"
	case "SDO_GEOMETRY":
		return nil, "a shape"
	}
	return nil, "an object type: select its attributes"
}

// precision is that of a type.
var precision = regexp.MustCompile(`\(\d+\)`)

// now matches a default that is the time of the insert.
var now = regexp.MustCompile(`(?i)^\s*(SYSDATE|SYSTIMESTAMP|CURRENT_TIMESTAMP|CURRENT_DATE|LOCALTIMESTAMP)\b`)

// columnKinds are the kinds of types, without their precision.
var columnKinds = map[string]doc.ColumnKind{
	"VARCHAR2": doc.TextColumn, "NVARCHAR2": doc.TextColumn, "CHAR": doc.TextColumn, "NCHAR": doc.TextColumn, "CLOB": doc.TextColumn, "NCLOB": doc.TextColumn,
	"NUMBER": doc.NumberColumn, "FLOAT": doc.NumberColumn, "BINARY_FLOAT": doc.NumberColumn, "BINARY_DOUBLE": doc.NumberColumn, "BOOLEAN": doc.BooleanColumn,
	"XMLTYPE": doc.TextColumn, "JSON": doc.JSONColumn,
	"DATE": doc.WallColumn, "TIMESTAMP": doc.WallColumn, zonedTime: doc.InstantColumn, localTime: doc.InstantColumn,
}

// readIndexes finds the indexes of whole columns.
func (c *catalog) readIndexes(ctx context.Context) {
	c.Each(ctx, `SELECT o.owner, o.table_name, LISTAGG(k.column_name, ',') WITHIN GROUP (ORDER BY k.column_position), o.uniqueness, NVL(MAX(p.constraint_type), 'N')
		FROM (SELECT i.table_owner AS owner, i.table_name, i.owner AS index_owner, i.index_name, i.uniqueness FROM all_indexes i WHERE i.index_type IN ('NORMAL', 'IOT - TOP') AND i.status IN ('VALID', 'N/A')) o
		JOIN all_ind_columns k ON k.index_owner = o.index_owner AND k.index_name = o.index_name
		LEFT JOIN all_constraints p ON p.owner = o.owner AND p.table_name = o.table_name AND p.index_name = o.index_name AND p.constraint_type = 'P'
		WHERE`+userOwner+` GROUP BY o.owner, o.table_name, o.index_owner, o.index_name, o.uniqueness ORDER BY o.owner, o.table_name, MAX(p.constraint_type) NULLS LAST, o.index_name`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			names := strings.Split(r.Text(0), ",")
			for i := range names {
				names[i] = shown(names[i])
			}
			primary := r.Text(2) == "P"
			stdsql.AddIndex(t, names, primary || r.Text(1) == "UNIQUE", primary)
		})
}

func (c *catalog) readReferences(ctx context.Context) {
	last := ""
	c.Each(ctx, `SELECT o.owner, o.table_name, o.constraint_name, a.column_name, u.owner, u.table_name, b.column_name, o.delete_rule
		FROM all_constraints o JOIN all_constraints u ON u.owner = o.r_owner AND u.constraint_name = o.r_constraint_name
		JOIN all_cons_columns a ON a.owner = o.owner AND a.constraint_name = o.constraint_name
		JOIN all_cons_columns b ON b.owner = u.owner AND b.constraint_name = u.constraint_name AND b.position = a.position
		WHERE o.constraint_type = 'R' AND`+userOwner+` ORDER BY o.owner, o.table_name, o.constraint_name, a.position`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			name := t.SQL + " " + r.Text(0)
			stdsql.AddReference(t, name != last, shown(r.Text(1)), c.sql(r.Text(2), r.Text(3)), shown(r.Text(4)), r.Text(5))
			last = name
		})
}

// plainName matches a stored name that needs no quotes unless it is a keyword.
var plainName = regexp.MustCompile(`^[A-Z][A-Z0-9_$#]*$`)

// sqlName returns a stored name as SQL writes it, quoted only if necessary.
func sqlName(stored string) string {
	if plainName.MatchString(stored) && !strings.Contains(keywords, " "+stored+" ") {
		return strings.ToLower(stored)
	}
	return quote(stored)
}

// keywords are the reserved words.
const keywords = " ACCESS ADD ALL ALTER AND ANY AS ASC AUDIT BETWEEN BY CHAR CHECK CLUSTER COLUMN COLUMN_VALUE COMMENT COMPRESS CONNECT CREATE CURRENT DATE DECIMAL" +
	" DEFAULT DELETE DESC DISTINCT DROP ELSE EXCLUSIVE EXISTS FILE FLOAT FOR FROM GRANT GROUP HAVING IDENTIFIED IMMEDIATE IN INCREMENT INDEX INITIAL INSERT INTEGER" +
	" INTERSECT INTO IS LEVEL LIKE LOCK LONG MAXEXTENTS MINUS MLSLABEL MODE MODIFY NESTED_TABLE_ID NOAUDIT NOCOMPRESS NOT NOWAIT NULL NUMBER OF OFFLINE ON ONLINE OPTION OR" +
	" ORDER PCTFREE PRIOR PUBLIC RAW RENAME RESOURCE REVOKE ROW ROWID ROWNUM ROWS SELECT SESSION SET SHARE SIZE SMALLINT START SUCCESSFUL SYNONYM SYSDATE TABLE THEN TO" +
	" TRIGGER UID UNION UNIQUE UPDATE USER VALIDATE VALUES VARCHAR VARCHAR2 VIEW WHENEVER WHERE WITH "
