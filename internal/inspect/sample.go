package inspect

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
)

// sampled is how many rows are read.
const sampled = 1000

// sample reads some rows, as documents.
func (l *look) sample() error {
	_, err := l.probe("a sample of the rows", func(ctx context.Context) (err error) {
		l.oids, err = l.Rows.Sample(ctx, sampled)
		return err
	})
	if err != nil || len(l.oids) == 0 {
		return err
	}
	l.readAt = time.Now()
	known, err := l.probe("a sample of the rows", func(ctx context.Context) (err error) {
		l.docs, l.bad, err = l.read(ctx, l.oids)
		return err
	})
	if !known {
		l.docs, l.bad = nil, nil
	}
	return err
}

func (l *look) read(ctx context.Context, oids []doc.OID) (docs []doc.Doc, bad []doc.Reject, err error) {
	for b, err := range l.Rows.Docs(ctx, slices.Compact(slices.Sorted(slices.Values(oids)))) {
		if err != nil {
			return nil, nil, err
		}
		docs, bad = append(docs, b.Docs...), append(bad, b.Rejects...)
	}
	return docs, bad, nil
}

// unindexable builds the sampled rows as the index would.
func (l *look) unindexable() error {
	rejects, err := fulltext.RejectedValues(l.Mapping, l.docs)
	if err != nil {
		return err
	}
	bad := append(slices.Clone(l.bad), rejects...)
	if len(bad) == 0 {
		return nil
	}
	whose := "a row without a usable key"
	if bad[0].OID != "" {
		whose = fmt.Sprintf("%v", bad[0].OID)
	}
	l.add(unindexableRows, l.path, fmt.Sprintf("%d of %d sampled rows can't become documents, as %s: %s", len(bad), len(l.docs)+len(l.bad), whose, bad[0].Reason),
		"mend the rows or cast the column in the SQL, or give the field another type; `indexerd status` counts them in quarantine")
	return nil
}

// A clock may be read in steps of a second: two reads that see it move lie
// further apart.
const clockMoves = 1100 * time.Millisecond

// saysNow finds SQL that may read a clock.
var saysNow = regexp.MustCompile(`(?i)\bnow\b|current_|localtime|_timestamp\b|\bdate\s*\(|\bdatetime\s*\(|strftime|julianday|unixepoch|timeofday|\bage\s*\(`)

// volatile reads the sample again. What is different, with the same updateTime,
// is read a third time: a row that somebody changed is different once.
func (l *look) volatile() error {
	l.unordered()
	if len(l.docs) == 0 {
		return nil
	}
	clock := l.readsClock()
	before := l.docs
	var different []doc.Doc
	for range 2 {
		if clock {
			l.waitForClock()
		}
		l.readAt = time.Now()
		var after []doc.Doc
		_, err := l.probe("whether rows are the same when they are read again", func(ctx context.Context) (err error) {
			after, _, err = l.read(ctx, oidsOf(before))
			return err
		})
		if err != nil {
			return err
		}
		if different = changed(before, after); len(different) == 0 {
			return nil
		}
		before, l.again = different, before
	}
	l.add(volatileSQL, l.path+".sql", fmt.Sprintf("%s of %d sampled had other values each time they were read, as %v: %s", count(len(different), "row"), len(l.docs),
		different[0].OID, difference(l.again, different[0])), "take what changes by itself, such as now() or random(), out of the SQL")
	return nil
}

// waitForClock lets a clock move that the last reading may have shown.
func (l *look) waitForClock() {
	select {
	case <-l.ctx.Done():
	case <-time.After(time.Until(l.readAt.Add(clockMoves))):
	}
}

// readsClock reports whether one of the SQLs may read a clock.
func (l *look) readsClock() bool {
	return slices.ContainsFunc(l.sqls(), func(s pathed) bool { return saysNow.MatchString(s.sql) })
}

// A pathed is an SQL and where it stands.
type pathed struct{ path, sql string }

func (l *look) sqls() []pathed {
	all := []pathed{{l.path + ".sql", l.Conf.SQL}}
	for _, f := range furtherOf(l.Conf) {
		all = append(all, pathed{l.path + "." + f.path + ".sql", f.sql})
	}
	return all
}

func oidsOf(docs []doc.Doc) []doc.OID {
	oids := make([]doc.OID, len(docs))
	for i, d := range docs {
		oids[i] = d.OID
	}
	return oids
}

// changed returns the documents of after that have another token than before
// under the same updateTime. Rows that share a key are another matter.
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

// difference names what of a document is not as it was.
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

// unordered finds aggregates that join values in no order.
func (l *look) unordered() {
	for _, s := range l.sqls() {
		if name := unorderedAggregateOf(s.sql); name != "" {
			l.add(unorderedAggregate, s.path, fmt.Sprintf("%s joins values in no order, so the same rows may give another text each time", name), "write ORDER BY inside it: "+name+"(... ORDER BY ...)")
		}
	}
}

var joins = regexp.MustCompile(`(?i)\b(string_agg|array_agg|json_agg|jsonb_agg|xmlagg|group_concat|json_group_array)\s*\(`)

// unorderedAggregateOf returns the name of an aggregate without ORDER BY in its
// parentheses; "" where there is none. It reads no quotes and no comments: what
// it finds is advice.
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
