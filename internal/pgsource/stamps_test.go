package pgsource

import (
	"strings"
	"testing"

	"indexerd/internal/doc"
)

func windowTable(t *testing.T) *Table {
	t.Helper()
	table, _ := newTable(t, `CREATE TABLE doc (id int, u timestamptz); CREATE TABLE line (doc int, u timestamptz, n int);
		INSERT INTO doc VALUES (1, '2024-01-01Z'), (2, '2024-01-02Z'); INSERT INTO line VALUES (1, '2024-01-03Z', 0), (2, '2020-01-01Z', 1)`,
		TableConfig{Children: []ChildConfig{
			{Name: "line", Path: "children.line", SQL: "SELECT doc, u, n FROM line", Key: []string{"doc"}, Updated: "u", Columns: []string{"n"}},
			{Name: "broken", Path: "children.broken", SQL: "SELECT doc, CASE WHEN n = 0 THEN u ELSE u + interval '1 s' / n END AS u, n FROM line", Key: []string{"doc"}, Updated: "u", Columns: []string{"n"}},
		}})
	return table
}

// An empty window of rows and children is one transaction: BEGIN and one query
// each.
func TestIdleWindowIsOneTransaction(t *testing.T) {
	t.Parallel()
	table := windowTable(t)
	before := table.src.Figures().Statements
	if got := readStamps(t, table.Stamps(t.Context(), doc.Window{From: at(t, "2025-01-01T00:00:00Z"), To: maxTime})); len(got) != 0 {
		t.Errorf("got %v, want nothing", got)
	}
	if got := table.src.Figures().Statements - before; got != 4 {
		t.Errorf("statements: got %d, want BEGIN, the rows and two children", got)
	}
}

// A failing child fails the window after the stamps before it have been
// yielded.
func TestFailingChildComesAfterTheRows(t *testing.T) {
	t.Parallel()
	table := windowTable(t)
	broken := &table.children[1].view
	broken.sql = wrap(strings.Replace("SELECT doc, CASE WHEN n = 0 THEN u ELSE u + interval '1 s' / n END AS u, n FROM line", "/ n END", "/ (n - 1) END", 1))
	var got []doc.Stamp
	var failed error
	for page, err := range table.Stamps(t.Context(), doc.Window{From: minTime, To: maxTime}) {
		if failed = err; err == nil {
			got = append(got, page...)
		}
	}
	if failed == nil || !strings.HasPrefix(failed.Error(), "table doc: division by zero") {
		t.Errorf("got %v, want a division by zero", failed)
	}
	if len(got) != 4 { // both rows, and the parents of both lines
		t.Errorf("got %v before the failure, want the rows and the first child's parents", got)
	}
}
