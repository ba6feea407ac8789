package sourcetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/sourcetest/dialecttest"
)

// A Recorder is a Database whose source records its statements.
type Recorder interface {
	Database
	// Statements returns the statements since the last call.
	Statements() []dialecttest.Statement
}

// Statements compares the statements for each question about tables of several
// kinds of keys with a file, or writes the file. The database is a Recorder. Each
// statement stands under the first question that sends it.
func Statements(t *testing.T, h Harness, file string, update bool) {
	var got strings.Builder
	got.WriteString("-- The statements that the engine sends, each under the first question that\n-- sends it. The test of the dialect writes this file with -update.\n")
	shapes := keyShapes
	if len(h.Facts.Keys) > 0 {
		shapes = append(slices.Clone(shapes), otherKeyShape(h.Facts.Keys))
	}
	for _, key := range shapes {
		db := h.Open(t).(Recorder)
		k := &askedKey{run: &run{t, &h, db}, keyShape: key, recorder: db, text: &got, printed: map[string]bool{}}
		k.ask()
	}
	if update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i, line := range gotLines {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Fatalf("line %d of the statements: got\n%s\nwant\n%s\nif the change is meant, run the test with -update and read the difference", i+1, line, strings.Join(wantLines[i:min(i+1, len(wantLines))], ""))
		}
	}
	if len(gotLines) < len(wantLines) {
		t.Fatalf("got %d lines of statements, want %d: run the test with -update and read the difference", len(gotLines), len(wantLines))
	}
}

// A keyShape is a kind of key.
type keyShape struct {
	name    string
	columns []string // with their types
	row     string   // the values of row %[1]d; "": those of key
	key     func(row int64) []any
	setup   []string // statements
}

var keyShapes = []keyShape{
	{"one integer", []string{"id {int}"}, "%[1]d", func(row int64) []any { return []any{row} }, nil},
	{"one text", []string{"name {text}"}, "'k%[1]d'", func(row int64) []any { return []any{fmt.Sprint("k", row)} }, nil},
	{"three parts", []string{"a {int}", "b {text}", "c {int}"}, "1, 'k%[1]d', 3", func(row int64) []any { return []any{int64(1), fmt.Sprint("k", row), int64(3)} }, nil},
}

// otherKeyShape is a key of the first eight further types.
func otherKeyShape(types []KeyType) keyShape {
	types = types[:min(8, len(types))]
	k := keyShape{name: "further types"}
	for i, t := range types {
		k.setup = append(k.setup, t.Setup)
		k.columns = append(k.columns, fmt.Sprintf("k%d %s", i+1, t.Type))
	}
	k.key = func(row int64) (parts []any) {
		for _, t := range types {
			parts = append(parts, t.Values[int(row)%len(t.Values)])
		}
		return parts
	}
	return k
}

// values returns the values of a row's key in SQL.
func (k *askedKey) values(row int) string {
	if k.row != "" {
		return fmt.Sprintf(k.row, row)
	}
	return strings.Trim(k.run.values(k.key(int64(row))), "()")
}

func (k keyShape) names() (names []string) {
	for _, c := range k.columns {
		name, _, _ := strings.Cut(c, " ")
		names = append(names, name)
	}
	return names
}

func (k keyShape) oids(rows ...int64) (oids []doc.OID) {
	for _, row := range rows {
		oids = append(oids, oid(k.key(row)...))
	}
	return oids
}

// An askedKey asks the questions about tables of one kind of key.
type askedKey struct {
	*run
	keyShape
	recorder Recorder
	text     *strings.Builder
	printed  map[string]bool // the statements
}

func (k *askedKey) ask() {
	columns := join(k.columns)
	k.exec(slices.DeleteFunc(k.setup, func(s string) bool { return s == "" })...)
	k.exec("CREATE TABLE doc ("+columns+", u {time}, n {int}, v {int}, title {text})", "CREATE TABLE part ("+columns+", u {time}, word {text})", "CREATE TABLE gone ("+columns+")")
	for i := 1; i <= 4; i++ {
		values := k.values(i)
		k.exec(fmt.Sprintf("INSERT INTO doc VALUES (%s, {@%d}, %d, %d, 'title')", values, i, noonSeconds, i-3), "INSERT INTO part VALUES ("+values+", {@1}, 'word')")
	}
	k.exec("INSERT INTO gone VALUES (" + k.values(4) + ")")
	names := join(k.names())
	child := parts(k.names()...)
	fails := "SELECT " + names + ", u, title, {fails} AS x FROM doc"
	fmt.Fprintf(k.text, "\n-- KEY: %s\n", k.name)
	for _, c := range []struct {
		name      string
		config    Config
		questions []question
	}{
		{"", Config{}, plainQuestions},
		{"with a child", Config{Children: child}, childQuestions},
		{"with changes", Config{Changes: "SELECT " + names + ", u FROM doc"}, leftQuestions},
		{"marked by a column", Config{Deleted: Deleted{Column: "v", Values: []any{int64(1), int64(2)}}}, markQuestions},
		{"marked by a list", Config{Deleted: Deleted{SQL: "SELECT * FROM gone"}}, markQuestions},
		{"with updateTimes of numbers", Config{Updated: "n"}, unitQuestions},
		{"with a row that fails", Config{SQL: fails, ACL: doc.ACL{Column: "title"}, Children: child}, failureQuestions},
	} {
		c.config.Key, c.config.Batch, c.config.Page, c.config.SQL = k.names(), 2, 2, k.sql(c.config.SQL)
		k.recorder.Statements()
		table := k.open(c.config)
		k.print(question{name: "describe a table " + c.name, now: true})
		for _, q := range c.questions {
			if err := q.ask(k.Context(), table, k.keyShape); err != nil {
				k.Fatalf("%s: %v", q.name, err)
			}
			q.name += " " + c.name
			k.print(q)
		}
	}
}

// print writes the statements of a question that no question before has sent.
func (k *askedKey) print(q question) {
	for i, s := range k.recorder.Statements() {
		if k.printed[s.SQL] {
			continue
		}
		k.printed[s.SQL] = true
		fmt.Fprintf(k.text, "\n-- %s, statement %d\n%s;\n", strings.TrimSpace(q.name), i+1, byClause.Replace(s.SQL))
		switch {
		case q.now:
			fmt.Fprintf(k.text, "-- %d parameters\n", len(s.Args))
		case len(s.Args) > 0:
			fmt.Fprintf(k.text, "-- %s\n", printedArgs(s.Args))
		}
	}
}

// byClause breaks statements into lines.
var byClause = strings.NewReplacer(" FROM (", "\nFROM (", " WHERE ", "\nWHERE ", " ORDER BY ", "\nORDER BY ", " GROUP BY ", "\nGROUP BY ")

func printedArgs(args []any) string {
	var texts []string
	for _, a := range args {
		switch a := a.(type) {
		case string:
			texts = append(texts, fmt.Sprintf("%q", a))
		case time.Time:
			texts = append(texts, a.UTC().Format(time.RFC3339Nano))
		case []any:
			texts = append(texts, "["+printedArgs(a)+"]")
		default:
			texts = append(texts, fmt.Sprint(a))
		}
	}
	return join(texts)
}
