package sourcetest

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/sourcetest/dialecttest"
)

// A Cost is what a statement costs. Plan is the database's plan, for messages.
type Cost struct {
	Read, Returned int // rows
	Plan           string
}

// A Coster is a Recorder that runs the source's statements again and counts the
// rows that they read.
type Coster interface {
	Recorder
	// Counting returns the condition with which an SQL counts the rows that it reads
	// by a column; "": it needs none.
	Counting(column string) string
	// Statistics returns statements. The costs are checked after each of them; "":
	// after none.
	Statistics() []string
	Cost(dialecttest.Statement) (Cost, error)
}

// A pageCase is a table whose pages must not cost more than their rows.
type pageCase struct {
	name    string
	columns []string // of the key, with their types
	values  string   // of row k, from 0
	unique  bool
	updates int // the number of updateTimes, each of as many rows
	extra   int // rows that a statement reads beside those that it returns
	setup   string
}

// planRows is the number of rows of a table. So few updateTimes share them that
// nearly every page ends among rows of one updateTime.
func (r *run) planRows() int { return cmp.Or(r.h.Facts.PlanRows, 6_000) }

// planPage is the number of rows of a page.
const planPage = 200

var pageCases = []pageCase{
	{"one integer", []string{"id {int}"}, "k", true, 7, 2, ""},
	{"one text", []string{"name {text}"}, "'key ' || k", true, 7, 2, ""},
	{"two parts", []string{"a {int}", "b {text}"}, "k % 9, 'key ' || k", true, 7, 2, ""},
	{"three parts", []string{"a {text}", "b {int}", "c {int}"}, "'key ' || (k / 2700), k % 90, k", true, 7, 2, ""},
	{"a text that ignores case", []string{"name {fold}"}, "'key ' || k", true, 7, 2, ""},
	{"one text and one updateTime", []string{"name {text}"}, "'key ' || k", true, 1, 2, ""},
	// Four keys are equal but for case. A page begins and ends within four such keys.
	{"texts that differ in case only", []string{"name {fold}"}, "CASE k % 4 WHEN 0 THEN 'key' WHEN 1 THEN 'Key' WHEN 2 THEN 'kEy' ELSE 'KEY' END || (k / 4)", false, 7, 2 + 2*4, ""},
}

// otherPageCases are those of further types of keys.
func otherPageCases(types []KeyType) (cases []pageCase) {
	for _, k := range types {
		c := pageCase{"keys of " + k.Type, []string{"a " + k.Type}, k.Of, true, 7, 2, k.Setup}
		if k.Repeats {
			c.columns, c.values = append(c.columns, "b {int}"), k.Of+", k"
		}
		cases = append(cases, c)
	}
	return cases
}

// Plans checks that each page of a window and of a range reads no more rows than
// it returns, and a few. An index on the key, and one on updateTime and key, exist.
// The databases of the harness are Costers. Lacks names tables for which it does not
// hold.
func Plans(t *testing.T, h Harness) {
	for _, c := range append(pageCases, otherPageCases(h.Facts.Keys)...) {
		t.Run(c.name, func(t *testing.T) {
			if why := h.Lacks[c.name]; why != "" {
				t.Skip(why)
			}
			db := h.Open(t).(Coster)
			r := &run{t, &h, db}
			k := keyShape{columns: c.columns}
			r.planTable(c, join(k.names()))
			counting := db.Counting(k.names()[0])
			table := r.open(Config{SQL: "SELECT * FROM doc" + counting, Key: k.names(), Batch: planPage, Page: planPage})
			questions := pageQuestions(r, c, table)
			for _, statement := range db.Statistics() {
				if statement != "" {
					r.exec(statement)
				}
				for _, q := range questions {
					db.Statements()
					if err := q.ask(r.Context(), table, k); err != nil {
						t.Fatal(err)
					}
					r.checkCosts(db, c, q.name)
				}
			}
		})
	}
}

func (r *run) planTable(c pageCase, key string) {
	r.Helper()
	unique := map[bool]string{true: "UNIQUE "}[c.unique]
	updated, rows := "", r.planRows()
	for i := range c.updates {
		updated += fmt.Sprintf(" WHEN %d THEN {@%d}", i, i)
	}
	if c.setup != "" {
		r.exec(c.setup)
	}
	r.exec("CREATE TABLE doc ("+join(c.columns)+", u {time}, title {text})",
		"CREATE "+unique+"INDEX doc_key ON doc ("+key+")", "CREATE INDEX doc_u ON doc (u, "+key+")",
		fmt.Sprintf("INSERT INTO doc WITH RECURSIVE rows_of(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM rows_of WHERE i < %d) SELECT %s, CAST(CASE i / %d%s END AS {time}), '%s' FROM (SELECT i, i * 7919 %% %d AS k FROM rows_of) numbers",
			rows-1, c.values, (rows+c.updates-1)/c.updates, updated, cmp.Or(r.h.Facts.PlanTitle, "title"), rows))
}

// pageQuestions are those whose answer has pages. The range's bounds are far
// inside the table.
func pageQuestions(r *run, c pageCase, table SQLTable) []question {
	points, err := table.Breakpoints(r.Context(), r.planRows()/4)
	if err != nil || len(points) != 3 {
		r.Fatalf("got %d breakpoints, %v, want 3", len(points), err)
	}
	inside := doc.Range{From: points[0], To: points[2]}
	return []question{
		askWindow,
		{name: "read a window of one updateTime", ask: askWindowOf(doc.Window{From: at(c.updates / 2), To: at(c.updates/2 + 1)})},
		{name: "read a range of rows", ask: askRangeOf(inside)},
		{name: "read all stamps", ask: askStampsInRange(all)},
	}
}

// checkCosts runs the pages of a question again. The last two may read all rows that
// are left, which are fewer than sorting by an index is worth. A statement that
// looks for a row without a key has no order. It is sent once, and may read a
// window.
func (r *run) checkCosts(db Coster, c pageCase, question string) {
	r.Helper()
	sent := db.Statements()
	if len(sent) < 5 {
		r.Errorf("%s: got %d statements, want several pages", question, len(sent))
	}
	returned, most := 0, -planPage
	for i, s := range sent {
		if !strings.Contains(s.SQL, "ORDER BY") {
			continue
		}
		cost, err := db.Cost(s)
		if err != nil {
			r.Fatalf("%s: %v", s.SQL, err)
		}
		returned += cost.Returned
		extra := c.extra
		if i >= len(sent)-2 {
			extra += planPage
		}
		more := cost.Read - cost.Returned
		if more > max(extra, most) { // one message for many pages
			r.Errorf("%s, statement %d: got %d rows read for %d, want at most %d more:\n%s\n%s\n%s", question, i+1, cost.Read, cost.Returned, extra, s.SQL, printedArgs(s.Args), cost.Plan)
		}
		most = max(most, more)
	}
	r.Logf("%s: %d statements return %d rows and read at most %d more each", question, len(sent), returned, most)
	if returned < r.planRows()/8 {
		r.Errorf("%s: got %d rows of all pages, want at least %d", question, returned, r.planRows()/8)
	}
}
