package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/test/pgtest"
)

// The leader of two daemons makes a backup while sessions write, and rows change and go
// after it. Then etcd and both data directories are lost. The backup is restored: rows that
// changed since are there, rows that are gone have left, and new writes count in index and
// pages, although etcd counts terms from 1 again. Before they are taken over, index and
// pages belong to the daemons before.
func TestBackupOfSharedMarks(t *testing.T) {
	t.Parallel()
	f := newFailover(t)
	f.phase = "the backup"
	f.stop = f.storm(t)
	pgtest.Exec(t, f.dsn, "INSERT INTO note (id, body) SELECT i, 'kept' FROM generate_series(30001, 30060) i")
	leads, _ := f.leads(t)
	f.daemons[leads].kill() // numbers are of a later term
	f.start(t, leads)
	leads, term := f.leads(t)
	f.daemons[leads].proc.found(t, "note", "kept", 60)
	dest := filepath.Join(t.TempDir(), "b.tar.zst")
	if said := commands(t, 1, "backup", "-c", f.daemons[1-leads].file, dest); !strings.Contains(said, " leads since ") {
		t.Errorf("a backup of the standby: got %q, want the leader", said)
	}
	commands(t, 0, "backup", "-c", f.daemons[leads].file, dest)

	f.phase = "after the backup"
	pgtest.Exec(t, f.dsn, "DELETE FROM note WHERE id BETWEEN 30001 AND 30020")
	pgtest.Exec(t, f.dsn, "UPDATE note SET body = 'rewritten', updated = now() WHERE id BETWEEN 30021 AND 30040")
	f.daemons[leads].proc.found(t, "note", "rewritten", 20)
	f.commits += f.stop()
	highest := f.highest(t, "")
	if term < 2 || highest < term<<36 {
		t.Fatalf("got numbers up to %d in term %d, want those of a term above 1", highest, term)
	}
	f.loseAll(t)
	pgtest.Exec(t, f.dsn, "DELETE FROM note WHERE id BETWEEN 30041 AND 30050")
	pgtest.Exec(t, f.dsn, "INSERT INTO note (id, body) VALUES (40000, 'restoredsince')")

	f.phase = "the restore"
	first := f.daemons[0]
	stdout, stderr, code := ask(t, "restore", "-c", first.file, dest)
	if code != 0 || !strings.Contains(stdout, " and etcd /indexerd/shop: ") || !strings.Contains(stdout, "--take-over") {
		t.Fatalf("restore: exit %d: %s%s", code, stdout, stderr)
	}
	if said := commands(t, 1, "restore", "-c", first.file, dest); !strings.Contains(said, "is not empty") {
		t.Errorf("a restore over what is there: got %q", said)
	}
	env := "BIGTABLE_EMULATOR_HOST=" + first.links["pages"].address
	if stdout, stderr, code := ask(withEnv(t, env), "run", "-c", first.file); code != exitBad || !strings.Contains(stderr, "indexerd run --take-over") {
		t.Errorf("run: exit %d: %s%s, want %d and what to do", code, stdout, stderr, exitBad)
	}
	first.proc = start(withEnv(t, env), "run", "--take-over", "-c", first.file)
	f.start(t, 1)
	f.rests(t)
	if _, term := f.leads(t); term > 5 {
		t.Errorf("got term %d, want one of an etcd that was empty", term)
	}
	if got := f.highest(t, "restoredsince"); got <= highest {
		t.Errorf("a row after the restore: got number %d, want one above %d", got, highest)
	}
	for word, want := range map[string]uint64{"kept": 10, "rewritten": 20, "restoredsince": 1} {
		if err := finds(first.proc, t, word, want); err != nil {
			t.Errorf("%s: %v", word, err)
		}
	}
}

// loseAll ends the daemons, and removes what they and etcd have stored.
func (f *failover) loseAll(t *testing.T) {
	t.Helper()
	for _, m := range f.daemons {
		m.kill()
	}
	if err := f.etcd.Wipe(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(f.data); err != nil {
		t.Fatal(err)
	}
}

// highest returns the highest number of a document with a word, of all for "".
func (f *failover) highest(t *testing.T, word string) (highest uint64) {
	t.Helper()
	query := map[string]any{"match_all": map[string]any{}}
	if word != "" {
		query = map[string]any{"match": map[string]any{"body": word}}
	}
	f.must(t, http.MethodPost, "/"+f.alias+"/_refresh", nil)
	text := f.must(t, http.MethodPost, "/"+f.alias+"/_search", map[string]any{"size": 10_000, "version": true, "_source": false, "query": query})
	var answer struct {
		Hits struct {
			Hits []struct {
				Version uint64 `json:"_version"`
			}
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatal(err)
	}
	for _, hit := range answer.Hits.Hits {
		highest = max(highest, hit.Version)
	}
	return highest
}
