package sourcetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

var rowKeyBehaviours = []behaviour{
	{"a table without a key has a key of each row, and equal rows are numbered", true, rowKeys},
	{"a key of a row stays while the row does, and is another after any change", true, changedRowKeys},
	{"a table without a key has a limit of rows", true, manyRowKeys},
}

var rowKeyText = regexp.MustCompile(`^[0-9a-f]{32}-[1-9]\d*$`)

// rowKeyed opens the table doc without a key.
func (r *run) rowKeyed(page int) SQLTable {
	r.Helper()
	return r.open(Config{SQL: "SELECT a, b FROM doc", RowKey: true, MaxRows: 1000, Timeless: true, Batch: page, Page: page, Numbers: r.sink()})
}

func (r *run) rowKeysOf(t SQLTable) []doc.OID {
	r.Helper()
	stamps := readStamps("StampsInRange", t.StampsInRange(r.Context(), all))
	if stamps.err != nil {
		r.Fatal(stamps.err)
	}
	return doc.OIDs(stamps.stamps)
}

func rowKeys(r *run) {
	if r.h.Facts.NoDigest {
		return // such a table is refused
	}
	r.exec("CREATE TABLE doc (a {int}, b {text})")
	if keys := r.rowKeysOf(r.rowKeyed(1)); len(keys) != 0 {
		r.Errorf("got keys %v of an empty table", keys)
	}
	r.exec("INSERT INTO doc VALUES (1, 'x'), (1, 'x'), (1, 'x'), (1, 'y'), (2, 'x'), (NULL, 'x'), (1, NULL), (NULL, NULL), (NULL, NULL), (1, ''), (11, ''), (1, '1')")
	for page := range 4 {
		table := r.rowKeyed(page*2 + 1)
		keys := r.rowKeysOf(table)
		if len(keys) != 12 || !slices.IsSorted(keys) || !table.Ordered() {
			r.Errorf("got the keys %v in the order of the database, want 12 in byte order", keys)
		}
		r.agree(table, keys...)
		r.checkRanges(table, keys)
		numbers := map[string]int{}
		for _, key := range keys {
			if !rowKeyText.MatchString(key.String()) {
				r.Errorf("got key %v, want 32 hex digits and a number", key)
			}
			_, number, _ := strings.Cut(key.String(), "-")
			numbers[number]++
		}
		if got := fmt.Sprint(numbers); got != "map[1:9 2:2 3:1]" {
			r.Errorf("got the numbers of equal rows %s, want 9 rows of number 1, 2 of 2 and 1 of 3", got)
		}
		if got := fmt.Sprint(table.Columns()); got != "[a b]" {
			r.Errorf("got the columns %s, want those of the SQL", got)
		}
		for _, d := range r.rangeOf(table).docs {
			if len(d.Row.Names) != 2 || len(d.Row.Values) != 2 {
				r.Errorf("got row %+v, want the columns of the SQL", d.Row)
			}
		}
		r.checkMissing(table)
	}
}

// checkMissing asks for a key that no row has, beside one that a row has.
func (r *run) checkMissing(table SQLTable) {
	r.Helper()
	keys := append(r.rowKeysOf(table)[:1], oid(strings.Repeat("0", 32)+"-1"))
	if read := readBatches("Docs", table.Docs(r.Context(), keys)); read.err != nil || len(read.docs) != 1 {
		r.Errorf("Docs: got %d rows, %v, want 1", len(read.docs), read.err)
	}
}

func changedRowKeys(r *run) {
	if r.h.Facts.NoDigest {
		return
	}
	r.exec("CREATE TABLE doc (a {int}, b {text})", "INSERT INTO doc VALUES (1, 'x'), (2, 'x'), (2, 'x'), (3, 'x')")
	table := r.rowKeyed(2)
	before := r.agree(table, r.rowKeysOf(table)...)
	for _, c := range []struct {
		write      string
		gone, rows int
	}{
		{"UPDATE doc SET b = 'y' WHERE a = 1", 1, 4},
		{"INSERT INTO doc VALUES (1, 'z')", 0, 5},
		{"DELETE FROM doc WHERE a = 3", 1, 4},
		{"UPDATE doc SET b = NULL WHERE a = 2", 2, 4},
		{"UPDATE doc SET b = 'x' WHERE a = 2", 2, 4},
	} {
		r.exec(c.write)
		after := r.agree(table, r.rowKeysOf(table)...)
		gone := 0
		for key, s := range before {
			if now, there := after[key]; !there {
				gone++
			} else if !now.Same(s) {
				r.Errorf("%s: row %v has stamp %+v, had %+v, want the same", c.write, key, now, s)
			}
		}
		if gone != c.gone || len(after) != c.rows {
			r.Errorf("%s: got %d keys gone and %d rows, want %d and %d", c.write, gone, len(after), c.gone, c.rows)
		}
		before = after
	}
}

func manyRowKeys(r *run) {
	r.exec("CREATE TABLE doc (a {int}, b {text})", "INSERT INTO doc VALUES (1, 'x'), (1, 'x'), (2, 'x')")
	for most, want := range map[int]string{2: "limits.rows", 3: ""} {
		table, err := r.describe(Config{SQL: "SELECT a, b FROM doc;", RowKey: true, MaxRows: most, Timeless: true})
		if r.h.Facts.NoDigest {
			want = "name the columns"
		}
		field, do, ok := configFault(err)
		if want == "" {
			r.checkGrowth(table)
		}
		if want == "" && err != nil || want != "" && (!ok || field != "key" || !strings.Contains(do, want)) {
			r.Errorf("at most %d rows: got %v, want a fault of key: %s", most, err, want)
		}
	}
	_, err := r.describe(Config{SQL: "SELECT a, c FROM doc", RowKey: true, MaxRows: 3, Timeless: true})
	if field, _, ok := configFault(err); !ok || field != "sql" && !r.h.Facts.NoDigest {
		r.Errorf("got %v, want a fault of sql", err)
	}
}

// checkGrowth lists the rows of a table that has as many as it may have, and then
// one more.
func (r *run) checkGrowth(table SQLTable) {
	r.Helper()
	r.rowKeysOf(table)
	r.exec("INSERT INTO doc VALUES (3, 'x')")
	defer r.exec("DELETE FROM doc WHERE a = 3")
	stamps := readStamps("StampsInRange", table.StampsInRange(r.Context(), all))
	if _, do, ok := configFault(stamps.err); !ok || !strings.Contains(do, "limits.rows") {
		r.Errorf("one more row: got %v, want a fault with limits.rows", stamps.err)
	}
}
