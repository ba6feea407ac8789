package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// small is how many rows a table may have that is read whole all the time.
const small = 10_000

// plans judges how the database would answer what it will be asked.
func (l *look) plans() error {
	now, err := l.Rows.Now(l.ctx)
	if err != nil {
		return err
	}
	every := l.Conf.Incremental.Every
	var plans []doc.Plan
	_, err = l.probe("plans", func(ctx context.Context) error {
		plans, err = l.Rows.Plans(ctx, doc.Window{From: now.Add(-every), To: now}, l.oids)
		return err
	})
	seen := map[string]bool{} // by code and path: a range and a key tell the same
	for _, p := range plans {
		if p.Path == "sql" && p.Asks == doc.AsksWindow {
			l.window = p
		}
		l.judge(p, seen)
	}
	if p := l.window; p.Cost > 0 {
		l.add(windowCost, l.path+".updated", fmt.Sprintf("a window of %s costs about %.0f, and has about %s, by the planner", span(every), p.Cost, count(int64(p.Rows), "row")), nothing)
	}
	return err
}

// judge says what a plan reads that it should not.
func (l *look) judge(p doc.Plan, seen map[string]bool) {
	own, others := large(p)
	path := l.path + "." + strings.Replace(p.Path, ".sql", "", 1)
	if p.Path == "sql" {
		path = l.path
	}
	k, column := noIndexOnUpdated, ".updated"
	switch {
	case p.Asks != doc.AsksWindow && p.Path == "sql":
		k, column = noIndexOnKey, ".key"
	case p.Asks != doc.AsksWindow:
		k, column = noIndexOnChildKey, ".key"
	}
	at := path + column
	add := func(k code, what, do string) {
		if id := kinds[k].name + at; !seen[id] {
			seen[id] = true
			l.add(k, at, what, do)
		}
	}
	switch reads := l.asks(p) + " reads all " + wholes(append(own, others...)); {
	case own == nil && others == nil:
	case p.By[0].Table == "" || p.By[0].Name == "":
		add(k, reads+": "+whatBy(p)+" is no column of a table", "index what it is computed from, or select a column of one table and make the others children")
	case own == nil:
		add(joinedWhole, reads+", which it joins", "index the columns that "+tablesOf(others)+" is joined by")
	case p.Indexed:
		add(indexUnused, reads+", though an index begins with "+whatBy(p), "ANALYZE "+own[0].Table)
	default:
		add(k, reads, l.createIndex(p.By))
	}
}

// large parts the large tables that a plan reads whole: the one whose columns
// it selects by, and others.
func large(p doc.Plan) (own, others []doc.Whole) {
	for _, w := range p.Whole {
		switch {
		case w.Rows <= small:
		case w.Table == p.By[0].Table:
			own = append(own, w)
		default:
			others = append(others, w)
		}
	}
	return own, others
}

// asks says what is asked, and how often.
func (l *look) asks(p doc.Plan) string {
	of := ""
	if p.Path != "sql" {
		of = " of " + strings.TrimSuffix(p.Path, ".sql")
	}
	if p.Asks == doc.AsksWindow {
		return fmt.Sprintf("each window%s, every %s,", of, span(l.Conf.Incremental.Every))
	}
	return fmt.Sprintf("each batch of %s documents%s", grouped(int64(l.Conf.Batch)), of)
}

func whatBy(p doc.Plan) string {
	if p.Asks == doc.AsksWindow {
		return "updated"
	}
	return "the key"
}

func wholes(all []doc.Whole) string {
	var parts []string
	for _, w := range all {
		parts = append(parts, fmt.Sprintf("%s of %s", count(w.Rows, "row"), w.Table))
	}
	return strings.Join(parts, " and all ")
}

func tablesOf(all []doc.Whole) string {
	var parts []string
	for _, w := range all {
		parts = append(parts, w.Table)
	}
	return strings.Join(slices.Compact(parts), ", ")
}

// createIndex is the statement that makes the index.
func (l *look) createIndex(by []doc.Column) string {
	var columns []string
	for _, c := range by {
		columns = append(columns, c.Name)
	}
	on := fmt.Sprintf("%s (%s)", by[0].Table, strings.Join(columns, ", "))
	if l.sqlite() {
		plain := strings.NewReplacer(`"`, "", " ", "_")
		return fmt.Sprintf(`CREATE INDEX "%s_%s" ON %s`, plain.Replace(by[0].Table), plain.Replace(strings.Join(columns, "_")), on)
	}
	if by[0].Partitioned {
		return "CREATE INDEX ON " + on // of partitions there is no other way at once
	}
	return "CREATE INDEX CONCURRENTLY ON " + on
}

// sqlite reports whether the table is of a SQLite database.
func (l *look) sqlite() bool {
	return slices.ContainsFunc(l.cfg.Sources, func(s configs.Source) bool { return s.Name == l.Conf.Source && s.Driver == "sqlite" })
}
