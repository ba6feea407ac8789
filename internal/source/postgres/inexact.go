package postgres

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"indexerd/internal/source/dialect"
)

// Inexact implements dialect.Watcher. The SQLs are planned, not run.
func (*DB) Inexact(ctx context.Context, s dialect.Session, all []*dialect.Described) (string, error) {
	why, err := s.(*session).findInexact(ctx, all)
	if refused := refusal(err); refused != nil {
		return "the server does not show what the SQL reads: " + refused.Text + ": set horizon: timeout", nil
	}
	return why, err
}

func (x *session) findInexact(ctx context.Context, all []*dialect.Described) (string, error) {
	lines, err := x.plans(ctx, all)
	if err != nil {
		return "", err
	}
	var called objects
	for _, line := range lines {
		called.addCalls(line)
	}
	read, err := many[struct{ Kind, Name string }](ctx, x, repeated("inexactRelation"))
	switch {
	case err != nil:
		return "", err
	case len(read) > 0 && read[0].Kind == "f":
		return fmt.Sprintf("the SQL reads foreign table %s, whose updateTimes another server sets: set horizon: timeout", read[0].Name), nil
	case len(read) > 0:
		return fmt.Sprintf("the SQL reads materialized view %s, whose rows appear with a later REFRESH: set horizon: timeout", read[0].Name), nil
	case called.names == nil:
		return "", nil
	}
	opaque, err := many[struct{ Name, What string }](ctx, x, called.query(repeated("opaqueFunction")))
	if err != nil || len(opaque) == 0 {
		return "", err
	}
	return fmt.Sprintf("the SQL calls function %s, which may read %s: declare it IMMUTABLE if it reads no table, or set horizon: timeout", opaque[0].Name, opaque[0].What), nil
}

const identifier = `[\pL_][\pL\pN_$]*|"(?:[^"]|"")+"`

var (
	literal = regexp.MustCompile(`'(?:[^']|'')*'`)
	call    = regexp.MustCompile(`(?:(` + identifier + `)\.)?(` + identifier + `)\(`) // a name before arguments
)

// plans returns the lines of the plans of SQLs, in which every literal is empty.
func (x *session) plans(ctx context.Context, all []*dialect.Described) (lines []string, err error) {
	for _, d := range all {
		plan, err := x.rows(ctx, query{sql: "EXPLAIN (VERBOSE, COSTS OFF) " + everything(d.Wrapped)})
		if err != nil {
			return nil, err
		}
		for _, line := range plan {
			lines = append(lines, literal.ReplaceAllString(string(line[0]), "''"))
		}
	}
	return lines, nil
}

// addCalls adds the functions that a line of a plan calls: as the server prints
// them, without a schema if the search path finds the function. A function inlined
// by the planner is not included; the plan shows what it reads.
func (o *objects) addCalls(line string) {
	for _, m := range call.FindAllStringSubmatch(line, -1) {
		o.add(unquote(m[1]), unquote(m[2]))
	}
}

func unquote(identifier string) string {
	if inner, ok := strings.CutPrefix(identifier, `"`); ok {
		return strings.ReplaceAll(strings.TrimSuffix(inner, `"`), `""`, `"`)
	}
	return identifier
}
