package postgres

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
)

// countersLate is how late a session that idles after a commit reports its
// counters: 10 s, and a second for the server to do so.
const countersLate = 11 * time.Second

// Changes implements changes.Sampler. The version is a snapshot as text: it lists
// the transactions that have not ended, of all databases of the server. A rolled-back
// transaction that wrote moves it too.
func (db *DB) Changes(ctx context.Context, tables func(version string) []string) (s changes.Sample, err error) {
	x, err := db.acquire(ctx)
	if err != nil {
		return s, err
	}
	defer x.End()
	ctx, cancel := context.WithTimeoutCause(ctx, roundTripTimeout, errNoAnswer)
	defer cancel()
	row, err := one[struct {
		Now             micros
		Standby, Counts bool
		PID, Version    string
	}](ctx, x, repeated("committed"))
	if err != nil {
		return s, err
	}
	x.noticePooler(row.PID)
	s.At = row.Now.Time
	switch {
	case row.Standby:
		s.Reason = "the server is a standby, which does not count changes"
		return s, nil
	case db.pooled.Load() && !db.oneServer:
		s.Reason = "the connection leads through a connection pooler, which may have several servers"
		return s, nil
	}
	s.Version, s.Counted = row.Version, row.Counts
	if !s.Counted {
		return s, nil
	}
	s.Late = countersLate
	if ids := tables(s.Version); ids != nil {
		if s.Counters, err = x.counters(ctx, ids); err != nil {
			return s, err
		}
	}
	s.Catalog, err = x.catalog(ctx, s.Version)
	return s, err
}

func (x *session) counters(ctx context.Context, ids []string) (map[string]changes.Counts, error) {
	rows, err := many[struct {
		ID string
		changes.Counts
	}](ctx, x, repeated("counters").bind(pgtype.OIDArrayOID, arrayOf(ids)))
	counters := make(map[string]changes.Counts, len(rows))
	for _, row := range rows {
		counters[row.ID] = row.Counts
	}
	return counters, err
}

// Footprint implements dialect.Footprinter. The SQLs are planned, not run.
func (*DB) Footprint(ctx context.Context, s dialect.Session, live dialect.Statement, key []doc.Kind, all []*dialect.Described) (f doc.Footprint, err error) {
	x := s.(*session)
	plan, err := x.explain(ctx, newQuery(live))
	if err != nil {
		return f, err
	}
	var shown objects
	shown.addTables(plan, func(planNode) bool { return true })
	deciding, err := many[struct{ ID string }](ctx, x, shown.query(repeated("relationIDs")))
	if err != nil {
		return f, err
	}
	if f.Reason, err = x.findChanging(ctx, all); err != nil {
		return f, err
	}
	if f.Plain, err = x.isPlain(ctx, all); err != nil {
		return f, err
	}
	read, err := many[struct{ ID, Kind, Name string }](ctx, x, repeated("readRelations"))
	for _, r := range read {
		switch r.Kind {
		case "f":
			f.Reason = "the SQL reads foreign table " + r.Name + ", which another server changes"
		case "S":
			f.Reason = "the SQL reads sequence " + r.Name + ", which changes without a commit"
		default:
			decides := slices.Contains(deciding, struct{ ID string }{r.ID})
			f.Tables = append(f.Tables, doc.BaseTable{
				ID: r.ID, Deletes: decides,
				Updates: decides && (plan.any(planNode.filters) || !isFixed(key)), Inserts: decides && plan.any(planNode.excludes),
			})
		}
	}
	return f, err
}

// clockInPlan are expressions that a plan shows without parentheses, and samples
// of rows.
var (
	clockInPlan  = regexp.MustCompile(`\b(?:CURRENT_DATE|CURRENT_TIME|CURRENT_TIMESTAMP|LOCALTIME|LOCALTIMESTAMP|Sample Scan)\b`)
	clockLiteral = regexp.MustCompile(`(?i)'\s*(?:now|today|tomorrow|yesterday)\s*(?:'|\s\d)`)
)

// findChanging returns why the result of SQLs may change without a commit; "": it
// does not. A literal 'now' becomes a time when the statement is parsed, so a plan
// does not show it.
func (x *session) findChanging(ctx context.Context, all []*dialect.Described) (string, error) {
	for _, d := range all {
		if m := clockLiteral.FindString(d.SQL); m != "" {
			return "the SQL has " + m + ", whose value changes without a commit", nil
		}
	}
	lines, err := x.plans(ctx, all)
	if err != nil {
		return "", err
	}
	var called objects
	for _, line := range lines {
		if m := clockInPlan.FindString(line); m != "" {
			return "the SQL has " + m + ", whose value changes without a commit", nil
		}
		called.addCalls(line)
	}
	if called.names == nil {
		return "", nil
	}
	changing, err := many[struct{ Name string }](ctx, x, called.query(repeated("changingFunction")))
	if err != nil || len(changing) == 0 {
		return "", err
	}
	return "the SQL calls function " + changing[0].Name + ", whose value may change without a commit", nil
}

// isPlain reports whether a row of one table, or of one of its partitions, is all that a
// row of the result depends on. A planner leaves out joins that decide no key, so the
// whole result is planned.
func (x *session) isPlain(ctx context.Context, all []*dialect.Described) (bool, error) {
	if len(all) != 1 {
		return false, nil
	}
	plan, err := x.explain(ctx, query{sql: everything(all[0].Wrapped)})
	if err != nil || plan.any(planNode.combines) {
		return false, err
	}
	var read objects
	read.addTables(plan, func(planNode) bool { return true })
	for i, name := range read.names { // a table that is read twice may have two documents of one row
		if slices.Contains(read.names[i+1:], name) {
			return false, nil
		}
	}
	return true, nil
}

// combines reports whether the node makes a row of several ones, or of what is not in
// the table.
func (n planNode) combines() bool {
	switch n.Type {
	case "Seq Scan", "Index Scan", "Index Only Scan", "Append", "Merge Append", "Gather", "Gather Merge", "Sort", "Result":
		return n.isSubquery()
	}
	return true
}

// any reports whether a node of the plan has a property.
func (n planNode) any(has func(planNode) bool) bool {
	return has(n) || slices.ContainsFunc(n.Plans, func(child planNode) bool { return child.any(has) })
}

// filters reports whether the node returns something else than all rows of a
// table, so that an update may remove a row.
func (n planNode) filters() bool {
	switch n.Type {
	case "Seq Scan", "Index Scan", "Index Only Scan", "Append", "Merge Append", "Gather", "Gather Merge":
		return n.Filter != "" || n.Cond != "" || n.isSubquery()
	}
	return true
}

// excludes reports whether the node may return fewer rows for more.
func (n planNode) excludes() bool {
	switch n.Type {
	case "Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan", "Bitmap Index Scan", "BitmapAnd", "BitmapOr", "Append", "Merge Append",
		"Gather", "Gather Merge", "Sort", "Incremental Sort", "Hash", "Materialize", "Memoize":
		return n.isSubquery()
	case "Hash Join", "Merge Join", "Nested Loop":
		return n.Join != "Inner" && n.Join != "Semi" && (n.Join != "Left" || n.Filter != "") || n.isSubquery()
	}
	return true
}

func (n planNode) isSubquery() bool { return n.Parent == "SubPlan" || n.Parent == "InitPlan" }

// isFixed reports whether a key is one that applications do not update: one
// integer or UUID. The hourly sweep finds it if they do.
func isFixed(key []doc.Kind) bool {
	return len(key) == 1 && (key[0] == doc.Integer || key[0] == doc.UUID)
}
