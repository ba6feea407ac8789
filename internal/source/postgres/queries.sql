-- The queries of the system catalog and of the server's state. Every role may run
-- them. A section is ":name", then what it is, then the statement. A name in
-- braces stands for the statement or part of one that an earlier section has. The
-- columns of a result have the names of the fields that hold them.

-- :clock
-- Times are microseconds since 1970, which no session setting changes.
(extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- :schema
CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname END

-- :name
CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname)

-- :database
(SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())

-- :maintains
-- A trigger may set a column if it runs before the UPDATE of each row.
NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND g.tgtype & 19 = 19

-- :maintained
-- Whether a trigger maintains a column: it names the column in its text or, like
-- moddatetime, in its arguments.
EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_proc p ON p.oid = g.tgfoid
			WHERE g.tgrelid = a.attrelid AND {maintains}
				AND (p.prosrc ~* ('\mnew\."?' || regexp_replace(a.attname, '\W', '.', 'g') || '\M') OR encode(g.tgargs, 'escape') LIKE a.attname || '\\000%'))

-- :open
-- The first SELECT of a transaction, so it takes the snapshot. For this
-- transaction it sets what the text form of a value depends on. It returns the
-- search path, the server's version and clock, and the identity of the transaction
-- in pg_stat_activity. An empty $1 keeps the session's search path.
--
-- A database without an encoding (SQL_ASCII) would fail a whole query for one text
-- that is not UTF-8. Without conversion its bytes arrive unchanged, and only the
-- row is rejected.
SELECT
	set_config('search_path', coalesce(nullif($1, ''), current_setting('search_path')), true),
	current_setting('server_version_num')::int / 10000,
	{clock},
	pg_backend_pid(), (extract(epoch FROM now()) * 1000000)::bigint,
	set_config('client_encoding', CASE current_setting('server_encoding') WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' END, true),
	set_config('DateStyle', 'ISO, MDY', true),
	set_config('TimeZone', 'UTC', true),
	set_config('IntervalStyle', 'postgres', true),
	set_config('extra_float_digits', '1', true),
	set_config('bytea_output', 'hex', true),
	set_config('lc_monetary', 'C', true),
	set_config('statement_timeout', $2, true),
	set_config('lock_timeout', $3, true),
	set_config('idle_in_transaction_session_timeout', $2, true)

-- :moment
SELECT {clock} AS now, pg_is_in_recovery() AS standby

-- :types
-- A type is an array if its element type has it as typarray: oidvector has
-- elements too, but another text form. Arrays of box have another delimiter.
SELECT t.oid::bigint, format_type(t.oid, NULL) AS name, t.typarray::bigint AS array, coalesce(nullif(e.typbasetype, 0), e.oid, 0)::bigint AS element, t.typtype = 'e' AS enum
	FROM pg_catalog.pg_type t
	LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND e.typdelim = ','
	WHERE t.oid = ANY ($1)

-- :server
-- Timeouts are in milliseconds. A transaction has its own; reset_val is the role's.
SELECT 'PostgreSQL ' || current_setting('server_version') AS version, quote_ident(current_user) AS role,
	(SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS superuser,
	pg_has_role('pg_read_all_stats', 'usage') AS sees,
	coalesce((SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout'), '0')::bigint AS life,
	(SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'idle_in_transaction_session_timeout')::bigint AS idle,
	{clock} AS now

-- :shown
SELECT ('epoch'::timestamptz + us * interval '1 us') AT TIME ZONE $2 FROM unnest($1::bigint[]) WITH ORDINALITY k(us, n) ORDER BY n

-- :tables
-- The names of tables, with schema if the search path does not find them. A
-- partition has the name of its root table.
SELECT DISTINCT CASE WHEN pg_table_is_visible(root.oid) THEN '' ELSE quote_ident(s.nspname) || '.' END || quote_ident(root.relname) AS name, root.oid::bigint
	FROM unnest($1, $2) AS named(schema, name)
	JOIN pg_catalog.pg_namespace n ON n.nspname = named.schema
	JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = named.name
	JOIN pg_catalog.pg_class root ON root.oid = coalesce(pg_partition_root(c.oid), c.oid)
	JOIN pg_catalog.pg_namespace s ON s.oid = root.relnamespace

-- :estimate
-- Estimates the number of rows of tables as the planner does: the last count,
-- scaled by the growth of the file.
sum(CASE WHEN c.relpages > 0 AND c.reltuples >= 0
		THEN c.reltuples / c.relpages * (pg_relation_size(c.oid) / current_setting('block_size')::int)
		ELSE pg_relation_size(c.oid) / 100 END)::bigint AS "Rows"

-- :sizes
SELECT name AS "Table", {estimate}
	FROM ({tables}) r (name, oid) JOIN pg_catalog.pg_class c ON coalesce(pg_partition_root(c.oid), c.oid) = r.oid::oid
	GROUP BY name ORDER BY name

-- :writable
SELECT name FROM ({tables}) r WHERE has_table_privilege(oid::oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY 1

-- :columns
-- The columns of tables that can have an index.
SELECT k.n, {name} AS "Table", quote_ident(a.attname) AS "Name",
	EXISTS (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid AND {maintains}) AS "Maintained",
	c.relkind = 'p' AS "Partitioned"
	FROM unnest($1::oid[], $2::int2[]) WITH ORDINALITY k(rel, att, n)
	JOIN pg_catalog.pg_class c ON c.oid = k.rel AND c.relkind IN ('r', 'p', 'm') JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.att

-- :maintainedColumn
SELECT {maintained} AS "Yes" FROM pg_catalog.pg_attribute a WHERE a.attrelid = ALL ($1::oid[]) AND a.attnum = ALL ($2::int2[])

-- :indexed
-- Whether an index of the whole table begins with columns of one table. The
-- subscripts of indkey start at 0.
SELECT EXISTS (SELECT FROM pg_catalog.pg_index i
	WHERE i.indrelid = ALL ($1::oid[]) AND i.indisvalid AND i.indpred IS NULL
	AND array_to_string((i.indkey::int2[])[0:cardinality($2::int2[]) - 1], ',') = array_to_string($2::int2[], ',')) AS yes

-- :standby
-- Functions that fail on a primary are not called there, so that a promotion
-- between two statements is no error.
SELECT (extract(epoch FROM pg_last_xact_replay_timestamp()) * 1000000)::bigint AS replayed,
	CASE WHEN pg_last_xact_replay_timestamp() IS NULL THEN (SELECT (extract(epoch FROM checkpoint_time) * 1000000)::bigint FROM pg_catalog.pg_control_checkpoint()) END AS restart,
	CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() END AS paused,
	w.pid IS NOT NULL AS connected, w.status IS NOT NULL AS visible,
	(extract(epoch FROM w.last_msg_send_time) * 1000000)::bigint AS sent, (extract(epoch FROM w.last_msg_receipt_time) * 1000000)::bigint AS received,
	w.latest_end_lsn <= pg_last_wal_replay_lsn() AS complete,
	(extract(epoch FROM current_setting('wal_receiver_timeout')::interval) * 1000000)::bigint AS timeout
	FROM (SELECT) one LEFT JOIN pg_catalog.pg_stat_wal_receiver w ON true

-- :behind
-- How far a standby is behind: what it has received, and the end of its primary's
-- log. A role without the privilege for the receiver's status sees only that there
-- is one.
SELECT pg_is_in_recovery() AS standby,
	CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() END AS paused,
	CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), (SELECT min(latest_end_lsn) FROM pg_catalog.pg_stat_wal_receiver)) END AS received,
	(SELECT min(coalesce(status, 'streaming')) FROM pg_catalog.pg_stat_wal_receiver) AS status,
	{clock} AS now

-- :replayed
SELECT $1::pg_lsn <= pg_last_wal_replay_lsn() AS done

-- :identity
-- The write-ahead log's timeline is part of the identity: it changes with a
-- failover or a restore.
concat_ws('/', (SELECT system_identifier FROM pg_catalog.pg_control_system()),
		CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END,
		(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint)

-- :serverState
-- Whether transactions can be prepared changes only when the server starts.
SELECT
	{identity} AS identity,
	pg_is_in_recovery() AS standby,
	(SELECT min(subname) FROM pg_catalog.pg_subscription WHERE subdbid = {database}) AS subscription,
	pg_has_role('pg_read_all_stats', 'usage') AS seesall,
	current_setting('max_prepared_transactions') <> '0' AS canprepare,
	pg_backend_pid()::text AS pid

-- :sample
-- The sessions with a transaction, those that may be between two transactions of
-- one message, and those that hide their state, which may have no transaction. A
-- transaction holds its virtual transaction id from before its start is visible
-- until after its rows are.
--
-- Left out are this session, the transactions that are open here, sessions that are
-- idle because their transaction ended or had not begun during the query, other
-- databases, autovacuum (which has no user), parallel workers (their leader is
-- included) and streaming replication (one endless statement that writes no row).
--
-- A session with hidden state waits for its client if it has no snapshot and no
-- transaction id and waits for no lock; every role sees that. The clock of ahead is
-- read after the sessions, so a start is later only if the clock was set back.
--
-- pg_stat_get_activity is the function below the view pg_stat_activity. It hides
-- the same from the same roles; the view's joins cost twice as much again. Its
-- columns have these names in all versions since 12.
SELECT coalesce(l.pid, a.pid) AS pid, l.vxid AS id,
	CASE WHEN l.vxid IS NULL OR a.xact_start IS NOT NULL THEN
		(extract(epoch FROM least(a.xact_start, CASE WHEN a.state IN ('active', 'fastpath function call') THEN a.query_start END)) * 1000000)::bigint END AS began,
	CASE WHEN a.state <> 'disabled' THEN a.state LIKE 'idle in transaction%'
		ELSE l.vxid IS NOT NULL AND a.pid IS NOT NULL AND a.backend_xid IS NULL AND a.backend_xmin IS NULL AND l.granted END AS waiting,
	pg_get_userbyid(a.usesysid) AS user, a.application_name AS application,
	(extract(epoch FROM a.xact_start - clock_timestamp()) * 1000000)::bigint AS ahead,
	a.state = 'disabled' AS silent
	FROM (SELECT pid, max(virtualxid) FILTER (WHERE locktype = 'virtualxid' AND mode = 'ExclusiveLock' AND granted) AS vxid, bool_and(granted) AS granted
		FROM pg_catalog.pg_locks WHERE pid <> pg_backend_pid() GROUP BY pid) l
	FULL JOIN pg_catalog.pg_stat_get_activity(NULL) a ON a.pid = l.pid
	WHERE (l.vxid IS NOT NULL OR a.xact_start IS NOT NULL OR a.state IN ('active', 'fastpath function call', 'disabled'))
	AND a.pid IS DISTINCT FROM pg_backend_pid() AND a.state IS DISTINCT FROM 'idle'
	AND (a.pid IS NULL OR a.datid = {database} AND a.usesysid IS NOT NULL)
	AND (a.backend_type = 'parallel worker' OR a.backend_type = 'walsender' AND a.query ILIKE 'START_REPLICATION%') IS NOT TRUE
	AND NOT EXISTS (SELECT FROM unnest($1::int[], $2::bigint[]) own(pid, start)
		WHERE own.pid = a.pid AND own.start = (extract(epoch FROM a.xact_start) * 1000000)::bigint)

-- :now
SELECT {clock} AS now

-- :prepared
SELECT concat_ws('/', transaction, extract(epoch FROM prepared), gid) AS id, gid AS name, owner AS user, (extract(epoch FROM prepared) * 1000000)::bigint AS at
	FROM pg_catalog.pg_prepared_xacts WHERE database = current_database()

-- :version
-- The completed transactions. Snapshots with the same ones see the same rows, since
-- every writer has a transaction id.
SELECT txid_current_snapshot() AS version

-- :described
-- What decides which tables and functions an SQL reads, and which policies it obeys. A
-- changed row has another xmin. Temporary tables are of other sessions.
SELECT concat_ws(' ',
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_class WHERE relpersistence <> 't'),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_rewrite),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_inherits),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_policy),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_operator),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_cast),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_auth_members),
	(SELECT concat(rolsuper, rolbypassrls) FROM pg_catalog.pg_roles WHERE rolname = current_user),
	(SELECT sum(xmin::text::bigint) || ' ' || count(*) FROM pg_catalog.pg_proc)) AS catalog

-- :committed
-- now() is the time of the statement's arrival, before its snapshot. Before version
-- 15, a session that idles after a commit does not report its counters.
SELECT (extract(epoch FROM now()) * 1000000)::bigint AS now, pg_is_in_recovery() AS standby, pg_backend_pid()::text AS pid,
	{identity} || ' ' || ({version}) AS version,
	current_setting('track_counts') = 'on' AND current_setting('server_version_num')::int >= 150000 AS counts

-- :counters
-- Of each table. A TRUNCATE changes the file of a table, and not its counters.
SELECT k::text AS id, pg_stat_get_tuples_inserted(k) AS inserted, pg_stat_get_tuples_updated(k) AS updated, pg_stat_get_tuples_deleted(k) AS deleted,
		concat_ws('/', pg_relation_filenode(k), pg_stat_get_db_stat_reset_time({database})) AS storage
	FROM unnest($1::oid[]) k

-- :readRelations
-- The relations of users that the transaction has read, as inexactRelation.
SELECT c.oid::text AS id, c.relkind AS kind, {name} AS name
	FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.database = {database} AND c.oid >= 16384 AND c.relkind IN ('f', 'm', 'r', 'S')
	ORDER BY c.oid

-- :relationIDs
SELECT c.oid::text AS id FROM unnest($1, $2) AS named(schema, name)
	JOIN pg_catalog.pg_namespace n ON n.nspname = named.schema
	JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = named.name

-- :changingFunction
-- A called function whose result may change without a commit: one of the server's
-- own that is VOLATILE or reads the clock, a setting or the server's state, or one
-- of the user's that is not IMMUTABLE, as it can't be looked into. STABLE functions
-- of extensions are trusted as in opaqueFunction. Others of the server's own depend
-- on settings that each transaction sets.
SELECT CASE WHEN pg_function_is_visible(p.oid) THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(p.proname) AS name
	FROM unnest($1::text[], $2::text[]) named(schema, name)
	JOIN pg_catalog.pg_proc p ON p.proname = named.name JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
	LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
	WHERE CASE named.schema WHEN '' THEN pg_function_is_visible(p.oid) ELSE n.nspname = named.schema END
	AND CASE WHEN p.oid < 16384 THEN p.provolatile = 'v' OR p.provolatile = 's' AND p.proname
			~ '^(now|transaction_timestamp|statement_timestamp|age|current_.*|inet_.*|pg_.*|txid_.*|has_.*|(query|table|cursor|schema|database)_to_xml.*|ts_stat|currtid.*)$'
		WHEN e.extname IN ('dblink', 'tablefunc', 'xml2') THEN p.provolatile <> 'i'
		WHEN e.extname IS NOT NULL THEN p.provolatile = 'v'
		ELSE p.provolatile <> 'i' AND p.prokind <> 'a' END
	ORDER BY 1 LIMIT 1

-- :statementTimestamp
-- A user's function or column default that uses statement_timestamp(), whose OID is
-- fixed. In a procedure that commits, it is earlier than the transaction.
SELECT 'function ' || oid::regproc AS what FROM pg_catalog.pg_proc WHERE oid >= 16384 AND prosrc ILIKE '%statement_timestamp%'
	UNION ALL SELECT 'the default of a column of ' || adrelid::regclass FROM pg_catalog.pg_attrdef WHERE adbin::text LIKE '%:funcid 2648 %'
	LIMIT 1

-- :inexactRelation
-- A foreign table or a materialized view that the transaction has read. A
-- transaction holds locks on what it reads until it ends. This includes relations
-- behind views, partitions, and what a plan does not show, such as a join on the
-- other server.
SELECT c.relkind AS kind, {name} AS name
	FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation' AND l.database = {database} AND c.relkind IN ('f', 'm')
	ORDER BY 1, 2 LIMIT 1

-- :opaqueFunction
-- A called function that may read any table, and what it may read that no
-- transaction of this server stamps.
--
-- An IMMUTABLE function reads no table; the server relies on that too. Functions of
-- extensions are trusted, except of those that run SQL given as text or ask other
-- servers. An aggregate is its functions. Of the server's own functions only those
-- that run SQL given as text count.
--
-- The result is empty if the database has nothing of the kind: no foreign table, no
-- materialized view, no function that leaves the database.
WITH called AS (
		SELECT DISTINCT p.oid, n.nspname, p.proname FROM unnest($1::text[], $2::text[]) named(schema, name)
		JOIN pg_catalog.pg_proc p ON p.proname = named.name JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
		WHERE CASE named.schema WHEN '' THEN pg_function_is_visible(p.oid) ELSE n.nspname = named.schema END),
	run AS (
		SELECT oid FROM called
		UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn, aggdeserialfn, aggmtransfn, aggminvtransfn, aggmfinalfn]::oid[])
		FROM pg_catalog.pg_aggregate a JOIN called ON a.aggfnoid = called.oid),
	extended AS (SELECT d.objid, e.extname FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
		WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'),
	opaque AS (
		SELECT p.oid, p.proname, n.nspname FROM run JOIN pg_catalog.pg_proc p ON p.oid = run.oid
		JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace LEFT JOIN extended e ON e.objid = p.oid
		WHERE CASE WHEN p.oid < 16384 THEN p.proname ~ '^(query|table|cursor|schema|database)_to_xml' OR p.proname = 'ts_stat'
			ELSE p.prokind <> 'a' AND p.provolatile <> 'i' AND (e.extname IS NULL OR e.extname IN ('dblink', 'tablefunc', 'xml2')) END)
	SELECT CASE WHEN pg_function_is_visible(o.oid) THEN '' ELSE quote_ident(o.nspname) || '.' END || quote_ident(o.proname) AS name, far.what
	FROM opaque o CROSS JOIN LATERAL (
		(SELECT CASE c.relkind WHEN 'f' THEN 'foreign table ' ELSE 'materialized view ' END || {name} AS what
			FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('f', 'm') ORDER BY c.relkind, 1 LIMIT 1)
		UNION ALL (SELECT 'another server, by extension ' || extname FROM pg_catalog.pg_extension WHERE extname = 'dblink')
		UNION ALL (SELECT 'anything, by function ' || p.oid::regproc FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
			LEFT JOIN extended e ON e.objid = p.oid
			WHERE p.oid >= 16384 AND NOT l.lanpltrusted AND e.objid IS NULL AND p.provolatile <> 'i' ORDER BY p.oid LIMIT 1)
		LIMIT 1) far
	ORDER BY 1 LIMIT 1

-- :catalogName
-- The zone is the session's at its start: transactions set another one.
SELECT current_database() AS name, coalesce((SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone'), '') AS zone

-- :fromUsers
-- The relations made by users: not those of the system, of other sessions or of
-- extensions.
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp_)'
	AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend e
		WHERE e.classid = 'pg_catalog.pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')

-- :catalogColumns
-- A row for each column of a table, without those of partitions and inheriting
-- tables, whose rows the parent shows. A domain counts as its base type.
WITH RECURSIVE base(oid, typ, mod) AS (
		SELECT t.oid, t.oid, -1 FROM pg_catalog.pg_type t
		UNION ALL
		SELECT b.oid, t.typbasetype, t.typtypmod FROM base b JOIN pg_catalog.pg_type t ON t.oid = b.typ WHERE t.typtype = 'd'),
	ranges(typ, subtype) AS (
		SELECT rngtypid, rngsubtype FROM pg_catalog.pg_range
		UNION ALL -- multiranges, which releases before 14 do not have
		SELECT (to_jsonb(r) ->> 'rngmultitypid')::oid, r.rngsubtype FROM pg_catalog.pg_range r)
	SELECT c.oid::bigint AS "Table", {schema} AS "Schema", c.relname AS "Relation", {name} AS "SQL",
		NOT has_any_column_privilege(c.oid, 'SELECT') AS "Denied",
		a.attname AS "Name", quote_ident(a.attname) AS "Quoted", format_type(a.atttypid, a.atttypmod) AS "Type",
		t.oid::bigint AS "Base", t.typname AS "BaseName", t.typcategory AS "Category", t.typtype AS "Class",
		coalesce(et.oid, 0)::bigint AS "Element", coalesce(et.typname, '') AS "ElementName", coalesce(et.typcategory, '') AS "ElementCategory", coalesce(et.typtype, '') AS "ElementClass",
		coalesce((SELECT r.subtype FROM ranges r WHERE r.typ = t.oid), 0)::bigint AS "Subtype",
		CASE WHEN b.mod >= 0 THEN b.mod ELSE a.atttypmod END AS "Mod", a.attnotnull AS "NotNull",
		coalesce(pg_get_expr(d.adbin, d.adrelid) ~* '\mnow\(|current_timestamp|localtimestamp|current_date|clock_timestamp|statement_timestamp|transaction_timestamp', false) AS "Now",
		{maintained} AS "Maintained"
	{fromUsers}
	JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	JOIN base b ON b.oid = a.atttypid
	JOIN pg_catalog.pg_type t ON t.oid = b.typ AND t.typtype <> 'd'
	LEFT JOIN pg_catalog.pg_type e ON e.oid = t.typelem AND e.typarray = t.oid AND e.typdelim = ','
	LEFT JOIN pg_catalog.pg_type et ON et.oid = coalesce(nullif(e.typbasetype, 0), e.oid)
	LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum AND a.attgenerated = ''
	WHERE c.relkind IN ('r', 'p', 'f') AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
	ORDER BY n.nspname <> 'public', n.nspname, c.relname, a.attnum

-- :catalogSizes
SELECT coalesce(pg_partition_root(c.oid), c.oid)::bigint AS "Table", {estimate} {fromUsers} WHERE c.relkind IN ('r', 'm') GROUP BY 1

-- :catalogIndexes
-- A row for each index that covers the whole table and begins with a column. The
-- index is a key if its rows are unique and never NULL.
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
	ORDER BY NOT i.indisprimary, array_length(i.indkey::int2[], 1), x.relname

-- :catalogReferences
-- A row for each foreign key, without those of partitions, which are their
-- parent's.
SELECT f.conrelid::bigint AS "Table", {name} AS "To", f.confdeltype = 'c' AS "Cascades",
		(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(f.conkey) WITH ORDINALITY k(attnum, n)
			JOIN pg_catalog.pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = k.attnum) AS "Columns",
		(SELECT json_agg(a.attname ORDER BY k.n) FROM unnest(f.confkey) WITH ORDINALITY k(attnum, n)
			JOIN pg_catalog.pg_attribute a ON a.attrelid = f.confrelid AND a.attnum = k.attnum) AS "OtherColumns"
	FROM pg_catalog.pg_constraint f JOIN pg_catalog.pg_class c ON c.oid = f.confrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE f.contype = 'f' AND f.conparentid = 0
	ORDER BY f.conrelid, f.conkey, f.conname

-- :catalogViews
SELECT {name} AS "SQL" {fromUsers} WHERE c.relkind IN ('v', 'm') ORDER BY n.nspname <> 'public', 1
