package sourcetest

import (
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// A keyCase is the rows of a table t (a integer, b text, u integer, gone integer)
// and what each method of a source returns for them, one line for each. u is
// seconds since 1970; gone = 1 marks a row deleted. Batches and pages have 2 rows.
//
//	range, docs           documents, marked if their batch has several rows of the key, deleted rows, reasons of rejects
//	of, in range          stamps, marked if their token is unknown; "unusable keys" for a stamp without a key
//	window                the same; a key of several rows comes once or more often, and its token may be known
//	keyless, in window    reasons of Keyless, and of Unusable for the window from 100 s to 200 s
type keyCase struct {
	name string
	key  []string
	rows string  // in the form of VALUES
	ask  [][]any // keys for Docs and StampsOf
	want string
}

func keyCases(r *run) {
	for i, c := range keyCasesOfRows {
		if i > 0 {
			r.exec("DROP TABLE t")
		}
		r.exec("CREATE TABLE t (a {int}, b {text}, u {int}, gone {int})", "INSERT INTO t VALUES "+c.rows)
		table := r.open(Config{
			SQL: "SELECT a, b, u, gone FROM t", Key: c.key, Batch: 2, Page: 2, Numbers: r.sink(),
			Deleted: Deleted{Column: "gone", Values: []any{int64(1)}},
		})
		got, want := r.keyCase(table, c), strings.TrimSpace(c.want)
		if r.h.Facts.NoDigest { // every token is unknown
			got, want = strings.ReplaceAll(got, " unknown", ""), strings.ReplaceAll(want, " unknown", "")
		}
		if got != want {
			r.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

func (r *run) keyCase(table Table, c keyCase) string {
	r.Helper()
	var ask []doc.OID
	for _, parts := range c.ask {
		ask = append(ask, oid(parts...))
	}
	ctx, w := r.Context(), doc.Window{From: time.Unix(100, 0), To: time.Unix(200, 0)}
	of, err := table.StampsOf(ctx, ask)
	slices.SortFunc(of, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	keyless, err2 := table.Keyless(ctx)
	unusable, err3 := table.Unusable(ctx, w)
	inRange := readStamps("StampsInRange", table.StampsInRange(ctx, all))
	lines := []string{
		"range     " + byBatch(readBatches("Range", table.Range(ctx, all))),
		"docs      " + byBatch(readBatches("Docs", table.Docs(ctx, ask))),
		"of        " + unknown(reading{stamps: of, err: err}),
		"in range  " + unknown(inRange),
		"window    " + unknown(once(readStamps("Stamps", table.Stamps(ctx, w)), inRange)),
		"keyless   " + listed(reading{rejects: keyless.Rejects, err: err2}, nil),
		"in window " + listed(reading{rejects: unusable.Rejects, err: err3}, nil),
	}
	return strings.Join(lines, "\n")
}

// byBatch prints the keys of documents and deleted rows, and the reasons of
// rejects, sorted. It marks a key that has several rows in its batch, and prints
// a key twice if two batches have it.
func byBatch(r reading) string {
	var texts []string
	for _, b := range r.batches {
		rows := map[doc.OID]int{}
		for _, d := range b.Docs {
			rows[d.OID]++
		}
		for o, n := range rows {
			text := o.String()
			if n > 1 {
				text += " by several rows"
			}
			texts = append(texts, text)
		}
		for _, o := range b.Deleted {
			texts = append(texts, o.String()+" deleted")
		}
		for _, reject := range b.Rejects {
			texts = append(texts, strings.TrimPrefix(reject.OID.String()+" ", "0x ")+reject.Reason)
		}
	}
	slices.Sort(texts)
	return listed(reading{err: r.err}, texts)
}

// once returns the stamps of a window without those that repeat the one before
// and, for keys of several rows, whose token is unknown in the range, with one
// digest.
func once(window, inRange reading) reading {
	several := map[doc.OID]bool{}
	for _, s := range inRange.stamps {
		several[s.OID] = s.Token.Digest == 0
	}
	for i, s := range window.stamps {
		if several[s.OID] {
			window.stamps[i].Token.Digest = 1
		}
	}
	window.stamps = slices.CompactFunc(window.stamps, func(a, b doc.Stamp) bool { return a.OID == b.OID && several[a.OID] })
	return window
}

// unknown prints the keys of stamps in their order, "unknown" after a key whose
// token is unknown, and "unusable keys" last.
func unknown(r reading) string {
	stamps, unusable := doc.WithoutUnusable(r.stamps)
	var texts []string
	for _, s := range stamps {
		text := s.OID.String()
		if s.Token.Digest == 0 {
			text += " unknown"
		}
		texts = append(texts, text)
	}
	if unusable {
		texts = append(texts, "unusable keys")
	}
	return listed(reading{err: r.err}, texts)
}

func listed(r reading, texts []string) string {
	for _, reject := range r.rejects {
		texts = append(texts, reject.Reason)
	}
	if r.err != nil {
		texts = append(texts, r.err.Error())
	}
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(texts, "; ")
}

var keyCasesOfRows = []keyCase{
	{name: "one row per key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0), (4, 'x', 300, 0), (5, 'x', NULL, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(2)}, {int64(9)}}, want: `
range     1; 2; 3; 4; 5
docs      1; 2; 2
of        1; 2
in range  1; 2; 3; 4; 5
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (2, 'y', 102, 0), (3, 'x', 103, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, want: `
range     1; 2 by several rows; 3
docs      1; 2 by several rows; 3
of        1; 2 unknown; 3
in range  1; 2 unknown; 3
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key, the same row twice", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (2, 'x', 101, 0), (3, 'x', 102, 0)",
		ask: [][]any{{int64(2)}}, want: `
range     1; 2 by several rows; 3
docs      2 by several rows
of        2 unknown
in range  1; 2 unknown; 3
window    1; 2; 3
keyless   none
in window none`},
	{name: "duplicate key across batches and pages", key: []string{"a"},
		rows: "(1, 'x', 100, 0), (2, 'a', 101, 0), (3, 'x', 102, 0), (2, 'b', 103, 0), (2, 'c', 104, 0), (3, 'y', 105, 0), (4, 'x', 106, 0), (2, 'd', 107, 0)",
		ask:  [][]any{{int64(1)}, {int64(2)}, {int64(3)}, {int64(4)}}, want: `
range     1; 2 by several rows; 3 by several rows; 4
docs      1; 2 by several rows; 3 by several rows; 4
of        1; 2 unknown; 3 unknown; 4
in range  1; 2 unknown; 3 unknown; 4
window    1; 2; 3; 2; 3; 4; 2
keyless   none
in window none`},
	{name: "all rows have one key", key: []string{"a"}, rows: "(1, 'a', 100, 0), (1, 'b', 100, 0), (1, 'c', 100, 0), (1, 'd', 100, 0), (1, 'e', 100, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1 by several rows
docs      1 by several rows
of        1 unknown
in range  1 unknown
window    1
keyless   none
in window none`},
	{name: "duplicate text key", key: []string{"b"}, rows: "(1, 'x', 100, 0), (2, 'y', 101, 0), (3, 'x', 102, 0), (4, 'X', 103, 0)",
		ask: [][]any{{"x"}, {"y"}}, want: `
range     X; x by several rows; y
docs      x by several rows; y
of        x unknown; y
in range  X; x unknown; y
window    x; y; x; X
keyless   none
in window none`},
	{name: "duplicate key, some rows marked deleted", key: []string{"a"}, rows: "(1, 'x', 100, 0), (1, 'y', 101, 1), (2, 'x', 102, 1), (3, 'x', 103, 1), (3, 'y', 104, 1)",
		ask: [][]any{{int64(1)}, {int64(2)}, {int64(3)}}, want: `
range     1
docs      1; 2 deleted; 3 deleted
of        1
in range  1
window    1
keyless   none
in window none`},
	{name: "NULL key", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 101, 0), (NULL, 'y', 102, 0), (2, 'x', 103, 0), (NULL, 'z', 103, 0), (3, 'x', 104, 0)",
		ask: [][]any{{int64(1)}, {int64(2)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1; 2
of        1; 2
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL keys before the first key", key: []string{"a"}, rows: "(NULL, 'x', 100, 0), (NULL, 'y', 100, 0), (NULL, 'z', 100, 0), (1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1
of        1
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL key after the first page", key: []string{"a"}, rows: "(1, 'x', 100, 0), (2, 'x', 101, 0), (3, 'x', 102, 0), (NULL, 'x', 103, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; 2; 3; key column a is NULL
docs      1
of        1
in range  1; 2; 3
window    1; 2; 3; unusable keys
keyless   key column a is NULL
in window key column a is NULL`},
	{name: "NULL key outside the window", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 300, 0), (NULL, 'x', NULL, 0)",
		ask: [][]any{{int64(1)}}, want: `
range     1; key column a is NULL
docs      1
of        1
in range  1
window    1
keyless   key column a is NULL
in window none`},
	{name: "NULL key, marked deleted", key: []string{"a"}, rows: "(1, 'x', 100, 0), (NULL, 'x', 101, 1)",
		ask: [][]any{{int64(1)}}, want: `
range     1
docs      1
of        1
in range  1
window    1
keyless   none
in window none`},
	{name: "NULL in a part of the key", key: []string{"a", "b"}, rows: "(1, 'x', 100, 0), (1, NULL, 101, 0), (NULL, 'x', 102, 0), (NULL, NULL, 103, 0), (2, 'x', 104, 0)",
		ask: [][]any{{int64(1), "x"}, {int64(2), "x"}}, want: `
range     1,x; 2,x; one of the key columns a, b is NULL
docs      1,x; 2,x
of        1,x; 2,x
in range  1,x; 2,x
window    1,x; 2,x; unusable keys
keyless   one of the key columns a, b is NULL
in window one of the key columns a, b is NULL`},
}
