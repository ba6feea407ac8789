package sourcetest

import (
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var deletionBehaviours = []behaviour{
	{"a marked row is deleted by key, and missing from every other way", false, markedRows},
	{"a row outside of the SQL's result is listed by changes", false, outsideRows},
	{"a column of any type marks rows deleted, and NULL marks none", true, marksByColumn},
	{"a list of keys marks rows deleted, with and without rows", true, marksByList},
	{"a key with a live row is not deleted", true, liveAndMarked},
	{"a marked row is never a reject", true, markedIsNoReject},
}

var marked = shape{key: []string{"{int}"}, children: true, marks: true, config: Config{Batch: 2, Page: 2}}

func markedRows(r *run) {
	rows := numbered(9)
	for i := range rows {
		rows[i].Marked, rows[i].Children = i%3 == 1, []string{"child"}
	}
	s := marked
	s.config.Numbers = r.sink()
	table := r.rows(s, rows...)
	r.checkDeleted(table, "1 3 4 6 7 9", "2 5 8")
	r.checkLeft(table, ever, "2 5 8")
	r.checkLeft(table, doc.Window{From: at(2), To: at(5)}, "2")
	rows[1].Marked = false
	r.put(table, rows[1])
	r.checkDeleted(table, "1 2 3 4 6 7 9", "5 8")
	if err := table.Delete(oid(5)); err != nil {
		r.Fatal(err)
	}
	r.checkDeleted(table, "1 2 3 4 6 7 9", "8")
}

// checkDeleted checks that the rows 1 to 9 are live, deleted or missing, by every
// way.
func (r *run) checkDeleted(table Table, live, deleted string) {
	r.Helper()
	var asked, want []doc.OID
	for i := range 9 {
		asked = append(asked, oid(i+1))
		if strings.Contains(live, oid(i+1).String()) {
			want = append(want, oid(i+1))
		}
	}
	r.agree(table, want...)
	docs := readBatches("Docs", table.Docs(r.Context(), asked))
	if docs.err != nil || docs.keys() != live || printed(docs.deleted) != deleted || len(docs.rejects) > 0 || len(docs.docs)+len(docs.deleted) != len(strings.Fields(live+" "+deleted)) {
		r.Errorf("Docs: got %s, deleted %v and rejects %q, %v, want %s, and %s deleted, each once", docs.keys(), docs.deleted, docs.reasons(), docs.err, live, deleted)
	}
	of, err := table.StampsOf(r.Context(), asked)
	if got := printed(doc.OIDs(of)); err != nil || got != live {
		r.Errorf("StampsOf: got %s, %v, want %s", got, err, live)
	}
	if n, err := table.Count(r.Context()); err != nil || int(n) != len(want) {
		r.Errorf("Count: got %d, %v, want %d", n, err, len(want))
	}
	r.coverage(table, 2, want)
}

func (r *run) checkLeft(table Table, w doc.Window, want string) {
	r.Helper()
	var left []doc.OID
	for page, err := range table.Left(r.Context(), w) {
		if err != nil {
			r.Fatal(err)
		}
		if len(page) == 0 {
			r.Error("Left: got an empty page")
		}
		left = append(left, page...)
	}
	if got := printed(left); got != want {
		r.Errorf("Left: got %s, want %s", got, want)
	}
}

func outsideRows(r *run) {
	rows := numbered(9)
	for i := range rows {
		rows[i].Outside, rows[i].Marked = i%2 == 0, i == 5
		rows[i].Updated = at(i / 5) // Left ends pages between rows of one updateTime
	}
	table := r.rows(marked, rows...)
	r.checkDeleted(table, "2 4 8", "6")
	r.checkLeft(table, ever, "1 3 5 6 7 9")
	r.checkLeft(table, doc.Window{From: at(0), To: at(1)}, "1 3 5")
	r.checkLeft(table, doc.Window{From: at(1), To: at(2)}, "6 7 9")
	r.checkLeft(table, doc.Window{From: at(1).Add(time.Microsecond), To: ever.To}, "")
	for page, err := range table.Left(r.Context(), ever) {
		if err != nil || len(page) > 2 {
			r.Errorf("got a page of %d keys, %v, want at most 2", len(page), err)
		}
		break
	}
}

func marksByColumn(r *run) {
	for _, m := range facts(r, r.h.Facts.Marks) {
		for _, children := range [][]Child{nil, parts("id")} {
			other := r.fresh()
			other.exec("CREATE TABLE part (id {int}, u {time}, name {text})", "CREATE TABLE doc (id {int}, u {time}, mark "+m.Type+")",
				"INSERT INTO doc VALUES (1, {@1}, "+m.Live+"), (2, {@1}, "+m.Dead+"), (3, {@1}, NULL), (4, {@1}, "+m.Dead+")")
			table := other.open(Config{Deleted: Deleted{Column: "mark", Values: m.Values}, Children: children, Batch: 3, Page: 2})
			other.checkDeleted(table, "1 3", "2 4")
			other.checkLeft(table, ever, "2 4")
		}
	}
}

func marksByList(r *run) {
	r.twoTables(5)
	r.exec("CREATE TABLE gone (k {int})", "INSERT INTO gone VALUES (2), (2), (NULL), (7), (4)")
	table := r.open(Config{Deleted: Deleted{SQL: "SELECT k AS id FROM gone -- all of them"}, Children: parts("id"), Batch: 2, Page: 2})
	r.checkDeleted(table, "1 3 5", "2 4 7")
	r.checkLeft(table, ever, "")
	r.exec("DELETE FROM gone WHERE k = 2", "INSERT INTO gone VALUES (1)")
	r.checkDeleted(table, "2 3 5", "1 4 7")
	r.exec("DELETE FROM gone")
	r.checkDeleted(table, "1 2 3 4 5", "")
}

func liveAndMarked(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time}, mark {int})", "INSERT INTO doc VALUES (1, {@1}, 0), (1, {@2}, 1), (2, {@1}, 1), (2, {@2}, 0), (3, {@1}, 1), (3, {@2}, 1), (4, {@1}, NULL), (4, {@2}, 1)")
	table := r.open(Config{Deleted: Deleted{Column: "mark", Values: []any{int64(1)}}, Batch: 2, Page: 2})
	r.agree(table, oid(1), oid(2), oid(4))
	r.checkDeleted(table, "1 2 4", "3")
}

// The values of a marked row are not read.
func markedIsNoReject(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {int}, mark {int})", "INSERT INTO doc VALUES (1, {@1}, 0, 1), (2, {@1}, 1, 0), (3, {@1}, 0, 1)")
	const sql = "SELECT id, u, mark, {fails} AS x FROM doc"
	for name, d := range map[string]Deleted{
		"by column": {Column: "mark", Values: []any{int64(1)}}, "by list": {SQL: "SELECT id FROM doc WHERE mark = 1"},
	} {
		table := r.open(Config{SQL: r.sql(sql), Deleted: d, Numbers: r.sink()})
		read := readBatches("Docs", table.Docs(r.Context(), []doc.OID{oid(1), oid(2), oid(3)}))
		if slices.Sort(read.deleted); read.err != nil || read.keys() != "2" || printed(read.deleted) != "1 3" || len(read.rejects) > 0 {
			r.Errorf("%s: got %s, deleted %v and rejects %q, %v, want 2, and 1 3 deleted", name, read.keys(), read.deleted, read.reasons(), read.err)
		}
		if range1 := r.rangeOf(table); range1.keys() != "2" || len(range1.rejects) > 0 {
			r.Errorf("%s: got %s and rejects %q of the range, want 2", name, range1.keys(), range1.reasons())
		}
	}
}
