package postgres

// Queries of the catalog. Their columns have the names of the row types' fields.
// Every role may run them.

// catalogName also returns the session's initial time zone; transactions of
// this package set another one.
const catalogName = `SELECT current_database() AS "Name",
	coalesce((SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone'), '') AS "Zone"`

// fromUsers joins the relations made by users: not those of the system, of
// other sessions or of extensions.
const fromUsers = ` FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp_)'
	AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
		WHERE e.classid = 'pg_catalog.pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')`

// isTable excludes partitions and inheriting tables, whose rows the parent
// shows.
const isTable = ` c.relkind IN ('r', 'p', 'f') AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)`

const schemaOf = `CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname END`

const nameOf = `CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname)`

// catalogColumns has a row for each column. A domain counts as its base type. A
// trigger maintains a column if it runs before the UPDATE of each row and names
// the column in its text or, like moddatetime, in its arguments.
const catalogColumns = `
	WITH RECURSIVE base(oid, typ, mod) AS (
		SELECT t.oid, t.oid, -1 FROM pg_catalog.pg_type t
		UNION ALL
		SELECT b.oid, t.typbasetype, t.typtypmod FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.typ WHERE t.typtype = 'd')
	SELECT c.oid::bigint AS "Table", ` + schemaOf + ` AS "Schema", c.relname AS "Relation", ` + nameOf + ` AS "SQL",
		NOT has_table_privilege(c.oid, 'SELECT') AS "Denied",
		a.attname AS "Name", quote_ident(a.attname) AS "Quoted", format_type(a.atttypid, a.atttypmod) AS "Type",
		t.oid::bigint AS "Base", t.typname AS "BaseName", t.typcategory AS "Category",
		CASE WHEN b.mod >= 0 THEN b.mod ELSE a.atttypmod END AS "Mod", a.attnotnull AS "NotNull",
		coalesce(pg_get_expr(d.adbin, d.adrelid) ~* '\mnow\(|current_timestamp|localtimestamp|current_date|clock_timestamp|statement_timestamp|transaction_timestamp', false) AS "Now",
		EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
			WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND g.tgtype & 19 = 19
				AND (p.prosrc ~* ('\mnew\."?' || regexp_replace(a.attname, '\W', '.', 'g') || '\M') OR encode(g.tgargs, 'escape') LIKE a.attname || '\\000%')) AS "Maintained"
	` + fromUsers + `
	JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	JOIN base b ON b.oid = a.atttypid
	JOIN pg_catalog.pg_type t ON t.oid = b.typ AND t.typtype <> 'd'
	LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum AND a.attgenerated = ''
	WHERE` + isTable + `
	ORDER BY n.nspname <> 'public', n.nspname, c.relname, a.attnum`

// catalogIndexes has a row for each index that covers the whole table and
// begins with a column. The index is a key if its rows are unique and never
// NULL.
const catalogIndexes = `
	SELECT i.indrelid::bigint AS "Table", i.indisprimary AS "Primary", of.columns AS "Columns",
		i.indisunique AND i.indimmediate AND of.whole AS "Key"
	FROM pg_catalog.pg_index i
	JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid
	JOIN pg_catalog.pg_am m ON m.oid = x.relam AND m.amname = 'btree'
	CROSS JOIN LATERAL (
		SELECT json_agg(a.attname ORDER BY k.n) FILTER (WHERE a.attname IS NOT NULL) AS columns, bool_and(coalesce(a.attnotnull, false)) AS whole
		FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(attnum, n)
		LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
		WHERE k.n <= i.indnkeyatts) of
	WHERE i.indisvalid AND i.indpred IS NULL AND i.indkey[0] > 0
	ORDER BY NOT i.indisprimary, array_length(i.indkey::int2[], 1), x.relname`

// catalogReferences has a row for each foreign key, without those of
// partitions, which are their parent's.
const catalogReferences = `
	SELECT f.conrelid::bigint AS "Table", ` + nameOf + ` AS "To",
		(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(f.conkey) WITH ORDINALITY k(attnum, n)
			JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum) AS "Columns",
		(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(f.confkey) WITH ORDINALITY k(attnum, n)
			JOIN pg_catalog.pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum) AS "OtherColumns"
	FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class c ON c.oid = f.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE f.contype = 'f' AND f.conparentid = 0
	ORDER BY f.conrelid, f.conkey, f.conname`

const catalogViews = `SELECT ` + nameOf + ` AS "SQL"` + fromUsers + ` WHERE c.relkind IN ('v', 'm') ORDER BY n.nspname <> 'public', 1`
