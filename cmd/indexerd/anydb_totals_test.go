package main

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/token/porter"

	"indexerd/configs"
)

// index runs init, then a daemon with what it printed, until all is loaded, and
// compares the numbers of documents with those of rows.
func (a *anyDB) index(t *testing.T) {
	t.Helper()
	yaml, stderr, code := initWith(t, nil, initCommand{DSN: a.dsn, All: true})
	if code != 0 {
		t.Fatalf("init: exit %d: %s\n%s", code, stderr, yaml)
	}
	a.look(t)
	a.file = ownPlace(t, withoutForms(yaml))
	a.load(t)
	a.p = follow(t, a.file)
	documents := map[string]uint64{}
	for _, s := range a.p.status(t).Tables {
		documents[s.Table] = s.Documents
		if s.Quarantined > 0 {
			t.Errorf("%s: %d rows in quarantine", s.Table, s.Quarantined)
		}
	}
	for _, table := range a.tables(t) {
		rows := uint64(a.number(t, "SELECT count(*) FROM "+table))
		conf, ok := a.of(table)
		if !ok && rows > 0 {
			t.Errorf("%s has %d rows and is not in the configuration:\n%s", table, rows, yaml)
		}
		if ok && documents[conf.Name] != rows {
			t.Errorf("%s: got %d documents, want %d", table, documents[conf.Name], rows)
		}
	}
}

// load reads the configuration.
func (a *anyDB) load(t *testing.T) {
	t.Helper()
	var err error
	if a.conf, err = configs.Load(a.file, os.LookupEnv); err != nil {
		t.Fatal(err)
	}
}

// tables returns the tables as the database lists them, partitions apart.
func (a *anyDB) tables(t *testing.T) (names []string) {
	t.Helper()
	list := "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
	if a.lite {
		list = `SELECT '"' || name || '"' FROM sqlite_schema WHERE type = 'table'`
	}
	if a.maria {
		list = "SELECT CONCAT('`', table_name, '`') FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
	}
	rows, err := a.db.QueryContext(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("got %d tables, %v, want some", len(names), err)
	}
	return names
}

// of returns the configuration of a table.
func (a *anyDB) of(table string) (configs.Table, bool) {
	unquoted := strings.NewReplacer(`"`, "", "`", "").Replace
	i := slices.IndexFunc(a.conf.Tables, func(c configs.Table) bool {
		_, from, _ := strings.Cut(strings.Join(strings.Fields(unquoted(c.SQL)), " "), " FROM ")
		own, _, _ := strings.Cut(from, " LEFT JOIN ")
		return strings.TrimSuffix(own, " l") == strings.Join(strings.Fields(unquoted(table)), " ")
	})
	if i < 0 {
		return configs.Table{}, false
	}
	return a.conf.Tables[i], true
}

// totals compares the totals of n random words with the database's, and returns
// them by table and word.
func (a *anyDB) totals(t *testing.T, n int) map[string]uint64 {
	t.Helper()
	totals := map[string]uint64{}
	random := rand.New(rand.NewPCG(3, 4))
	type question struct {
		table, word string
		want        int
	}
	var all []question
	for _, table := range a.conf.Tables {
		for word, want := range a.words(t, table) {
			all = append(all, question{table.Name, word, want})
		}
	}
	slices.SortFunc(all, func(a, b question) int { return strings.Compare(a.table+" "+a.word, b.table+" "+b.word) })
	if len(all) < n {
		t.Fatalf("the database has only %d words", len(all))
	}
	for range n {
		q := all[random.IntN(len(all))]
		got := a.p.search(t, q.table, q.word, "size=0").Total
		if got != uint64(q.want) {
			t.Errorf("%s %q: got %d, want %d", q.table, q.word, got, q.want)
		}
		totals[q.table+" "+q.word] = got
	}
	return totals
}

var (
	stemmed  = regexp.MustCompile(`(?m)^    language: .*\n`)
	contents = regexp.MustCompile(`(content: \{fields: \[[^\]]*\])(?:, analyzer: (cjk))?`)
)

// withoutForms returns the configuration for an index of the first analysis, which finds the
// words of the database alone: no stems, and no parts of words.
func withoutForms(yaml string) string {
	return contents.ReplaceAllStringFunc(stemmed.ReplaceAllString(yaml, ""), func(found string) string {
		m := contents.FindStringSubmatch(found)
		return m[1] + ", analyzer: " + strings.TrimSuffix("plain-1-"+m[2], "-")
	})
}

// A word is a run of letters, digits, marks and underscores.
var (
	wordRun   = regexp.MustCompile(`[\p{L}\p{M}\p{Nd}_]+`)
	plainWord = regexp.MustCompile(`^[a-z]{2,}$`)
)

// words returns in how many documents of a table each word is, as the database
// has their content and their children.
func (a *anyDB) words(t *testing.T, table configs.Table) map[string]int {
	t.Helper()
	documents := map[string]map[string]bool{}
	a.texts(t, table.SQL, table.Key, table.Content.Fields, func(key, _ string) { documents[key] = map[string]bool{} })
	add := func(key, text string) {
		for _, word := range wordRun.FindAllString(strings.ToLower(text), -1) {
			if documents[key] == nil {
				continue
			}
			if table.Content.Analyzer == "en" {
				word = stemOf(word)
			}
			documents[key][word] = true
		}
	}
	a.texts(t, table.SQL, table.Key, table.Content.Fields, add)
	for _, c := range table.Children {
		a.texts(t, c.SQL, c.Key, c.Content, add)
	}
	totals := map[string]int{}
	for _, words := range documents {
		for word := range words {
			totals[word]++
		}
	}
	maps.DeleteFunc(totals, func(word string, _ int) bool {
		return !plainWord.MatchString(word) || table.Content.Analyzer == "en" && stemOf(word) != word
	})
	return totals
}

// texts calls f with the key and the text of each row of an SQL.
func (a *anyDB) texts(t *testing.T, sql string, key, columns []string, f func(key, text string)) {
	t.Helper()
	rows, err := a.db.QueryContext(t.Context(), "SELECT * FROM ("+sql+"\n) q")
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		row := scanned(t, rows, names)
		var id, text []string
		for _, name := range key {
			id = append(id, row[name])
		}
		for _, name := range columns {
			text = append(text, row[name])
		}
		f(strings.Join(id, "\x00"), strings.Join(text, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// scanned returns the values of a row as text.
func scanned(t *testing.T, rows *sql.Rows, names []string) map[string]string {
	t.Helper()
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		t.Fatal(err)
	}
	row := map[string]string{}
	for i, name := range names {
		if bytes, ok := values[i].([]byte); ok {
			row[name] = string(bytes)
		} else if values[i] != nil {
			row[name] = fmt.Sprint(values[i])
		}
	}
	return row
}

// stemOf returns the stem of an English word.
func stemOf(word string) string {
	return string(porter.NewPorterStemmer().Filter(analysis.TokenStream{{Term: []byte(word)}})[0].Term)
}
