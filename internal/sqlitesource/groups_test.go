package sqlitesource

import (
	"fmt"
	"testing"

	"indexerd/internal/doc"
)

// groupsOf returns the groups of the only reject as JSON; "" if they are unknown.
func groupsOf(t *testing.T, docs []doc.Doc, rejects []doc.Reject) string {
	t.Helper()
	if len(docs) != 1 || len(rejects) != 1 || rejects[0].OID != oid(t, 1) {
		t.Fatalf("got documents %s and rejects %s, want 1 rejected and 2 read", keysOf(docs), reasons(rejects))
	}
	if rejects[0].Groups == nil {
		return ""
	}
	text, err := rejects[0].Groups.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGroupsAreReadWithoutTheRow(t *testing.T) {
	const (
		column = `{"row":{"grp":9}}`
		extra  = `{"row":{},"children":{"who":[{"name":"nine"},{"name":"ten"}]}}`
	)
	byColumn := func(sql string, children ...ChildConfig) TableConfig {
		return TableConfig{SQL: sql, ACL: doc.ACL{Column: "grp"}, Children: children}
	}
	notes := ChildConfig{Name: "notes", Path: "children.notes", SQL: "SELECT tid, nu, text FROM note", Key: []string{"tid"}, Updated: "nu", Columns: []string{"text"}}
	byExtra := func(sql, value string, children ...ChildConfig) TableConfig {
		who := ChildConfig{Name: "who", Path: "extra.who", SQL: "SELECT tid, nu, " + value + " AS name FROM grp", Key: []string{"tid"}, Updated: "nu", Value: true}
		return TableConfig{SQL: sql, ACL: doc.ACL{Child: "who"}, Children: append(children, who)}
	}
	const sound, poisoned = "SELECT id, u, v, grp FROM t", "SELECT id, u, abs(v) AS v, grp FROM t"
	for _, test := range []struct {
		name   string
		config TableConfig
		breaks string
		want   string
	}{
		{"a number in the row", byColumn(sound), "UPDATE t SET v = 9e999 WHERE id = 1", column},
		{"its updateTime", byColumn(sound), "UPDATE t SET u = 'never' WHERE id = 1", column},
		{"the SQL", byColumn(poisoned), "UPDATE t SET v = -9223372036854775807 - 1 WHERE id = 1", column},
		{"a child", byColumn(sound, notes), "INSERT INTO note VALUES (1, 10, CAST(x'ff' AS TEXT))", column},
		{"a child's updateTime", byColumn(sound, notes), "INSERT INTO note VALUES (1, 'never', 'a')", column},
		{"the group too", byColumn(sound), "UPDATE t SET v = 9e999, grp = 9e999 WHERE id = 1", ""},
		{"the SQL, the group too", byColumn("SELECT id, u, abs(v) AS v, abs(v) AS grp FROM t"), "UPDATE t SET v = -9223372036854775807 - 1 WHERE id = 1", ""},
		{"a number in the row, extra", byExtra(sound, "name"), "UPDATE t SET v = 9e999 WHERE id = 1", extra},
		{"the SQL, extra", byExtra(poisoned, "name"), "UPDATE t SET v = -9223372036854775807 - 1 WHERE id = 1", extra},
		{"a child, extra", byExtra(sound, "name", notes), "INSERT INTO note VALUES (1, 10, CAST(x'ff' AS TEXT))", extra},
		{"the extra's updateTime", byExtra(sound, "name"), "UPDATE grp SET nu = 'never' WHERE name = 'nine' AND tid = 1", extra},
		{"the extra itself", byExtra(sound, "CASE name WHEN 'bad' THEN abs(-9223372036854775807 - tid) ELSE name END"), "UPDATE grp SET name = 'bad' WHERE name = 'nine' AND tid = 1", ""},
		{"a group that is no text", byExtra(sound, "name"), "UPDATE grp SET name = CAST(x'ff' AS TEXT) WHERE name = 'nine' AND tid = 1", ""},
		{"no groups", byExtra(sound, "name"), "UPDATE t SET v = 9e999 WHERE id = 1; DELETE FROM grp", `{"row":{},"children":{"who":[]}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			db := newDB(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, u INTEGER, v, grp)", "CREATE TABLE note (tid INTEGER, nu INTEGER, text)", "CREATE TABLE grp (tid INTEGER, nu INTEGER, name)",
				"INSERT INTO t VALUES (1, 10, 1, 9), (2, 10, 1, 9)", "INSERT INTO grp VALUES (1, 10, 'ten'), (1, 10, 'nine'), (2, 10, 'nine')", "INSERT INTO note VALUES (1, 10, 'a'), (2, 10, 'a')")
			table := db.table(test.config)
			db.exec(test.breaks)
			docs, rejects := rangeOf(t, table, doc.Range{})
			if got := groupsOf(t, docs, rejects); got != test.want {
				t.Errorf("range: groups %s, want %s", got, test.want)
			}
			docs, rejects = docsOf(t, table, oid(t, 1), oid(t, 2))
			if got := groupsOf(t, docs, rejects); got != test.want {
				t.Errorf("by key: groups %s, want %s", got, test.want)
			}
		})
	}
}

// Of several rows of one key, two are read, and one with other groups.
func TestGroupsOfRowsOfOneKey(t *testing.T) {
	for _, test := range []struct {
		groups string
		want   string
	}{
		{"9, 9, 9, 9", "9 9"},
		{"9, 7", "9 7"},
		{"9, 9, 9, 7, 9, 8", "9 9 7"},
		{"9, 7, 8, 8", "9 7"},
		{"9, NULL", "9 <nil>"},
	} {
		db := newDB(t, "CREATE TABLE t (id INTEGER, u INTEGER, grp)")
		table := db.table(TableConfig{SQL: "SELECT t.id, t.u, value AS grp FROM t, json_each('[' || grp || ']')", ACL: doc.ACL{Column: "grp"}})
		db.exec("INSERT INTO t VALUES (1, 10, ?)", test.groups)
		if test.groups == "9, NULL" {
			db.exec("UPDATE t SET grp = '9, null'")
		}
		docs, rejects := docsOf(t, table, oid(t, 1))
		got := ""
		for _, d := range docs {
			v, _ := d.Row.Get("grp")
			got += fmt.Sprint(" ", v)
		}
		if got != " "+test.want || len(rejects) != 0 {
			t.Errorf("groups %s: got rows of groups%s and rejects %s, want %s", test.groups, got, reasons(rejects), test.want)
		}
	}
}
