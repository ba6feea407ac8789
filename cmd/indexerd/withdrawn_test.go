package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// Tokens of two groups, and one that finds everything.
var groupTokens = map[string]string{"7": "t0ken-of-group-seven", "9": "t0ken-of-group-nine", "admin": "t0ken-of-an-admin-x"}

// writeGroups makes two tables whose documents have groups: item in a column,
// thing by an extra. Each row's title is its key's number as a word.
func writeGroups(t *testing.T) (dsn, file, data string) {
	t.Helper()
	dsn, data = pgtest.DB(t), filepath.Join(t.TempDir(), "data")
	pgtest.Exec(t, dsn, `CREATE TABLE item (id bigint PRIMARY KEY, u timestamptz NOT NULL, title text, price float8, divisor int, grp int);
		CREATE TABLE note (item_id bigint, u timestamptz, body text);
		CREATE TABLE thing (id bigint PRIMARY KEY, u timestamptz NOT NULL, title text, price float8);
		CREATE TABLE thing_group (thing_id bigint, u timestamptz, code int);
		INSERT INTO item SELECT i, now(), 'word' || i, 1, 1, 7 FROM generate_series(1, 20) i;
		INSERT INTO thing SELECT i, now(), 'word' || i, 1 FROM generate_series(1, 20) i;
		INSERT INTO thing_group SELECT i, now(), 7 FROM generate_series(1, 20) i`)
	return dsn, writeFile(t, fmt.Sprintf(`data: %s
http:
  listen: 127.0.0.1:0
  tokens:
    seven: {token: %s, groups: ["7"]}
    nine: {token: %s, groups: ["9"]}
    ops: {token: %s, admin: true}
sources: {db: {driver: postgres, dsn: %q}}
tables:
  item:
    source: db
    sql: SELECT id, u, title, price, 100 / divisor AS ratio, grp FROM item
    key: id
    updated: u
    content: {fields: [title]}
    metadata: {price: number, grp: keyword}
    children:
      notes: {sql: "SELECT item_id, u, 60 / length(body) || body AS body FROM note", key: item_id, updated: u, content: [body]}
    acl: grp
  thing:
    source: db
    sql: SELECT id, u, title, price, 100 / price::int AS ratio FROM thing
    key: id
    updated: u
    content: {fields: [title]}
    metadata: {price: number}
    extra:
      who: {sql: "SELECT thing_id, u, 63 / (63 / code) AS name FROM thing_group", key: thing_id, updated: u, type: keyword}
    acl: who
`, data, groupTokens["7"], groupTokens["9"], groupTokens["admin"], dsn)), data
}

// groupAdmin is a test whose commands have the admin's token.
func groupAdmin(t *testing.T) testing.TB { return withToken(t, groupTokens["admin"]) }

// ofGroup asks a daemon as the holder of a group's token.
func ofGroup(p *proc, group string) visitor {
	return p.as(groupTokens[group])
}

// finders waits until exactly these find the one document of a word, and with
// its text.
func finders(t *testing.T, p *proc, table, word string, want ...string) {
	t.Helper()
	slices.Sort(want)
	eventually(t, soon, fmt.Sprintf("%s in %s is found by %v and no other", word, table, want), func() error {
		var got []string
		for group := range groupTokens {
			var a search.Answer
			ofGroup(p, group).answer(t, searchOf(table, "title:"+word), &a)
			if a.Total > 0 && len(a.Hits) > 0 && len(a.Hits[0].Highlights["title"]) > 0 {
				got = append(got, group)
			} else if a.Total > 0 {
				got = append(got, group+" without its text")
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			return fmt.Errorf("found by %v", got)
		}
		return nil
	})
}

// lastDocuments reads the rows of a table that are set aside, by key, as what their
// documents are.
func lastDocuments(t *testing.T, p *proc, table string) map[string]string {
	t.Helper()
	var q httpapi.Quarantine
	ofGroup(p, "admin").answer(t, "/api/v1/tables/"+table+"/quarantine?size=1000", &q)
	rows := map[string]string{}
	for _, r := range q.Rows {
		if r.OID != nil {
			rows[*r.OID] = r.Document
		}
	}
	return rows
}

// wantLastDocuments compares what status counts of a table's quarantine.
func wantLastDocuments(t *testing.T, p *proc, table string, all, visible, hidden int) {
	t.Helper()
	eventually(t, soon, "status counts the quarantine of "+table, func() error {
		var s httpapi.Status
		ofGroup(p, "admin").answer(t, "/api/v1/status", &s)
		for _, got := range s.Tables {
			if got.Table == table && (got.Quarantined != all || got.QuarantinedVisible != visible || got.QuarantinedHidden != hidden) {
				return fmt.Errorf("got %d, of which %d visible and %d hidden, want %d, %d and %d", got.Quarantined, got.QuarantinedVisible, got.QuarantinedHidden, all, visible, hidden)
			}
		}
		return nil
	})
}

// A row that was set aside before its table had an acl is not found by the groups
// of its old version once there is one, not even while the database is down.
func TestACLIsAddedBehindTheQuarantine(t *testing.T) {
	t.Parallel()
	dsn, file, _ := writeGroups(t)
	with := readFile(t, file)
	replace(t, file, strings.NewReplacer("    acl: grp\n", "", "    acl: who\n", "", ", groups: [\"7\"]", "", ", groups: [\"9\"]", "").Replace(with))
	p := follow(t, file)
	pgtest.Exec(t, dsn, "UPDATE item SET divisor = 0, grp = 9, u = clock_timestamp() WHERE id = 1")
	wantLastDocuments(t, p, "item", 1, 0, 0)
	finders(t, p, "item", "word1", "7", "9", "admin")
	p.stop(t)

	replace(t, file, strings.Replace(with, fmt.Sprintf("%q", dsn), `"postgres://none@127.0.0.1:1/none"`, 1))
	p = start(t, "run", "-c", file)
	finders(t, p, "item", "word1", "admin")
	finders(t, p, "item", "word2", "7", "admin")
	wantLastDocuments(t, p, "item", 1, 0, 1)
	p.stop(t)

	replace(t, file, with)
	p = follow(t, file)
	sweeps(groupAdmin(t), 0, file, "item")
	finders(t, p, "item", "word1", "9", "admin")
	wantLastDocuments(t, p, "item", 1, 1, 0)
}

// TestWithdrawnInQuarantine takes rights away from rows that can't become
// documents any more: the new groups apply at once to the document that is left,
// and without groups an admin alone finds it, across restarts and reindexes and
// until the row is repaired.
func TestWithdrawnInQuarantine(t *testing.T) {
	t.Parallel()
	dsn, file, data := writeGroups(t)
	p := follow(t, file)
	finders(t, p, "item", "word1", "7", "admin")
	finders(t, p, "thing", "word1", "7", "admin")

	// Each change withdraws the right of group 7 and breaks the row in one commit.
	pgtest.Exec(t, dsn, `UPDATE item SET divisor = 0, grp = 9, u = clock_timestamp() WHERE id = 1;
		UPDATE item SET divisor = 0, grp = 9, u = clock_timestamp() WHERE id = 2;
		UPDATE item SET divisor = 0, grp = NULL, u = clock_timestamp() WHERE id = 4;
		UPDATE thing_group SET code = 9, u = clock_timestamp() WHERE thing_id IN (1, 3);
		UPDATE thing SET price = 0, u = clock_timestamp() WHERE id IN (1, 2);
		UPDATE thing_group SET code = 0, u = clock_timestamp() WHERE thing_id = 2`)
	pgtest.Exec(t, dsn, `BEGIN;
		INSERT INTO note VALUES (3, now(), '');
		UPDATE item SET grp = 9, u = clock_timestamp() WHERE id = 3;
		COMMIT`)
	whole := t // which the daemons outlive the parts of
	check := func(t *testing.T, p *proc) {
		t.Helper()
		finders(t, p, "item", "word1", "9", "admin")  // a column that the SQL computes
		finders(t, p, "item", "word2", "9", "admin")  // the SQL fails for the row
		finders(t, p, "item", "word3", "9", "admin")  // a child
		finders(t, p, "item", "word4", "admin")       // no group at all
		finders(t, p, "thing", "word1", "9", "admin") // groups by an extra
		finders(t, p, "thing", "word2", "admin")      // groups that can't be read
		finders(t, p, "thing", "word3", "9", "admin") // no quarantine
		finders(t, p, "thing", "word4", "7", "admin")
		wantLastDocuments(t, p, "item", 4, 4, 0)
		wantLastDocuments(t, p, "thing", 2, 1, 1)
	}
	check(t, p)
	if got := lastDocuments(t, p, "thing"); got["1"] != "visible" || got["2"] != "hidden" {
		t.Errorf("quarantine of thing: got %v, want 1 visible and 2 hidden", got)
	}
	var x httpapi.Explanation
	ofGroup(p, "admin").answer(t, "/api/v1/tables/thing/explain/2", &x)
	if x.Verdict != "quarantined" || x.Quarantine == nil || x.Quarantine.Document != "hidden" {
		t.Errorf("explain: got %+v, want a hidden document in quarantine", x)
	}

	t.Run("again while it is in quarantine", func(t *testing.T) {
		pgtest.Exec(t, dsn, "UPDATE item SET grp = 7, u = clock_timestamp() WHERE id = 1")
		finders(t, p, "item", "word1", "7", "admin")
		pgtest.Exec(t, dsn, "UPDATE item SET grp = 9, u = clock_timestamp() WHERE id = 1")
		finders(t, p, "item", "word1", "9", "admin")
	})
	t.Run("after a sweep and a verification", func(t *testing.T) {
		for _, table := range []string{"item", "thing"} {
			sweeps(groupAdmin(t), 0, file, table)
		}
		commands(groupAdmin(t), 0, "verify", "-c", file, "--content", "--repair")
		check(t, p)
	})
	t.Run("after a restart", func(t *testing.T) {
		p.kill()
		p = follow(whole, file)
		check(t, p)
	})
	t.Run("after a reindex", func(t *testing.T) {
		for _, table := range []string{"item", "thing"} {
			commands(groupAdmin(t), 0, "reindex", "-c", file, table)
		}
		check(t, p)
	})
	t.Run("after a reindex by another mapping", func(t *testing.T) {
		p.stop(t)
		rewrite(t, file, "fields: [title]}", "fields: [title], analyzer: en}")
		p = follow(whole, file)
		for _, table := range []string{"item", "thing"} {
			commands(groupAdmin(t), 0, "reindex", "-c", file, table)
		}
		check(t, p)
	})
	t.Run("after a restore", func(t *testing.T) {
		saved := filepath.Join(t.TempDir(), "saved")
		commands(groupAdmin(t), 0, "backup", "-c", file, saved)
		p.stop(t)
		if err := os.RemoveAll(data); err != nil {
			t.Fatal(err)
		}
		commands(groupAdmin(t), 0, "restore", "-c", file, saved)
		p = follow(whole, file)
		check(t, p)
	})
	t.Run("repaired", func(t *testing.T) {
		pgtest.Exec(t, dsn, `DELETE FROM note WHERE item_id = 3;
			UPDATE item SET price = 2, divisor = 1, u = clock_timestamp() WHERE id <= 4;
			UPDATE thing_group SET code = 7, u = clock_timestamp() WHERE thing_id <= 2;
			UPDATE thing SET price = 2, u = clock_timestamp() WHERE id <= 2`)
		for _, id := range []string{"1", "2", "3"} {
			finders(t, p, "item", "word"+id, "9", "admin")
		}
		finders(t, p, "thing", "word1", "7", "admin")
		finders(t, p, "thing", "word2", "7", "admin")
		wantLastDocuments(t, p, "item", 0, 0, 0)
		wantLastDocuments(t, p, "thing", 0, 0, 0)
		commands(groupAdmin(t), 0, "verify", "-c", file, "--content")
	})
	t.Run("deleted while in quarantine", func(t *testing.T) {
		pgtest.Exec(t, dsn, "UPDATE item SET divisor = 0, u = clock_timestamp() WHERE id = 5")
		wantLastDocuments(t, p, "item", 1, 1, 0)
		pgtest.Exec(t, dsn, "DELETE FROM item WHERE id = 5")
		sweeps(groupAdmin(t), 0, file, "item")
		finders(t, p, "item", "word5")
		wantLastDocuments(t, p, "item", 0, 0, 0)
	})
}
