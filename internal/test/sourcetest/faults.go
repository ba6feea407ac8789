package sourcetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

var faultBehaviours = []behaviour{
	{"a row for which the SQL fails is one reject, and all others are read", true, failingRows},
	{"a row for which the SQL fails is one reject of a large batch", true, failingLargeBatch},
	{"a row whose child fails is one reject, and all others are read", true, failingChildren},
	{"a row whose deletion mark fails is one reject, and all others are read", true, failingMarks},
	{"a failing row of a key that differs in case leaves the other key alone", true, failingFoldedKey},
	{"the groups of a row that fails are reported", true, failingGroups},
	{"an SQL that fails for every row is an error and no reject", true, failingSQL},
	{"an SQL that fails for rows that were not asked for is an error and no reject", true, failingElsewhere},
	{"a row whose selection fails is never silently missing", true, failingSelection},
	{"a row that is repaired or deleted before it is read alone is no reject", true, repairedRows},
	{"a reject has the number of the fetch that failed", true, rejectsNumber},
	{"a row with too much text is a reject with its key and groups", true, tooLarge},
}

const failing = "SELECT id, u, {fails} AS x FROM doc"

// failingTable creates doc with the rows 1 to n, of which some fail in {fails}.
func (r *run) failingTable(n int, bad ...int) (keys []doc.OID) {
	r.Helper()
	statements := []string{"CREATE TABLE doc (id {int}, u {time}, v {int}, grp {text})"}
	for i := 1; i <= n; i++ {
		v := 1
		if slices.Contains(bad, i) {
			v = 0
		}
		keys = append(keys, oid(i))
		statements = append(statements, fmt.Sprintf("INSERT INTO doc VALUES (%d, {@%d}, %d, 'group %d')", i, i%3, v, i))
	}
	r.exec(append(statements, "CREATE INDEX doc_id ON doc (id)")...)
	return keys
}

func failingRows(r *run) {
	for _, bad := range [][]int{{1}, {5}, {9}, {4, 5}, {1, 9}, {2, 4, 6, 8}} {
		for _, size := range []int{1, 4, 100} {
			other := r.fresh()
			keys := other.failingTable(9, bad...)
			other.checkFailing(other.open(Config{SQL: r.sql(failing), Batch: size, Page: size + 1, Numbers: r.sink()}), keys, bad...)
		}
	}
}

// A batch may have more rows than a statement can select by key.
func failingLargeBatch(r *run) {
	r.failingTable(150, 75)
	read := r.rangeOf(r.open(Config{SQL: r.sql(failing), Batch: 1000, Numbers: r.sink()}))
	if read.err != nil || len(read.docs) != 149 || len(read.rejects) != 1 || read.rejects[0].OID != oid(75) {
		r.Errorf("got %d documents and rejects %q, %v, want 149 and row 75", len(read.docs), read.reasons(), read.err)
	}
}

func failingChildren(r *run) {
	keys := r.failingTable(9, 3, 7)
	r.exec("CREATE TABLE parent (id {int}, u {time})", "INSERT INTO parent SELECT id, u FROM doc", "INSERT INTO doc VALUES (3, {@0}, 1, ''), (4, {@0}, 1, ''), (50, {@0}, 1, '')")
	child := Child{Name: "parts", Path: "children.parts", SQL: r.sql(failing), Key: []string{"id"}, Updated: "u"}
	r.checkFailing(r.open(Config{SQL: "SELECT * FROM parent", Children: []Child{child}, Batch: 4, Page: 3, Numbers: r.sink()}), keys, 3, 7)
}

// checkFailing checks that bad rows are rejects, that the other rows are read,
// and that all rows have stamps.
func (r *run) checkFailing(table Table, keys []doc.OID, bad ...int) {
	r.Helper()
	var good, rejected []doc.OID
	for i, key := range keys {
		if slices.Contains(bad, i+1) {
			rejected = append(rejected, key)
		} else {
			good = append(good, key)
		}
	}
	for _, read := range r.everyWay(table, keys...) {
		if read.way != "Range" && read.way != "Docs" {
			if got := read.keys(); got != printed(keys) {
				r.Errorf("%s with %v: got stamps of %s, want all", read.way, bad, got)
			}
			for _, s := range read.stamps {
				unknown := slices.Contains(rejected, s.OID) || r.h.Facts.NoDigest
				if (s.Token.Digest == 0) != unknown || s.Updated.IsZero() {
					r.Errorf("%s with %v: got %+v of %v, want an updateTime, and a token unless it fails", read.way, bad, s, s.OID)
				}
			}
			continue
		}
		var reasons []doc.OID
		for _, reject := range read.rejects {
			if reasons = append(reasons, reject.OID); !strings.Contains(reject.Reason, r.h.Facts.FailsReason) {
				r.Errorf("%s with %v: got reason %q, want %q in it", read.way, bad, reject.Reason, r.h.Facts.FailsReason)
			}
		}
		if read.keys() != printed(good) || len(read.docs) != len(good) || len(reasons) != len(rejected) || printed(reasons) != printed(rejected) {
			r.Errorf("%s with %v: got %s and rejects of %v, want %s and %s, each once", read.way, bad, read.keys(), reasons, printed(good), printed(rejected))
		}
	}
}

func failingMarks(r *run) {
	keys := r.failingTable(9, 4)
	table := r.open(Config{SQL: r.sql(failing), Deleted: Deleted{Column: "x", Values: r.h.Facts.FailsValues}, Batch: 4, Page: 2, Numbers: r.sink()})
	r.checkFailing(table, keys, 4)
	list := Deleted{SQL: r.sql("SELECT id FROM doc WHERE id = 4 AND {fails} IS NOT NULL")}
	r.checkFailing(r.open(Config{Deleted: list, Batch: 4, Page: 2, Numbers: r.sink()}), keys, 4)
}

func failingFoldedKey(r *run) {
	r.exec("CREATE TABLE doc (id {fold}, u {time}, v {int})", "INSERT INTO doc VALUES ('a', {@1}, 1), ('A', {@1}, 0), ('b', {@1}, 1)")
	table := r.open(Config{SQL: r.sql(failing), Numbers: r.sink()})
	read := readBatches("Docs", table.Docs(r.Context(), []doc.OID{oid("a"), oid("b")}))
	if read.err != nil || read.keys() != "a b" || len(read.rejects) > 0 {
		r.Errorf("got %s and rejects %q, %v, want a b and none", read.keys(), read.reasons(), read.err)
	}
	r.checkFailing(table, []doc.OID{oid("A"), oid("a"), oid("b")}, 1)
}

func failingGroups(r *run) {
	keys := r.failingTable(4, 2)
	r.exec("CREATE TABLE who (id {int}, u {time}, name {text})", "INSERT INTO who VALUES (2, {@0}, 'b'), (2, {@0}, 'a'), (3, {@0}, 'c')")
	column, child := doc.ACL{Column: "grp"}, doc.ACL{Child: "who"}
	names := func(name string) doc.Row {
		return doc.Row{Names: []string{"name"}, Values: []any{name}}
	}
	for _, c := range []struct {
		config Config
		want   *doc.Row
	}{
		{Config{SQL: "SELECT id, u, grp, {fails} AS x FROM doc", ACL: column}, column.Value("group 2")},
		{Config{SQL: failing, ACL: child, Children: []Child{{Name: "who", Path: "children.who", SQL: "SELECT id, name FROM who", Key: []string{"id"}, Columns: []string{"name"}}}}, child.Rows([]doc.Row{names("a"), names("b")})},
	} {
		c.config.SQL, c.config.Numbers = r.sql(c.config.SQL), r.sink()
		table := r.open(c.config)
		for _, read := range r.everyWay(table, keys...)[:2] {
			if len(read.rejects) != 1 || !doc.SameGroups(read.rejects[0].Groups, c.want) {
				r.Errorf("%s: got rejects %+v, want one with the groups %+v", read.way, read.rejects, *c.want)
			}
		}
	}
}

func failingSQL(r *run) {
	keys := r.failingTable(120)
	table := r.open(Config{SQL: r.sql(failing), Batch: 60, Page: 50, Numbers: r.sink()})
	r.exec("UPDATE doc SET v = 0")
	for _, w := range ways[:2] {
		read := w.read(r.Context(), table, ever, keys)
		if len(read.docs)+len(read.rejects) > 0 || read.err == nil || errors.Is(read.err, doc.ErrUnavailable) || !strings.Contains(read.err.Error(), r.h.Facts.FailsReason) {
			r.Errorf("%s: got %d documents and %d rejects, %v, want an error of the SQL", w.name, len(read.docs), len(read.rejects), read.err)
		}
	}
	if read := readStamps("", table.StampsInRange(r.Context(), all)); !r.h.Facts.NoDigest && (len(read.stamps) > 0 || read.err == nil || !strings.Contains(read.err.Error(), "all 50 rows")) {
		r.Errorf("stamps: got %d, %v, want an error of the SQL alone", len(read.stamps), read.err)
	}
	// So few rows may all be bad.
	if read := readBatches("", table.Docs(r.Context(), keys[:49])); read.err != nil || len(read.rejects) != 49 {
		r.Errorf("got %d rejects of 49 rows, %v, want 49", len(read.rejects), read.err)
	}
}

func failingElsewhere(r *run) {
	keys := r.failingTable(3)
	table := r.open(Config{SQL: r.sql("SELECT id, u, count(*) OVER (ORDER BY {fails}) AS x FROM doc"), Numbers: r.sink()})
	r.exec("UPDATE doc SET v = 0 WHERE id = 3")
	for _, w := range ways[:2] {
		if read := w.read(r.Context(), table, ever, keys[:2]); len(read.rejects) > 0 || read.err == nil || errors.Is(read.err, doc.ErrUnavailable) {
			r.Errorf("%s: got %d documents and rejects %q, %v, want an error of the SQL", w.name, len(read.docs), read.reasons(), read.err)
		}
	}
}

func failingSelection(r *run) {
	keys := r.failingTable(5)
	table := r.open(Config{SQL: r.sql("SELECT id, u FROM doc WHERE {fails} IS NOT NULL"), Batch: 2, Page: 2, Numbers: r.sink()})
	r.agree(table, keys...)
	r.exec("UPDATE doc SET v = 0 WHERE id = 3")
	for _, w := range ways {
		read := w.read(r.Context(), table, ever, keys)
		if read.rows() != 5 && (read.err == nil || errors.Is(read.err, doc.ErrUnavailable)) {
			r.Errorf("%s: got %d rows, %v, want 5, or an error of the SQL", w.name, read.rows(), read.err)
		}
	}
	read := readBatches("Docs", table.Docs(r.Context(), keys))
	if read.err != nil || read.keys() != "1 2 4 5" || len(read.rejects) != 1 || read.rejects[0].OID != oid(3) {
		r.Errorf("Docs: got %s and rejects %q, %v, want 1 2 4 5 and row 3", read.keys(), read.reasons(), read.err)
	}
}

func repairedRows(r *run) {
	for change, want := range map[string]string{"UPDATE doc SET v = 1": "1", "DELETE FROM doc": ""} {
		other := r.fresh()
		other.failingTable(1, 1)
		numbers := r.sink()
		numbers.before = func(seq doc.FetchSeq) {
			if seq == 2 {
				other.exec(change)
			}
		}
		table := other.open(Config{SQL: r.sql(failing), Numbers: numbers})
		if read := readBatches("", table.Docs(r.Context(), []doc.OID{oid(1)})); read.err != nil || read.keys() != want || len(read.rejects) > 0 {
			r.Errorf("%s: got %s and rejects %q, %v, want %q and none", change, read.keys(), read.reasons(), read.err, want)
		}
	}
}

// A row that is repaired when fetch n begins fails in no later fetch. A reject
// with the number n would set it aside although another pass has indexed it.
func rejectsNumber(r *run) {
	for n := doc.FetchSeq(2); n < 8; n++ {
		for _, w := range ways[:2] {
			other := r.fresh()
			keys := other.failingTable(4, 2)
			numbers := r.sink()
			numbers.before = func(seq doc.FetchSeq) {
				if seq == n {
					other.exec("UPDATE doc SET v = 1")
				}
			}
			read := w.read(r.Context(), other.open(Config{SQL: r.sql(failing), Numbers: numbers}), ever, keys)
			if read.err != nil || len(read.docs)+len(read.rejects) != 4 {
				r.Errorf("%s: got %s and rejects %q, %v, want 4 rows", w.name, read.keys(), read.reasons(), read.err)
			}
			for _, b := range read.batches {
				if len(b.Rejects) > 0 && b.Fetch >= n {
					r.Errorf("%s: got a reject with fetch %d, want one before fetch %d, which reads the row", w.name, b.Fetch, n)
				}
			}
		}
	}
}

func tooLarge(r *run) {
	const limit = 100_000
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {text}, grp {text})", "CREATE TABLE part (id {int}, u {time}, name {text})")
	for i := 1; i <= 6; i++ {
		size := map[int]int{2: 2 * limit, 5: 2 * limit}[i]
		r.exec(fmt.Sprintf("INSERT INTO doc VALUES (%d, {@1}, '%s', 'group')", i, strings.Repeat("x", size)))
	}
	for range 4 {
		r.exec(fmt.Sprintf("INSERT INTO part VALUES (3, {@1}, '%s')", strings.Repeat("y", limit/3)))
	}
	r.exec(fmt.Sprintf("INSERT INTO part VALUES (4, {@1}, '%s')", strings.Repeat("z", 2*limit)))
	acl := doc.ACL{Column: "grp"}
	for children, want := range map[bool]string{false: "2 5", true: "2 3 4 5"} {
		c := Config{Limits: doc.Limits{Text: limit}, ACL: acl, Batch: 4, Numbers: r.sink()}
		if children {
			c.Children, c.Batch = parts("id"), 1 // the sink checks documents that fit into a batch
		}
		table := r.open(c)
		for _, read := range []reading{r.rangeOf(table), readBatches("Docs", table.Docs(r.Context(), []doc.OID{oid(1), oid(2), oid(3), oid(4), oid(5), oid(6)}))} {
			var rejected []doc.OID
			for _, reject := range read.rejects {
				rejected = append(rejected, reject.OID)
				if !strings.Contains(reject.Reason, "more than 100000 bytes of text") || !doc.SameGroups(reject.Groups, acl.Value("group")) {
					r.Errorf("%s: got reject %+v, want it to name the limit and the groups", read.way, reject)
				}
			}
			if read.err != nil || printed(rejected) != want || len(read.docs)+len(rejected) != 6 {
				r.Errorf("%s, children %t: got rejects of %v and %d documents, %v, want %s", read.way, children, rejected, len(read.docs), read.err, want)
			}
		}
	}
}
