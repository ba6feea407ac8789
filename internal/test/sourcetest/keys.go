package sourcetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var keyBehaviours = []behaviour{
	{"keys of integers are read by every way and every range", false, integerKeys},
	{"keys of odd texts are read by every way and every range", false, textKeys},
	{"keys of UUIDs are read by every way and every range", true, uuidKeys},
	{"keys of several columns are read by every way and every range", false, compositeKeys},
	{"keys of every other kind are read by every way and every range", true, otherKeys},
	{"keys are equal and sort as in the database, whatever their values", true, drawnKeys},
	{"hundreds of keys are read by every way, with children and marks", false, manyKeys},
	{"keys that differ in case only are different rows", true, foldedKeys},
	{"NULL keys and keys of several rows are reported", true, keyCases},
	{"a key of several rows is listed once, whatever the page", true, duplicatesOnPages},
	{"a row whose key can't be used is a reject without a key", true, unusableKeys},
	{"a key of another table is an error", true, foreignKeys},
}

func integerKeys(r *run) {
	var keys [][]any
	for _, k := range []int64{math.MinInt64, math.MinInt64 + 1, -1 << 31, -2, -1, 0, 1, 9, 10, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64} {
		keys = append(keys, []any{k})
	}
	r.checkKeys([]string{"{int}"}, keys, []any{int64(12345)})
}

var oddTexts = []string{
	"", " ", "  ", "a", "A", "a ", "a  ", " a", "aa", "b", "B", "'", "''", `"`, `\`, `\'`, `\\`, "%", "_", "a%b", "a_b", "[a]", "\n", "\t", "a\r\nb", "0", "00", "1", "10", "9", "1e3", "-1", "NULL", "null",
	"a,b", "a/b", "a%2Cb", "--", ";", "/*", "?", "$1", ":a", "@a", "{}", "é", "e\u0301", "ä", "Ä", "ß", "ss", "İ", "漢字", "\u200b", "\ufeff", "\uffee", "\U0001F600", "\U0010FFFD", strings.Repeat("x", 500), strings.Repeat("é", 250),
}

func textKeys(r *run) {
	var keys [][]any
	for _, k := range oddTexts {
		keys = append(keys, []any{k})
	}
	r.checkKeys([]string{"{text}"}, keys, []any{"missing"})
}

func uuidKeys(r *run) {
	var keys [][]any
	for i := range 16 {
		keys = append(keys, []any{[16]byte{0: byte(i * 17), 7: 0x80, 8: 0x7f, 15: byte(i)}})
	}
	r.checkKeys([]string{"{uuid}"}, keys, []any{[16]byte{1}})
}

func compositeKeys(r *run) {
	for _, c := range []struct {
		types  []string
		values [][]any
	}{
		{[]string{"{int}", "{text}"}, [][]any{{int64(-1), int64(0), int64(1)}, {"", "a", "A", `"],[`, "a,b"}}},
		{[]string{"{text}", "{int}"}, [][]any{{"", "a", "a ", "é"}, {int64(-1), int64(0), int64(10), int64(9)}}},
		{[]string{"{text}", "{int}", "{text}"}, [][]any{{"a", "b"}, {int64(1), int64(2)}, {"", "x", "y"}}},
	} {
		keys := product(c.values)
		missing := slices.Clone(keys[0])
		for i, p := range missing {
			if _, text := p.(string); text {
				missing[i] = "missing"
			}
		}
		r.fresh().checkKeys(c.types, keys, missing)
	}
}

// otherKeys checks each type alone and as any part of a composite key.
func otherKeys(r *run) {
	for _, k := range facts(r, r.h.Facts.Keys) {
		for _, c := range []struct {
			types  []string
			values [][]any
		}{
			{[]string{k.Type}, [][]any{k.Values}},
			{[]string{k.Type, "{int}"}, [][]any{k.Values, {int64(1), int64(-1)}}},
			{[]string{"{text}", k.Type, "{int}"}, [][]any{{"a", "b"}, k.Values, {int64(1), int64(2)}}},
		} {
			r = r.fresh()
			if k.Setup != "" {
				r.exec(k.Setup)
			}
			keys := product(c.values)
			missing := slices.Clone(keys[0])
			missing[slices.Index(c.types, k.Type)] = k.Missing
			if k.Missing == nil {
				missing = nil
			}
			r.checkKeys(c.types, keys, missing)
			r.checkMarks(c.types, keys)
			if r.Failed() {
				r.Fatalf("keys of %v", c.types)
			}
		}
	}
}

// checkMarks checks that every other row of these keys is marked deleted.
func (r *run) checkMarks(types []string, keys [][]any) {
	r.Helper()
	r.exec("DROP TABLE doc", "DROP TABLE part")
	var rows []Row
	var live, deleted []doc.OID
	for i, key := range keys {
		row := Row{Key: key, Updated: at(i % 3), Marked: i%2 == 0, Children: []string{"child"}}
		if rows = append(rows, row); row.Marked {
			deleted = append(deleted, row.oid())
		} else {
			live = append(live, row.oid())
		}
	}
	table := r.rows(shape{key: types, children: true, marks: true, config: Config{Batch: 3, Page: 3, Numbers: r.sink()}}, rows...)
	r.agree(table, live...)
	read := readBatches("Docs", table.Docs(r.Context(), oidsOf(rows)))
	if read.err != nil || read.keys() != printed(live) || printed(read.deleted) != printed(deleted) {
		r.Errorf("Docs: got %s and %s deleted, %v, want %s and %s", read.keys(), printed(read.deleted), read.err, printed(live), printed(deleted))
	}
	r.checkLeft(table, ever, printed(deleted))
}

// product returns all keys with one of the values for each part.
func product(values [][]any) [][]any {
	keys := [][]any{{}}
	for _, values := range values {
		var longer [][]any
		for _, key := range keys {
			for _, v := range values {
				longer = append(longer, append(slices.Clone(key), v))
			}
		}
		keys = longer
	}
	return keys
}

// manyKeys asks for more keys at once than some databases select by.
func manyKeys(r *run) {
	s := shape{key: []string{"{int}", "{text}"}, children: true, marks: true, config: Config{Batch: 500, Page: 500, Numbers: r.sink()}}
	var rows []Row
	var live, deleted []doc.OID
	for i := range 250 {
		row := Row{Key: []any{int64(i % 7), fmt.Sprint(i)}, Updated: at(i % 3), Marked: i%5 == 0, Children: []string{"child"}}
		rows = append(rows, row)
		if row.Marked {
			deleted = append(deleted, row.oid())
		} else {
			live = append(live, row.oid())
		}
	}
	table := r.rows(s, rows...)
	r.agree(table, live...)
	read := readBatches("Docs", table.Docs(r.Context(), oidsOf(rows)))
	if read.err != nil || read.keys() != printed(live) || len(read.docs) != len(live) || printed(read.deleted) != printed(deleted) {
		r.Errorf("Docs: got %d documents and %d deleted rows, %v, want %d and %d", len(read.docs), len(read.deleted), read.err, len(live), len(deleted))
	}
	for _, d := range read.docs {
		if r.db != nil && len(d.Row.Children[0].Rows) != 1 {
			r.Errorf("row %v: got children %v, want one", d.OID, d.Row.Children)
		}
	}
	r.checkLeft(table, ever, printed(deleted))
}

// checkKeys checks that every way finds the rows with these keys, and that each
// key divides the table into two ranges.
func (r *run) checkKeys(types []string, keys [][]any, missing []any) {
	r.Helper()
	if r.h.Facts.EmptyIsNull {
		keys = slices.DeleteFunc(keys, func(key []any) bool { return slices.Contains(key, any("")) })
	}
	var rows []Row
	for i, key := range keys {
		row := Row{Key: key, Text: fmt.Sprint("text ", i), Updated: at(i % 3)}
		for j := range i % 3 {
			row.Children = append(row.Children, fmt.Sprintf("part %d of %d", j, i))
		}
		rows = append(rows, row)
	}
	table := r.rows(shape{key: types, children: true, config: Config{Batch: 7, Page: 5, Numbers: r.sink()}}, rows...)
	want := oidsOf(rows)
	r.agree(table, want...)
	r.checkChildren(table, rows)
	ask := slices.Clone(want)
	if missing != nil {
		ask = append(ask, oid(missing...))
	}
	read := readBatches("Docs", table.Docs(r.Context(), ask))
	if read.err != nil || len(read.docs) != len(want) {
		r.Errorf("Docs: got %d rows, %v, want %d: one key has no row", len(read.docs), read.err, len(want))
	}
	r.checkRanges(table, want)
	r.checkSums(table, want)
}

// checkChildren checks that each document has the children of its row.
func (r *run) checkChildren(table Table, rows []Row) {
	r.Helper()
	if r.db == nil {
		return
	}
	want := map[doc.OID]Row{}
	for _, row := range rows {
		want[row.oid()] = row
	}
	for _, d := range r.rangeOf(table).docs {
		var names []string
		for _, row := range d.Row.Children[0].Rows {
			name, _ := row.Get("name")
			names = append(names, name.(string))
		}
		slices.Sort(names)
		if children := slices.Sorted(slices.Values(want[d.OID].Children)); !slices.Equal(names, children) {
			r.Errorf("row %v: got children %q, want %q", d.OID, names, children)
		}
	}
}

// checkRanges checks that each key of the table divides it into two ranges.
func (r *run) checkRanges(table Table, keys []doc.OID) {
	r.Helper()
	order := doc.OIDs(readStamps("", table.StampsInRange(r.Context(), all)).stamps)
	if table.Ordered() && !slices.IsSorted(order) {
		r.Errorf("Ordered is true, and the keys come as %v, want them in byte order", order)
	}
	for _, key := range keys {
		i := slices.Index(order, key)
		for half, want := range map[doc.Range][]doc.OID{{From: key}: order[i:], {To: key}: order[:i], {From: order[i/2], To: key}: order[i/2 : i]} {
			stamps := readStamps("StampsInRange", table.StampsInRange(r.Context(), half))
			docs := readBatches("Range", table.Range(r.Context(), half))
			if got := doc.OIDs(stamps.stamps); stamps.err != nil || !slices.Equal(got, want) {
				r.Errorf("StampsInRange of %v: got %v, %v, want %v", half, got, stamps.err, want)
			}
			if got := docs.keys(); docs.err != nil || got != printed(want) || len(docs.docs) != len(want) {
				r.Errorf("Range of %v: got %s, %v, want %s", half, got, docs.err, printed(want))
			}
		}
	}
}

func foldedKeys(r *run) {
	var rows []Row
	for i, key := range strings.Fields("a A b B ab Ab aB AB Ba c abc aBc ABC d") {
		rows = append(rows, Row{Key: []any{key}, Text: key, Updated: at(0), Children: []string{"child of " + key}})
		if i%4 == 0 {
			rows[i].Updated, rows[i].Children = at(1), nil
		}
	}
	want := oidsOf(rows)
	table := r.rows(shape{key: []string{"{fold}"}, children: true, config: Config{Batch: 3, Page: 2}}, rows...).(*sqlRows)
	for page := range 6 {
		table := r.open(Config{SQL: "SELECT k1, u, title FROM doc", Key: table.key, Children: parts(table.key...), Batch: page%4 + 1, Page: page + 1})
		r.agree(table, want...)
		for _, d := range r.rangeOf(table).docs {
			if rows := d.Row.Children[0].Rows; len(rows) == 1 && !slices.Contains(rows[0].Values, any("child of "+d.OID.String())) {
				r.Errorf("%v has %v, want the child of the same bytes", d.OID, rows)
			}
		}
		for _, o := range want {
			if of, err := table.StampsOf(r.Context(), []doc.OID{o}); err != nil || len(of) != 1 || of[0].OID != o {
				r.Errorf("StampsOf %v: got %v, %v, want its stamp alone", o, of, err)
			}
		}
		for n := 1; n < 8; n += 2 {
			r.coverage(table, n, want)
		}
	}
}

func duplicatesOnPages(r *run) {
	var rows []string
	for i := range 40 {
		rows = append(rows, fmt.Sprintf("INSERT INTO doc VALUES (%d, {@%d}, 'row %d')", i/5-4, i%7, i))
	}
	r.exec("CREATE TABLE doc (id {int}, u {time}, v {text})", "CREATE TABLE part (id {int}, u {time}, name {text})")
	r.exec(rows...)
	for _, page := range []int{2, 3, 5, 7, 100} {
		for _, children := range [][]Child{nil, parts("id")} {
			table := r.open(Config{Page: page, Batch: page, Children: children})
			stamps := readStamps("", table.StampsInRange(r.Context(), all))
			if len(stamps.stamps) != 8 || !slices.IsSorted(doc.OIDs(stamps.stamps)) || stamps.err != nil {
				r.Errorf("pages of %d: got stamps of %v, %v, want each of 8 keys once", page, doc.OIDs(stamps.stamps), stamps.err)
			}
			for _, s := range stamps.stamps {
				if s.Token.Digest != 0 {
					r.Errorf("pages of %d: got %+v, want an unknown token of several rows", page, s)
				}
			}
			for _, b := range r.rangeOf(table).batches {
				rows := map[doc.OID]int{}
				for _, d := range b.Docs {
					rows[d.OID]++
				}
				for o, n := range rows {
					if n < 2 {
						r.Errorf("batches of %d: got one row of %v in a batch, want at least 2", page, o)
					}
				}
			}
		}
	}
}

func unusableKeys(r *run) {
	for i, bad := range facts(r, r.h.Facts.BadKeys) {
		doc1 := fmt.Sprintf("doc%d", i)
		r.exec("CREATE TABLE "+doc1+" (id "+bad.Type+", u {time})",
			"INSERT INTO "+doc1+" VALUES (1, {@1}), ("+bad.SQL+", {@2}), ("+bad.SQL+", {@2}), (2, {@3})")
		for page := 1; page < 4; page++ {
			table := r.open(Config{SQL: "SELECT * FROM " + doc1, Page: page, Batch: page})
			read := r.rangeOf(table)
			if read.keys() != "1 2" || len(read.rejects) == 0 {
				r.Errorf("%v: got rows %s and rejects %q, want 1 2 and a reject", bad, read.keys(), read.reasons())
			}
			keyless, err := table.Keyless(r.Context())
			if err != nil || len(keyless.Rejects) != 1 || keyless.At.IsZero() {
				r.Errorf("%v: Keyless: got %+v, %v, want one reject with a time", bad, keyless, err)
			}
			inWindow, err := table.Unusable(r.Context(), doc.Window{From: at(2), To: at(3)})
			if err != nil || len(inWindow.Rejects) != 1 {
				r.Errorf("%v: Unusable: got %+v, %v, want one reject", bad, inWindow, err)
			}
			for _, reject := range slices.Concat(read.rejects, keyless.Rejects, inWindow.Rejects) {
				if reject.OID != "" || !strings.Contains(reject.Reason, bad.Reason) {
					r.Errorf("%v: got reject %+v, want it without a key", bad, reject)
				}
			}
			for _, w := range []struct {
				from, to time.Time
				want     string
			}{{ever.From, ever.To, " 1 2"}, {at(2), at(3), ""}, {at(3), at(4), "2"}} {
				stamps := readStamps("", table.Stamps(r.Context(), doc.Window{From: w.from, To: w.to}))
				usable, unusable := doc.WithoutUnusable(stamps.stamps)
				if got := printed(doc.OIDs(usable)); got != strings.TrimSpace(w.want) || unusable == (w.want == "2") || stamps.err != nil {
					r.Errorf("%v: window from %v: got %q, unusable %t, %v, want %q", bad, w.from, got, unusable, stamps.err, w.want)
				}
			}
		}
	}
}

func foreignKeys(r *run) {
	r.exec("CREATE TABLE doc (id {int}, u {time})", "INSERT INTO doc VALUES (1, {@1})")
	table := r.open(Config{Numbers: r.sink()})
	for _, o := range []doc.OID{oid("a"), oid(1, 2), oid([16]byte{}), "nonsense"} {
		_, of := table.StampsOf(r.Context(), []doc.OID{o})
		for way, err := range map[string]error{
			"Docs": readBatches("", table.Docs(r.Context(), []doc.OID{o})).err, "StampsOf": of,
			"Range": readBatches("", table.Range(r.Context(), doc.Range{From: o})).err, "Range to": readBatches("", table.Range(r.Context(), doc.Range{To: o})).err,
			"StampsInRange": readStamps("", table.StampsInRange(r.Context(), doc.Range{From: o})).err,
		} {
			if err == nil || errors.Is(err, doc.ErrUnavailable) || errors.Is(err, doc.ErrChangedResult) {
				r.Errorf("%s of %v: got %v, want an error about the key", way, o, err)
			}
		}
	}
}
