package pgsource

import (
	"iter"
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// The groups of a row that can't become a document are read separately,
// whatever fails in the row and whichever way it is read.
func TestGroupsAreReadAlone(t *testing.T) {
	t.Parallel()
	const (
		column = `{"row":{"grp":[9,8]}}`
		extra  = `{"row":{},"children":{"who":[{"name":"nine"},{"name":"ten"}]}}`
	)
	byColumn := func(sql string, children ...ChildConfig) TableConfig {
		return TableConfig{SQL: sql, ACL: doc.ACL{Column: "grp"}, Children: children}
	}
	notes := ChildConfig{Name: "notes", Path: "children.notes", SQL: "SELECT doc_id, u, v FROM note", Key: []string{"doc_id"}, Updated: "u", Columns: []string{"v"}}
	byExtra := func(sql, value string, children ...ChildConfig) TableConfig {
		who := ChildConfig{Name: "who", Path: "extra.who", SQL: "SELECT doc_id, u, " + value + " AS name FROM grp", Key: []string{"doc_id"}, Updated: "u", Value: true}
		return TableConfig{SQL: sql, ACL: doc.ACL{Child: "who"}, Children: append(children, who)}
	}
	const reads, fails = "SELECT id, u, d, grp FROM doc", "SELECT id, u, 1 / d AS v, grp FROM doc"
	dsn := pgtest.DB(t)
	for _, test := range []struct {
		name   string
		config TableConfig
		breaks string
		want   string // "": they can't be read
	}{
		{"its updateTime", byColumn(reads), "UPDATE doc SET u = 'infinity' WHERE id = 1", column},
		{"its updateTime, beside a child", byColumn(reads, notes), "UPDATE doc SET u = 'infinity' WHERE id = 1", column},
		{"the SQL", byColumn(fails), "UPDATE doc SET d = 0 WHERE id = 1", column},
		{"the SQL, beside a child", byColumn(fails, notes), "UPDATE doc SET d = 0 WHERE id = 1", column},
		{"a child's updateTime", byColumn(reads, notes), "UPDATE note SET u = 'infinity' WHERE doc_id = 1", column},
		{"a child's SQL", byColumn(reads, ChildConfig{Name: "notes", Path: "children.notes", SQL: "SELECT doc_id, u, 1 / length(v) AS v FROM note", Key: []string{"doc_id"}, Updated: "u", Columns: []string{"v"}}),
			"UPDATE note SET v = '' WHERE doc_id = 1", column},
		{"the SQL, the group too", byColumn("SELECT id, u, 1 / d AS grp FROM doc"), "UPDATE doc SET d = 0 WHERE id = 1", ""},
		{"its updateTime, groups of an extra", byExtra(reads, "name"), "UPDATE doc SET u = 'infinity' WHERE id = 1", extra},
		{"the SQL, groups of an extra", byExtra(fails, "name"), "UPDATE doc SET d = 0 WHERE id = 1", extra},
		{"a child, groups of an extra", byExtra(reads, "name", notes), "UPDATE note SET u = 'infinity' WHERE doc_id = 1", extra},
		{"the extra's updateTime", byExtra(reads, "name"), "UPDATE grp SET u = 'infinity' WHERE doc_id = 1", extra},
		{"the extra itself", byExtra(reads, "CASE name WHEN 'bad' THEN 1 / (doc_id - 1) || '' ELSE name END"), "UPDATE grp SET name = 'bad' WHERE doc_id = 1 AND name = 'nine'", ""},
		{"no groups", byExtra(reads, "name"), "UPDATE doc SET u = 'infinity' WHERE id = 1; DELETE FROM grp", `{"row":{},"children":{"who":[]}}`},
		{"two rows for which the SQL fails", byColumn("SELECT id, u, 1 / d AS v, grp FROM doc UNION ALL SELECT id, u, 1 / d, '{9,8}' FROM doc WHERE d = 0"), "UPDATE doc SET d = 0 WHERE id = 1", column},
		{"two such rows of other groups", byColumn("SELECT id, u, 1 / d AS v, grp FROM doc UNION ALL SELECT id, u, 1 / d, '{7}' FROM doc WHERE d = 0"), "UPDATE doc SET d = 0 WHERE id = 1", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.config.Numbers = &numbers{}
			table := tableIn(t, dsn, `DROP TABLE IF EXISTS doc, note, grp;
				CREATE TABLE doc (id int, u timestamptz, d int, grp int[]); CREATE TABLE note (doc_id int, u timestamptz, v text); CREATE TABLE grp (doc_id int, u timestamptz, name text);
				INSERT INTO doc SELECT i, '2024-01-01Z', 1, '{9,8}' FROM generate_series(1, 3) i; INSERT INTO note SELECT i, '2024-01-01Z', 'a' FROM generate_series(1, 3) i;
				INSERT INTO grp SELECT i, '2024-01-01Z', v FROM generate_series(1, 3) i, (VALUES ('ten'), ('nine')) g (v)`, test.config)
			pgtest.Exec(t, dsn, test.breaks)
			for how, batches := range map[string]iter.Seq2[doc.Batch, error]{
				"range": table.Range(t.Context(), doc.Range{}), "by key": table.Docs(t.Context(), []doc.OID{oid(t, int64(1)), oid(t, int64(2)), oid(t, int64(3))}),
			} {
				docs, rejects := readAll(t, batches)
				if got := strings.Join(sortedKeys(docs), " "); got != "2 3" || len(rejects) != 1 || rejects[0].OID != oid(t, int64(1)) {
					t.Fatalf("%s: got documents %s and rejects %+v, want 1 rejected and the others", how, got, rejects)
				}
				got := ""
				if rejects[0].Groups != nil {
					text, err := rejects[0].Groups.AppendJSON(nil)
					if err != nil {
						t.Fatal(err)
					}
					got = string(text)
				}
				if got != test.want {
					t.Errorf("%s: groups %q, want %q", how, got, test.want)
				}
			}
			if n := test.config.Numbers.(*numbers).open(); n != 0 {
				t.Errorf("%d fetches did not end", n)
			}
		})
	}
}
