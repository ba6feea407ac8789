package sourcetest

import (
	"fmt"
	"strings"
	"testing"

	"indexerd/internal/doc"
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
	Cost(Statement) (Cost, error)
}

// A pageCase is a table whose pages must not cost more than their rows.
type pageCase struct {
	name    string
	columns []string // of the key, with their types
	values  string   // of row k, from 0
	unique  bool
	extra   int // rows that a statement reads beside those that it returns
}

// planRows is the number of rows of a table. Seven updateTimes share them, so that
// a page ends among rows of one updateTime.
const planRows = 20_000

// planPage is the number of rows of a page.
const planPage = 500

var pageCases = []pageCase{
	{"one integer", []string{"id {int}"}, "k", true, 2},
	{"one text", []string{"name {text}"}, "'key ' || k", true, 2},
	{"two parts", []string{"a {int}", "b {text}"}, "k % 9, 'key ' || k", true, 2},
	{"three parts", []string{"a {text}", "b {int}", "c {int}"}, "'key ' || (k / 9000), k % 90, k", true, 2},
	{"a text that ignores case", []string{"name {fold}"}, "'key ' || k", true, 2},
	// Four keys are equal but for case. A page begins and ends within four such keys.
	{"texts that differ in case only", []string{"name {fold}"}, "CASE k % 4 WHEN 0 THEN 'key' WHEN 1 THEN 'Key' WHEN 2 THEN 'kEy' ELSE 'KEY' END || (k / 4)", false, 2 + 2*4},
}

// Plans checks that each page of a window and of a range reads no more rows than
// it returns, and a few. An index on the key, and one on updateTime and key, exist.
// The databases of the harness are Costers.
func Plans(t *testing.T, h Harness) {
	for _, c := range pageCases {
		t.Run(c.name, func(t *testing.T) {
			db := h.Open(t).(Coster)
			r := &run{t, &h, db}
			k := keyShape{columns: c.columns}
			r.planTable(c, join(k.names()))
			counting := db.Counting(k.names()[0])
			table := r.open(Config{SQL: "SELECT * FROM doc" + counting, Key: k.names(), Batch: planPage, Page: planPage})
			questions := pageQuestions(r, table)
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
	updated := ""
	for i := range 6 {
		updated += fmt.Sprintf(" WHEN %d THEN {@%d}", i, i)
	}
	r.exec("CREATE TABLE doc ("+join(c.columns)+", u {time}, title {text})",
		"CREATE "+unique+"INDEX doc_key ON doc ("+key+")", "CREATE INDEX doc_u ON doc (u, "+key+")",
		fmt.Sprintf("INSERT INTO doc WITH RECURSIVE rows_of(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM rows_of WHERE i < %d) SELECT %s, CASE i / 3000%s ELSE {@7} END, 'title' FROM (SELECT i, i * 7919 %% %d AS k FROM rows_of) numbers",
			planRows-1, c.values, updated, planRows))
}

// pageQuestions are those whose answer has pages. The range's bounds are far
// inside the table.
func pageQuestions(r *run, table SQLTable) []question {
	points, err := table.Breakpoints(r.Context(), planRows/4)
	if err != nil || len(points) != 3 {
		r.Fatalf("got %d breakpoints, %v, want 3", len(points), err)
	}
	inside := doc.Range{From: points[0], To: points[2]}
	return []question{
		askWindow,
		{name: "read a window of one updateTime", ask: askWindowOf(doc.Window{From: at(3), To: at(4)})},
		{name: "read a range of rows", ask: askRangeOf(inside)},
		{name: "read the stamps of a range", ask: askStampsInRange(inside)},
		{name: "read all stamps", ask: askStampsInRange(all)},
	}
}

// checkCosts runs the pages of a question again. A statement that looks for a row
// without a key has no order. It is sent once, and may read a window.
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
		if cost.Read > cost.Returned+max(c.extra, most) { // one message for many pages
			r.Errorf("%s, statement %d: got %d rows read for %d, want at most %d more:\n%s\n%s\n%s", question, i+1, cost.Read, cost.Returned, c.extra, s.SQL, printedArgs(s.Args), cost.Plan)
		}
		most = max(most, cost.Read-cost.Returned)
	}
	r.Logf("%s: %d statements return %d rows and read at most %d more each", question, len(sent), returned, most)
	if returned < planRows/8 {
		r.Errorf("%s: got %d rows of all pages, want at least %d", question, returned, planRows/8)
	}
}
