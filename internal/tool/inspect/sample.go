package inspect

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/index/fulltext/schema"
)

// sampled is the number of rows of the sample.
const sampled = 1000

// sample reads some rows as documents.
func (tc *tableCheck) sample() (err error) {
	const what = "a sample of the rows"
	tc.oids, _, err = ask(tc, what, func(ctx context.Context) ([]doc.OID, error) { return tc.Rows.Sample(ctx, sampled) })
	if err != nil || len(tc.oids) == 0 {
		return err
	}
	tc.batch, err = tc.read(what, tc.oids)
	return err
}

// read reads rows by key, and sets readAt.
func (tc *tableCheck) read(what string, oids []doc.OID) (doc.Batch, error) {
	tc.readAt = time.Now()
	batch, _, err := ask(tc, what, func(ctx context.Context) (all doc.Batch, err error) {
		for b, err := range tc.Rows.Docs(ctx, slices.Compact(slices.Sorted(slices.Values(oids)))) {
			if err != nil {
				return all, err
			}
			all.Docs, all.Rejects = append(all.Docs, b.Docs...), append(all.Rejects, b.Rejects...)
		}
		return all, nil
	})
	return batch, err
}

// unindexable reports rows of the sample that can't become documents, and those whose
// documents would lack values.
func (tc *tableCheck) unindexable() error {
	partial, rejects, err := schema.Flawed(tc.Mapping, tc.batch.Docs)
	if err != nil {
		return err
	}
	sampled := len(tc.batch.Docs) + len(tc.batch.Rejects)
	if len(partial) > 0 {
		tc.add(partialRows, tc.path, fmt.Sprintf("%d of %d sampled rows have a value that does not fit its field, such as row %v: %s", len(partial), sampled, partial[0].OID, doc.FlawsText(partial[0].Flaws)),
			"give the field another type, repair the rows, or cast the column in the SQL; `indexerd status` counts them as partial")
	}
	bad := append(slices.Clone(tc.batch.Rejects), rejects...)
	if len(bad) == 0 {
		return nil
	}
	example := "a row without a valid key"
	if bad[0].OID != "" {
		example = fmt.Sprintf("row %v", bad[0].OID)
	}
	tc.add(unindexableRows, tc.path, fmt.Sprintf("%d of %d sampled rows can't become documents, such as %s: %s", len(bad), sampled, example, bad[0].Reason),
		"repair the rows, cast the column in the SQL, or give the field another type; `indexerd status` counts them in quarantine")
	return nil
}

// clockStep is the least time between two reads of a clock that may have a
// precision of a second, so that they differ.
const clockStep = 1100 * time.Millisecond

// clockFunction matches SQL that may read the clock.
var clockFunction = regexp.MustCompile(`(?i)\bnow\b|current_|localtime|_timestamp\b|\bdate\s*\(|\bdatetime\s*\(|strftime|julianday|unixepoch|timeofday|\bage\s*\(`)

// volatile reads the sample again, and rows that differ with the same updateTime
// a third time. A row that differs twice was not just updated meanwhile: the SQL
// is volatile.
func (tc *tableCheck) volatile() error {
	tc.unordered()
	if len(tc.batch.Docs) == 0 {
		return nil
	}
	clock := slices.ContainsFunc(tc.sqls(), func(s tableSQL) bool { return clockFunction.MatchString(s.sql) })
	var previous, different []doc.Doc
	current := tc.batch.Docs
	for range 2 {
		if clock {
			tc.waitForClock()
		}
		after, err := tc.read("whether rows have the same values when they are read again", doc.OIDs(current))
		if err != nil {
			return err
		}
		if different = changed(current, after.Docs); len(different) == 0 {
			return nil
		}
		previous, current = current, different
	}
	tc.add(volatileSQL, tc.path+".sql", fmt.Sprintf("%s of %d in the sample had other values with each read, such as row %v: %s", terminal.Count(len(different), "row"), len(tc.batch.Docs),
		different[0].OID, difference(previous, different[0])), "remove values that change by themselves, such as now() or random(), from the SQL")
	return nil
}

// waitForClock waits until a clock shows another time than at readAt.
func (tc *tableCheck) waitForClock() {
	select {
	case <-tc.ctx.Done():
	case <-time.After(time.Until(tc.readAt.Add(clockStep))):
	}
}

// changed returns the documents of after that have the same updateTime as in
// before, but another token. It ignores rows that share a key.
func changed(before, after []doc.Doc) (different []doc.Doc) {
	old, times := map[doc.OID]doc.Doc{}, map[doc.OID]int{}
	for _, d := range before {
		old[d.OID] = d
	}
	for _, d := range after {
		times[d.OID]++
	}
	for _, d := range after {
		was, ok := old[d.OID]
		if ok && times[d.OID] == 1 && was.Updated.Equal(d.Updated) && was.Token != d.Token {
			different = append(different, d)
		}
	}
	return different
}

// difference names a part of a document that differs from before.
func difference(before []doc.Doc, d doc.Doc) string {
	i := slices.IndexFunc(before, func(b doc.Doc) bool { return b.OID == d.OID })
	if i < 0 {
		return "its token"
	}
	was := before[i].Row
	for j, name := range d.Row.Names {
		if !reflect.DeepEqual(was.Values[j], d.Row.Values[j]) {
			return "column " + name
		}
	}
	for j, c := range d.Row.Children {
		if !reflect.DeepEqual(was.Children[j].Rows, c.Rows) {
			return c.Name
		}
	}
	return "its token"
}

// unordered reports aggregates without ORDER BY.
func (tc *tableCheck) unordered() {
	for _, s := range tc.sqls() {
		if name := unorderedAggregateOf(s.sql); name != "" {
			tc.add(unorderedAggregate, tc.keyPath(s.path, "sql"), fmt.Sprintf("%s has no ORDER BY, so the same rows may result in different text each time", name), "write "+name+"(... ORDER BY ...)")
		}
	}
}

var joins = regexp.MustCompile(`(?i)\b(string_agg|array_agg|json_agg|jsonb_agg|xmlagg|group_concat|json_group_array)\s*\(`)

// unorderedAggregateOf returns the name of an aggregate without ORDER BY in its
// parentheses, or "". It ignores quotes and comments, so it may be wrong: its
// finding is advice.
func unorderedAggregateOf(sql string) string {
	for _, m := range joins.FindAllStringSubmatchIndex(sql, -1) {
		depth, end := 1, m[1]
		for ; end < len(sql) && depth > 0; end++ {
			switch sql[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		if !strings.Contains(strings.ToLower(sql[m[1]:end]), "order by") {
			return strings.ToLower(sql[m[2]:m[3]])
		}
	}
	return ""
}
