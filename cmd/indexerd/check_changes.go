package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// checkChanges says of each SQL what finds its changes: an updateTime within a
// second, or the sweep, which compares everything.
func (f *findings) checkChanges(ctx context.Context, cfg *configs.Config, t *table, r rows) {
	relations, err := r.Relations(ctx)
	if err != nil {
		f.failed(cfg, "tables."+t.conf.Name+".sql", err)
		return
	}
	path := "tables." + t.conf.Name
	sweep := "the sweep, every " + short(t.conf.DeleteCheck.Every)
	f.add("info", "changes", faultAt(cfg, path+".updated", fmt.Sprintf(
		"changes that move %s are found every %s, deleted rows by %s%s", t.conf.Updated, short(t.conf.Incremental.Every), sweep, exits(t.conf)), "nothing to do"))
	f.checkJoined(cfg, path+".sql", "sql", t.conf.Updated, sweep, relations)
	for _, c := range further(t.conf) {
		at := path + "." + c.Path
		if c.Updated == "" {
			f.add("warning", "child_without_updated", faultAt(cfg, at,
				fmt.Sprintf("changes of %s are found by its token alone, in %s and in verify", c.Name, sweep), "name the column that says when its rows last changed in updated"))
			continue
		}
		f.add("info", "child", faultAt(cfg, at, fmt.Sprintf(
			"changes of %s that move %s are found every %s, its deleted rows by their token in %s, or at once where the delete moves %s of the document's row",
			c.Name, c.Updated, short(t.conf.Incremental.Every), sweep, t.conf.Updated), "nothing to do"))
		f.checkJoined(cfg, at+".sql", c.Path, c.Updated, sweep, relations)
	}
}

// short is a duration as people write it: 1h and not 1h0m0s.
func short(d time.Duration) string {
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

// checkJoined names the tables of an SQL whose changes move no updateTime. With
// an updated that is no column of a table of its own, such as greatest(...), it
// can't be told which tables it covers.
func (f *findings) checkJoined(cfg *configs.Config, at, path, updated, sweep string, relations []doc.Relation) {
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
	f.add("info", "joined_tables", faultAt(cfg, at, what, "where that is too late, name its time in greatest(...) or make it a child"))
}
