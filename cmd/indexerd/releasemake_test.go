package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/cluster"
)

// A directory of testdata/release has, for each driver, an archive of what a user of an
// earlier version has on disk:
//
//	data/       the data directory after a load, windows, a sweep and a clean stop
//	db.sqlite   the database; of PostgreSQL it is rows.sql, which makes the same rows
//	want.json   a releaseState: what that version reported last
//
// With INDEXERD_RELEASE=FILE, TestRelease first makes both archives of the last release with
// the binary FILE, an absolute path.

// A releaseState is what a daemon reports of its tables.
type releaseState struct {
	Documents  map[string]map[string]uint64        `json:"documents"` // by table and OID: the version in the index
	Quarantine map[string][]httpapi.QuarantinedRow `json:"quarantine"`
	History    map[string][]httpapi.HistoryRun     `json:"history"`
}

var releaseTables = []string{"item", "place"}

// releaseSchema has the types of each driver that differ.
var releaseSchema = map[string]string{
	"postgres": "CREATE TABLE item (id bigint PRIMARY KEY, updated timestamptz NOT NULL, title text, price float8, team text, gone int NOT NULL);\n" +
		"CREATE TABLE note (id bigint PRIMARY KEY, item_id bigint NOT NULL, updated timestamptz NOT NULL, body text);\n" + releaseTypeless,
	"sqlite": "CREATE TABLE item (id INTEGER PRIMARY KEY, updated TEXT NOT NULL, title TEXT, price REAL, team TEXT, gone INTEGER NOT NULL);\n" +
		"CREATE TABLE note (id INTEGER PRIMARY KEY, item_id INTEGER NOT NULL, updated TEXT NOT NULL, body TEXT);\n" + releaseTypeless,
}

const releaseTypeless = `CREATE TABLE label (item_id bigint NOT NULL, name text);
CREATE TABLE place (code text PRIMARY KEY, updated bigint NOT NULL, name text, closed int NOT NULL);
CREATE INDEX item_updated ON item (updated);
CREATE INDEX note_item ON note (item_id);
CREATE INDEX note_updated ON note (updated);
CREATE INDEX label_item ON label (item_id);
CREATE INDEX place_updated ON place (updated);
`

// releaseRows returns the rows that are loaded: 60 items with notes and labels,
// of which one is marked deleted, and 20 places, of which one is closed.
func releaseRows() string {
	var b strings.Builder
	for i := range 60 {
		id, gone := i+1, 0
		if id == 60 {
			gone = 1
		}
		fmt.Fprintf(&b, "INSERT INTO item VALUES (%d, '2025-03-01T10:%02d:00.%06dZ', 'item %d of the catalogue, größe %d', %d.25, 'team%d', %d);\n", id, i, id, id, id%7, id, id%3, gone)
		for n := range id % 4 {
			fmt.Fprintf(&b, "INSERT INTO note VALUES (%d, %d, '2025-03-02T10:%02d:00.%06dZ', 'note %d on item %d');\n", 10*id+n, id, i, n, n, id)
		}
		for n := range id % 3 {
			fmt.Fprintf(&b, "INSERT INTO label VALUES (%d, 'label%d');\n", id, n)
		}
	}
	for i := range 20 {
		fmt.Fprintf(&b, "INSERT INTO place VALUES ('%c-%d', %d, 'place number %d', %d);\n", 'Z'-rune(i), i, 1740000000+i, i, i/19)
	}
	return b.String()
}

// releaseWindows returns changes that windows find: a new row, changed rows and
// children, rows that leave by a mark and by the SQL's condition, and a row that
// goes to quarantine.
func releaseWindows(now time.Time) string {
	return strings.NewReplacer("NOW", releaseTime(now), "SECONDS", fmt.Sprint(now.Unix())).Replace(
		`INSERT INTO item VALUES (61, NOW, 'item 61 came late', 61, 'team1', 0);
UPDATE item SET title = 'item 10 was changed', updated = NOW WHERE id = 10;
UPDATE item SET gone = 1, updated = NOW WHERE id = 11;
UPDATE note SET body = 'note was changed', updated = NOW WHERE item_id = 14;
UPDATE item SET price = 'NaN', title = 'item 13 is broken', updated = NOW WHERE id = 13;
UPDATE place SET closed = 1, updated = SECONDS WHERE code = 'X-2';
UPDATE place SET name = 'place three was changed', updated = SECONDS WHERE code = 'W-3';
`)
}

// releaseSilent are changes that only a sweep finds.
const releaseSilent = `UPDATE item SET title = 'item 15 was changed silently' WHERE id = 15;
DELETE FROM item WHERE id = 16;
DELETE FROM label WHERE item_id = 17;
`

// releaseTime returns a time as an SQL literal of both databases.
func releaseTime(at time.Time) string {
	return at.UTC().Format("'2006-01-02T15:04:05.000000Z'")
}

// A releaseDB is the database of a fixture.
type releaseDB struct{ driver, dsn string }

// emptyRelease returns an empty database to make a fixture with. PostgreSQL's is
// on a server that no test uses.
func emptyRelease(t *testing.T, driver, dir string) releaseDB {
	t.Helper()
	if driver == "sqlite" {
		return releaseDB{driver, filepath.Join(dir, "db.sqlite")}
	}
	server, err := cluster.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop() }) // the test needs it no more
	return releaseDB{driver, server.DSN()}
}

// exec runs statements.
func (d releaseDB) exec(t *testing.T, statements string) {
	t.Helper()
	if d.driver == "postgres" {
		pgtest.Exec(t, d.dsn, statements)
		return
	}
	execSQLite(t, d.dsn, statements)
}

// config writes the configuration of a fixture.
func (d releaseDB) config(t *testing.T, dir string) (file string) {
	t.Helper()
	text := readFile(t, filepath.Join("testdata", "release", "config.yaml"))
	return writeFile(t, strings.NewReplacer("DATA", filepath.Join(dir, "data"), "DRIVER", d.driver, "DSN", d.dsn).Replace(text))
}

// makeRelease makes the archive of a driver by a binary.
func makeRelease(t *testing.T, driver, binary, archive string) {
	t.Helper()
	dir := t.TempDir()
	db := emptyRelease(t, driver, dir)
	rows := releaseSchema[driver] + releaseRows()
	db.exec(t, rows)
	p := startCmd(t, exec.Command(binary, "run", "-c", db.config(t, dir)))
	p.ready(t)
	windows := releaseWindows(time.Now())
	db.exec(t, windows)
	eventually(t, soon, "windows find the changes", func() error {
		items, places := p.search(t, "item", "*", "size=0").Total, p.search(t, "place", "*", "size=0").Total
		if quarantined := p.status(t).Tables[0].Quarantined; items != 59 || places != 18 || quarantined+p.status(t).Tables[0].Partial != 1 {
			return fmt.Errorf("got %d items, %d places and %d rows in quarantine, want 59, 18 and 1", items, places, quarantined)
		}
		return nil
	})
	eventually(t, soon, "each tier has a mark", func() error {
		if tiers := p.status(t).Tables[1].Marks.Tiers; len(tiers) != 2 {
			return fmt.Errorf("got %v", tiers)
		}
		return nil
	})
	db.exec(t, releaseSilent)
	for _, table := range releaseTables {
		if run := p.run(t, table, "deletecheck"); run.State != "done" {
			t.Fatalf("sweep of %s: got %+v", table, run)
		}
	}
	state, err := json.MarshalIndent(releaseStateOf(t, p), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	p.stop(t)
	if driver == "sqlite" {
		db.exec(t, "PRAGMA wal_checkpoint(TRUNCATE)") // one file, as the last session that writes leaves it
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("want.json", string(state))
	if driver == "postgres" {
		write("rows.sql", rows+windows+releaseSilent)
	}
	if err := pack(archive, dir); err != nil {
		t.Fatal(err)
	}
}

// releaseStateOf reads what a daemon reports of its tables.
func releaseStateOf(t *testing.T, p *proc) releaseState {
	t.Helper()
	s := releaseState{map[string]map[string]uint64{}, map[string][]httpapi.QuarantinedRow{}, map[string][]httpapi.HistoryRun{}}
	for _, table := range releaseTables {
		var q httpapi.Quarantine
		decode(t, p.base+"/api/v1/tables/"+table+"/quarantine", &q)
		var h httpapi.History
		decode(t, p.base+"/api/v1/tables/"+table+"/history?size=1000", &h)
		s.Quarantine[table], s.History[table], s.Documents[table] = q.Rows, h.Runs, map[string]uint64{}
		for _, hit := range p.search(t, table, "*", "size=1000").Hits {
			var x httpapi.Explanation
			decode(t, p.base+"/api/v1/tables/"+table+"/explain/"+hit.OID, &x)
			if x.Index == nil {
				t.Fatalf("explain %s %s: got %+v, want a document", table, hit.OID, x)
			}
			s.Documents[table][hit.OID] = x.Index.V
		}
	}
	return s
}

// pack writes the files of a directory to a .tar.gz.
func pack(archive, dir string) error {
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	zip, err := gzip.NewWriterLevel(f, gzip.BestCompression)
	if err != nil {
		return err
	}
	out := tar.NewWriter(zip)
	return errors.Join(out.AddFS(os.DirFS(dir)), out.Close(), zip.Close())
}

// unpack is the reverse of pack.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(zip)
	for {
		h, err := in.Next()
		if err == io.EOF {
			return
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		switch {
		case err != nil:
		case h.FileInfo().IsDir():
			err = os.MkdirAll(name, 0o700)
		default:
			var text []byte
			if text, err = io.ReadAll(in); err == nil {
				err = errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, text, 0o600))
			}
		}
		if err != nil {
			t.Fatalf("unpack %s: %v", archive, err)
		}
	}
}
