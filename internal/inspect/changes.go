package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// A further SQL belongs to the document beside the main one.
type further struct{ name, path, sql, updated string }

func furtherOf(t configs.Table) (all []further) {
	for _, c := range t.Children {
		all = append(all, further{c.Name, "children." + c.Name, c.SQL, c.Updated})
	}
	for _, x := range t.Extra {
		all = append(all, further{x.Name, "extra." + x.Name, x.SQL, x.Updated})
	}
	return all
}

// changes says of each SQL what finds its changes: an updateTime within a
// second, or the sweep, which compares everything.
func (l *look) changes() error {
	relations, err := l.Rows.Relations(l.ctx)
	if err != nil {
		return err
	}
	t := l.Conf
	sweep := "the sweep, every " + span(t.DeleteCheck.Every)
	l.add(changesFound, l.path+".updated", fmt.Sprintf(
		"changes that move %s are found every %s, deleted rows %s%s", t.Updated, span(t.Incremental.Every), removals(t, sweep), exits(t)), nothing)
	l.joined(l.path+".sql", "sql", t.Updated, sweep, relations)
	for _, f := range furtherOf(t) {
		at := l.path + "." + f.path
		if f.updated == "" {
			l.add(childWithoutUpdated, at,
				fmt.Sprintf("changes of %s are found by its token alone, in %s and in verify", f.name, sweep), "name the column that says when its rows last changed in updated")
			continue
		}
		l.add(childChanges, at, fmt.Sprintf(
			"changes of %s that move %s are found every %s, its deleted rows by their token in %s, or at once where the delete moves %s of the document's row",
			f.name, f.updated, span(t.Incremental.Every), sweep, t.Updated), nothing)
		l.joined(at+".sql", f.path, f.updated, sweep, relations)
	}
	return nil
}

// removals says what finds rows that are deleted, or marked so.
func removals(t configs.Table, sweep string) string {
	switch d := t.Deleted; {
	case d.Column != "":
		return fmt.Sprintf("that %s marks as soon, others by %s", d.Column, sweep)
	case d.SQL != "":
		return fmt.Sprintf("that deleted lists when they are read again, and all by %s", sweep)
	}
	return "by " + sweep
}

// span is a duration as people write it: 1h and not 1h0m0s.
func span(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// exits says what finds rows that leave the SQL's result without being deleted.
func exits(t configs.Table) string {
	if t.Changes != "" {
		return ", rows that leave its filter by changes at once"
	}
	return "; so are rows that leave its filter, unless changes is set"
}

// joined names the tables of an SQL whose changes move no updateTime. With
// an updated that is no column of a table of its own, such as greatest(...), it
// can't be told which tables it covers.
func (l *look) joined(at, path, updated, sweep string, relations []doc.Relation) {
	var joined []string
	plain := false
	for _, r := range relations {
		switch {
		case r.Path != path:
		case r.Origin:
			plain = true
		case !slices.Contains(joined, r.Name):
			joined = append(joined, r.Name)
		}
	}
	if len(joined) == 0 {
		return
	}
	what := fmt.Sprintf("a change of %s alone moves no %s: %s finds it", strings.Join(joined, ", "), updated, sweep)
	if !plain {
		what = fmt.Sprintf("%s is computed: a change of %s that it does not name is found by %s", updated, strings.Join(joined, ", "), sweep)
	}
	l.add(joinedTables, at, what, "where that is too late, name its time in greatest(...) or make it a child")
}
