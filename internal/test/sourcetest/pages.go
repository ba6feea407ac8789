package sourcetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var pageBehaviours = []behaviour{
	{"pages and batches of any size have every row once", false, anyPage},
	{"breakpoints cut the table into ranges that have every row once", false, breakpoints},
	{"a range may have bounds that no row has", false, rangesBetweenKeys},
	{"a window includes its From and excludes its To", false, windowBounds},
	{"an empty window returns nothing and asks nothing", true, emptyWindows},
	{"a row without updateTime is in ranges and in no window", false, timelessRows},
	{"Docs returns each row once, whatever is asked", false, anyKeys},
	{"a batch without rows has a number and a time", false, emptyBatches},
	{"long rows are read in several batches", true, longRows},
	{"check's questions are answered", true, questions},
}

// The rows of one updateTime exceed a page, and those of one page exceed a batch.
func anyPage(r *run) {
	rows := numbered(29)
	for i := range rows {
		rows[i].Updated = at(max(i-22, 0)) // 23 rows have one updateTime
		rows[i].Key = []any{int64(i * 7 % 29), fmt.Sprint(i % 5)}
	}
	want := oidsOf(rows)
	var table Rows
	for _, n := range []int{1, 2, 3, 7, 22, 23, 24, 29, 30, 100} {
		config := Config{Batch: n, Page: n, Numbers: r.sink()}
		switch {
		case table == nil || r.db == nil:
			table = r.rows(shape{key: []string{"{int}", "{text}"}, config: config}, rows...)
		default:
			config.SQL, config.Key = "SELECT k1, k2, u, title FROM doc", []string{"k1", "k2"}
			table = &sqlRows{r.open(config), r, config.Key}
		}
		r.agree(table, want...)
		stamps := readStamps("", table.Stamps(r.Context(), ever))
		if len(stamps.stamps) != len(rows) {
			r.Errorf("pages of %d: got %d stamps, want each of %d rows once", n, len(stamps.stamps), len(rows))
		}
		inOrder := slices.IsSortedFunc(stamps.stamps, func(a, b doc.Stamp) int {
			if c := a.Updated.Compare(b.Updated); c != 0 || !table.Ordered() {
				return c
			}
			return cmp.Compare(a.OID, b.OID)
		})
		if !inOrder {
			r.Errorf("pages of %d: got %v, want them in the order of updateTime and key", n, stamps.stamps)
		}
		if got, want := stamps.pages, (len(rows)+n-1)/n; got < want {
			r.Errorf("pages of %d: got %d pages, want at least %d", n, got, want)
		}
		if got, want := r.inWindow(table, at(0), at(1)), printed(want[:23]); got != want {
			r.Errorf("pages of %d: got %s in the window, want %s", n, got, want)
		}
	}
}

func breakpoints(r *run) {
	s := shape{key: []string{"{text}"}, config: Config{Batch: 3, Page: 2}}
	table := r.rows(s)
	var want []doc.OID
	for i := range 14 {
		r.put(table, Row{Key: []any{fmt.Sprint("k", i*5%14)}, Updated: at(0)})
		want = append(want, oid(fmt.Sprint("k", i*5%14)))
		for _, n := range []int{1, 2, 3, 13, 14, 50} {
			if got := r.coverage(table, n, want); got != i/n {
				r.Errorf("got %d breakpoints in %d rows, every %d, want %d", got, i+1, n, i/n)
			}
		}
	}
}

// coverage checks that every n-th key cuts the table into ranges that have every
// row once. It returns the number of breakpoints.
func (r *run) coverage(table Table, n int, want []doc.OID) int {
	r.Helper()
	points, err := table.Breakpoints(r.Context(), n)
	if err != nil {
		r.Fatal(err)
	}
	var docs, stamps []doc.OID
	for i, from := range append([]doc.OID{""}, points...) {
		part := doc.Range{From: from, To: append(points, "")[i]}
		docs = append(docs, doc.OIDs(readBatches("", table.Range(r.Context(), part)).docs)...)
		stamps = append(stamps, doc.OIDs(readStamps("", table.StampsInRange(r.Context(), part)).stamps)...)
	}
	for way, got := range map[string][]doc.OID{"Range": docs, "StampsInRange": stamps} {
		if len(got) != len(want) || printed(got) != printed(want) {
			r.Errorf("%s between %v: got %s, want %s, each once", way, points, printed(got), printed(want))
		}
	}
	return len(points)
}

func rangesBetweenKeys(r *run) {
	table := r.rows(shape{key: []string{"{int}"}, config: Config{Batch: 1, Page: 1}}, row(10, "a"), row(20, "b"), row(30, "c"))
	r.checkRanges(table, []doc.OID{oid(10), oid(20), oid(30)})
	for _, c := range []struct {
		from, to any
		want     string
	}{
		{15, 25, "20"}, {nil, 5, ""}, {nil, 10, ""}, {nil, 11, "10"}, {31, nil, ""}, {30, nil, "30"}, {11, 19, ""}, {20, 20, ""}, {25, 15, ""}, {30, 10, ""}, {-5, 100, "10 20 30"},
	} {
		var part doc.Range
		if c.from != nil {
			part.From = oid(c.from)
		}
		if c.to != nil {
			part.To = oid(c.to)
		}
		for _, read := range []reading{readBatches("Range", table.Range(r.Context(), part)), readStamps("StampsInRange", table.StampsInRange(r.Context(), part))} {
			if read.err != nil || read.keys() != c.want {
				r.Errorf("%s from %v to %v: got %s, %v, want %s", read.way, c.from, c.to, read.keys(), read.err, c.want)
			}
		}
	}
}

func windowBounds(r *run) {
	tick := time.Microsecond
	rows := []Row{row(1, "before"), row(2, "at"), row(3, "after")}
	for i := range rows {
		rows[i].Updated = at(0).Add(time.Duration(i-1) * tick)
	}
	table := r.rows(integerKey, rows...)
	r.agree(table, oidsOf(rows)...)
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{
		{0, 1, "2"}, {-1, 1, "1 2"}, {-1, 0, "1"}, {1, 2, "3"}, {2, 1000, ""}, {-1000, -1, ""}, {-1, 2, "1 2 3"}, {0, 1000, "2 3"},
	} {
		if got := r.inWindow(table, at(0).Add(c.from*tick), at(0).Add(c.to*tick)); got != c.want {
			r.Errorf("window from %d to %d ticks: got %q, want %q", c.from, c.to, got, c.want)
		}
	}
	if got := r.inWindow(table, time.Time{}, at(0)); got != "1" {
		r.Errorf("window without a beginning: got %q, want 1", got)
	}
	if got, want := table.Tick(), max(tick, r.h.Facts.Tick); got > want {
		r.Errorf("got tick %v, want at most %v", got, want)
	}
}

func emptyWindows(r *run) {
	table := r.rows(shape{key: []string{"{int}"}, marks: true}, row(1, "live"), Row{Key: []any{int64(2)}, Updated: at(1), Marked: true})
	r.exec("DROP TABLE doc")
	for _, w := range []doc.Window{{From: at(1), To: at(1)}, {From: at(2), To: at(1)}, {}} {
		if read := readStamps("", table.Stamps(r.Context(), w)); read.err != nil || read.pages != 0 {
			r.Errorf("Stamps of %v: got %v, %v, want nothing", w, read.stamps, read.err)
		}
		for left, err := range table.Left(r.Context(), w) {
			r.Errorf("Left of %v: got %v, %v, want nothing", w, left, err)
		}
	}
}

func timelessRows(r *run) {
	rows := []Row{row(1, "timed"), {Key: []any{int64(2)}, Text: "timeless"}, {Key: []any{int64(3)}, Text: "timeless"}}
	table := r.rows(integerKey, rows[1:]...)
	r.agree(table, oidsOf(rows[1:])...)
	if got := r.inWindow(table, time.Time{}, ever.To); got != "" {
		r.Errorf("got %s in a window, want none", got)
	}
	r.put(table, rows[0])
	r.agree(table, oidsOf(rows)...)
	if got := r.inWindow(table, time.Time{}, ever.To); got != "1" {
		r.Errorf("got %s in a window, want 1", got)
	}
	if n, err := table.Count(r.Context()); err != nil || n != 3 {
		r.Errorf("Count: got %d, %v, want 3", n, err)
	}
}

func anyKeys(r *run) {
	rows := numbered(9)
	table := r.rows(shape{key: []string{"{int}"}, config: Config{Batch: 4, Page: 2, Numbers: r.sink()}}, rows...)
	for _, c := range []struct {
		asked []int
		want  string
	}{{nil, ""}, {[]int{99}, ""}, {[]int{3, 1, 2}, "1 2 3"}, {[]int{1, 1, 2, 1}, "1 2"}, {[]int{9, 50, 8, 51, 7, 52, 6, 53, 5}, "5 6 7 8 9"}} {
		var asked []doc.OID
		for _, key := range c.asked {
			asked = append(asked, oid(key))
		}
		read := readBatches("", table.Docs(r.Context(), asked))
		if read.err != nil || read.keys() != c.want || len(read.docs) != len(strings.Fields(c.want)) {
			r.Errorf("Docs of %v: got %s, %v, want %s, each once", c.asked, read.keys(), read.err, c.want)
		}
		of, err := table.StampsOf(r.Context(), asked)
		if err != nil || printed(doc.OIDs(of)) != c.want || len(of) != len(strings.Fields(c.want)) {
			r.Errorf("StampsOf %v: got %v, %v, want %s, each once", c.asked, of, err, c.want)
		}
	}
}

func emptyBatches(r *run) {
	table := r.rows(shape{key: []string{"{int}"}, config: Config{Numbers: r.sink()}})
	before, err := table.Now(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	for _, read := range []reading{readBatches("Range", table.Range(r.Context(), all)), readBatches("Docs", table.Docs(r.Context(), []doc.OID{oid(1)}))} {
		if read.err != nil || len(read.batches) != 1 || read.rows() != 0 {
			r.Fatalf("%s: got %+v, %v, want one batch without rows", read.way, read.batches, read.err)
		}
		if b := read.batches[0]; b.Fetch == 0 || b.At.Before(before) || b.At.Location() != time.UTC {
			r.Errorf("%s: got fetch %d at %v, want a number, and a time in UTC not before %v", read.way, b.Fetch, b.At, before)
		}
	}
}

func longRows(r *run) {
	const rows, bytes = 17, 1 << 20
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {text})", "CREATE TABLE part (id {int}, u {time}, name {text})", "CREATE TABLE short (id {int}, u {time})")
	for i := range rows {
		r.exec(fmt.Sprintf("INSERT INTO doc VALUES (%d, {@1}, '%s')", i, strings.Repeat("x", bytes)), fmt.Sprintf("INSERT INTO part VALUES (%d, {@1}, '%s')", i, strings.Repeat("y", bytes)),
			fmt.Sprintf("INSERT INTO short VALUES (%d, {@1})", i))
	}
	for _, c := range []Config{{}, {Children: parts("id")}, {SQL: "SELECT id, u FROM short", Children: parts("id")}} {
		numbers := r.sink()
		c.Numbers = numbers
		table := r.open(c)
		read := r.rangeOf(table)
		if len(read.docs) != rows || len(read.batches) < 2 {
			r.Errorf("got %d rows in %d batches, want %d rows in several", len(read.docs), len(read.batches), rows)
		}
		for _, b := range read.batches {
			size := 0
			for _, d := range b.Docs {
				size += d.Row.Size()
			}
			if size > 16*bytes {
				r.Errorf("got a batch of %d bytes, want it bounded", size)
			}
		}
		before := numbers.last
		if again := r.rangeOf(table); int(numbers.last-before) != len(again.batches) {
			r.Errorf("second time: got %d batches by %d fetches, want no page read twice", len(again.batches), numbers.last-before)
		}
		before = numbers.last
		if keyed := readBatches("Docs", table.Docs(r.Context(), doc.OIDs(read.docs))); keyed.err != nil || int(numbers.last-before) != len(keyed.batches) {
			r.Errorf("by key: got %d batches by %d fetches, %v, want no page read twice", len(keyed.batches), numbers.last-before, keyed.err)
		}
	}
}

func questions(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time})", "INSERT INTO doc VALUES (1, {@1}), (2, {@1}), (3, {@1}), (4, NULL)")
	table := r.open(Config{})
	check := func(what string, got, want any, err error) {
		r.Helper()
		if err != nil || got != want {
			r.Errorf("%s: got %v, %v, want %v", what, got, err, want)
		}
	}
	ctx := r.Context()
	check("Columns", fmt.Sprint(table.Columns()), "[id u]", nil)
	check("Kinds", fmt.Sprint(table.Kinds()), "[integer]", nil)
	count, err := table.Count(ctx)
	check("Count", count, int64(4), err)
	sample, err := table.Sample(ctx, 3)
	check("Sample", len(sample), 3, err)
	duplicate, err := table.Duplicate(ctx)
	check("Duplicate", duplicate, doc.OID(""), err)
	without, err := table.WithoutUpdated(ctx, 10)
	check("WithoutUpdated", without, 1, err)
	in, err := table.UpdatedIn(ctx, doc.Window{From: at(1), To: at(2)}, 10)
	check("UpdatedIn", in, 3, err)
	in, err = table.UpdatedIn(ctx, doc.Window{From: at(2), To: at(3)}, 10)
	check("UpdatedIn of another window", in, 0, err)
	same, err := table.Constant(ctx)
	check("Constant", same, true, err)
	r.exec("INSERT INTO doc VALUES (2, {@2})")
	duplicate, err = table.Duplicate(ctx)
	check("Duplicate of two rows", duplicate, oid(2), err)
	same, err = table.Constant(ctx)
	check("Constant of two times", same, false, err)
	m, err := table.Moment(ctx)
	check("Moment", m.Now.IsZero() || m.Seen.After(m.Now) || m.Local.Before(m.Asked), false, err)
}
