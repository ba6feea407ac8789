package pgsource

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// calls are the functions that plans call, by schema and name, as the server
// prints them: without a schema where the search path finds the function. A
// function in SQL that the planner has put into the query is none: what it reads
// is in the plan itself.
type calls struct{ schemas, names []string }

// literal is a string of a plan; call is a name, with its schema or without, in
// front of arguments.
var (
	literal = regexp.MustCompile(`'(?:[^']|'')*'`)
	call    = regexp.MustCompile(`(?:(` + identifier + `)\.)?(` + identifier + `)\(`)
)

const identifier = `[\pL_][\pL\pN_$]*|"(?:[^"]|"")+"`

// of adds those of a plan, given as rows of text.
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

// unquote is an identifier as the catalog has it.
func unquote(identifier string) string {
	if inner, ok := strings.CutPrefix(identifier, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return identifier
}

// opaqueSQL names a function among those called that may read any table, and what
// it may read that no transaction here stamps.
//
// A function that is IMMUTABLE reads no table: the server takes its word for it
// too. Those of extensions are believed, but for the extensions that run SQL or
// ask other servers. An aggregate is what its functions are. Of the server's own
// functions only those that run an SQL given as text are asked about.
//
// A function reads nothing from elsewhere where nothing is: no foreign table, no
// materialized view, no function that leaves the database.
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
	SELECT CASE WHEN pg_function_is_visible(o.oid) THEN '' ELSE quote_ident(o.nspname) || '.' END || quote_ident(o.proname), far.what
	FROM opaque o CROSS JOIN LATERAL (
		(SELECT CASE c.relkind WHEN 'f' THEN 'foreign table ' ELSE 'materialized view ' END || ` + nameOf + ` AS what
			FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('f', 'm') ORDER BY c.relkind, 1 LIMIT 1)
		UNION ALL (SELECT 'another server, by extension ' || extname FROM pg_catalog.pg_extension WHERE extname = 'dblink')
		UNION ALL (SELECT 'anything, by function ' || p.oid::regproc FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang
			LEFT JOIN extended e ON e.objid = p.oid
			WHERE p.oid >= 16384 AND NOT l.lanpltrusted AND e.objid IS NULL AND p.provolatile <> 'i' ORDER BY p.oid LIMIT 1)
		LIMIT 1) far
	ORDER BY 1 LIMIT 1`

// reaching are the extensions whose functions run an SQL given as text, or ask
// other servers.
const sqlRunningExtensions = "('dblink', 'tablefunc', 'xml2')"

// opaque says why no horizon can speak of rows that functions may have read;
// "" if one can.
func (x *tx) opaqueFunction(ctx context.Context, c calls) (string, error) {
	if len(c.names) == 0 {
		return "", nil
	}
	q := query{sql: opaqueFunctionSQL}
	q.bind(pgtype.TextArrayOID, arrayLiteral(c.schemas))
	q.bind(pgtype.TextArrayOID, arrayLiteral(c.names))
	rows, err := x.all(ctx, q)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return fmt.Sprintf("the SQL calls function %s, which can't be looked into and may read %s: declare it IMMUTABLE if it reads no table, or set horizon: timeout", rows[0][0], rows[0][1]), nil
}
