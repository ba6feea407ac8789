package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/sqlsource"
)

// inexactRelationSQL returns a foreign table or a materialized view that the
// transaction has read. A transaction holds locks on what it reads until it
// ends. This includes relations behind views, partitions, and what a plan does
// not show, such as a join on the other server.
const inexactRelationSQL = `SELECT c.relkind AS kind, ` + nameOf + ` AS name
	FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation'
	AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND c.relkind IN ('f', 'm')
	ORDER BY 1, 2 LIMIT 1`

// Inexact implements sqlsource.Watcher. The SQLs are planned, not run.
func (*DB) Inexact(ctx context.Context, s sqlsource.Session, all []*sqlsource.Described) (string, error) {
	why, err := s.(*session).findInexact(ctx, all)
	if refused := refusal(err); refused != nil {
		return "the server does not show what the SQL reads: " + refused.Text + ": set horizon: timeout", nil
	}
	return why, err
}

func (x *session) findInexact(ctx context.Context, all []*sqlsource.Described) (string, error) {
	var calls calls
	for _, d := range all {
		plan, err := x.rows(ctx, query{sql: "EXPLAIN (VERBOSE, COSTS OFF) " + everything(d.Wrapped)})
		if err != nil {
			return "", err
		}
		calls.addPlan(plan)
	}
	read, err := many[struct{ Kind, Name string }](ctx, x, query{sql: inexactRelationSQL})
	switch {
	case err != nil:
		return "", err
	case len(read) == 0:
		return x.opaqueFunction(ctx, calls)
	case read[0].Kind == "f":
		return fmt.Sprintf("the SQL reads foreign table %s, whose updateTimes another server sets: set horizon: timeout", read[0].Name), nil
	}
	return fmt.Sprintf("the SQL reads materialized view %s, whose rows appear with a later REFRESH: set horizon: timeout", read[0].Name), nil
}

// calls are the functions that plans call, by schema and name as the server
// prints them: without a schema if the search path finds the function. A
// function inlined by the planner is not included; the plan shows what it
// reads.
type calls struct{ schemas, names []string }

// literal is a string of a plan; call is a name before arguments, with or
// without schema.
var (
	literal = regexp.MustCompile(`'(?:[^']|'')*'`)
	call    = regexp.MustCompile(`(?:(` + identifier + `)\.)?(` + identifier + `)\(`)
)

const identifier = `[\pL_][\pL\pN_$]*|"(?:[^"]|"")+"`

// addPlan adds the functions of a plan, given as rows of text.
func (c *calls) addPlan(plan [][][]byte) {
	for _, line := range plan {
		for _, m := range call.FindAllStringSubmatch(literal.ReplaceAllString(string(line[0]), "''"), -1) {
			c.add(unquote(m[1]), unquote(m[2]))
		}
	}
}

func (c *calls) add(schema, name string) {
	for i := range c.names {
		if c.names[i] == name && c.schemas[i] == schema {
			return
		}
	}
	c.schemas, c.names = append(c.schemas, schema), append(c.names, name)
}

func unquote(identifier string) string {
	if inner, ok := strings.CutPrefix(identifier, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return identifier
}

// opaqueFunctionSQL returns a called function that may read any table, and what
// it may read that no transaction of this server stamps.
//
// An IMMUTABLE function reads no table; the server relies on that too.
// Functions of extensions are trusted, except those in sqlRunningExtensions. An
// aggregate is its functions. Of the server's own functions only those that run
// SQL given as text count.
//
// The result is empty if the database has nothing of the kind: no foreign
// table, no materialized view, no function that leaves the database.
const opaqueFunctionSQL = `WITH called AS (
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
			ELSE p.prokind <> 'a' AND p.provolatile <> 'i' AND (e.extname IS NULL OR e.extname IN ` + sqlRunningExtensions + `) END)
	SELECT CASE WHEN pg_function_is_visible(o.oid) THEN '' ELSE quote_ident(o.nspname) || '.' END || quote_ident(o.proname) AS name, far.what
	FROM opaque o CROSS JOIN LATERAL (
		(SELECT CASE c.relkind WHEN 'f' THEN 'foreign table ' ELSE 'materialized view ' END || ` + nameOf + ` AS what
			FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('f', 'm') ORDER BY c.relkind, 1 LIMIT 1)
		UNION ALL (SELECT 'another server, by extension ' || extname FROM pg_catalog.pg_extension WHERE extname = 'dblink')
		UNION ALL (SELECT 'anything, by function ' || p.oid::regproc FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
			LEFT JOIN extended e ON e.objid = p.oid
			WHERE p.oid >= 16384 AND NOT l.lanpltrusted AND e.objid IS NULL AND p.provolatile <> 'i' ORDER BY p.oid LIMIT 1)
		LIMIT 1) far
	ORDER BY 1 LIMIT 1`

// sqlRunningExtensions are the extensions whose functions run SQL given as text
// or ask other servers.
const sqlRunningExtensions = "('dblink', 'tablefunc', 'xml2')"

// opaqueFunction returns why no horizon is exact for rows that functions may
// have read; "": it may be.
func (x *session) opaqueFunction(ctx context.Context, c calls) (string, error) {
	if len(c.names) == 0 {
		return "", nil
	}
	q := query{sql: opaqueFunctionSQL}
	q.bind(pgtype.TextArrayOID, arrayOf(c.schemas))
	q.bind(pgtype.TextArrayOID, arrayOf(c.names))
	found, err := many[struct{ Name, What string }](ctx, x, q)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return fmt.Sprintf("the SQL calls function %s, which may read %s: declare it IMMUTABLE if it reads no table, or set horizon: timeout", found[0].Name, found[0].What), nil
}
