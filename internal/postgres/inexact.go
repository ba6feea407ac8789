package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/sqlsource"
)

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
	read, err := many[struct{ Kind, Name string }](ctx, x, stored("inexactRelation"))
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

// opaqueFunction returns why no horizon is exact for rows that functions may
// have read; "": it may be.
func (x *session) opaqueFunction(ctx context.Context, c calls) (string, error) {
	if len(c.names) == 0 {
		return "", nil
	}
	q := stored("opaqueFunction").bind(pgtype.TextArrayOID, arrayOf(c.schemas)).bind(pgtype.TextArrayOID, arrayOf(c.names))
	found, err := many[struct{ Name, What string }](ctx, x, q)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return fmt.Sprintf("the SQL calls function %s, which may read %s: declare it IMMUTABLE if it reads no table, or set horizon: timeout", found[0].Name, found[0].What), nil
}
