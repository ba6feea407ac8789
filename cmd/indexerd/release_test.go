package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
	"indexerd/timetrace"
)

// releases are the directories of testdata/release that have children, quarantine and
// tiers, the oldest first.
var releases = []string{"2026-11-23", "1.0.0"}

// TestRelease starts the daemon on data directories that earlier versions made.
// It opens them without a manual step, and searches by the rules of that version until
// a reindex. If tokens differ from those before, it
// compares every row once. It writes only documents whose content changed while no daemon
// ran. Marks, history and quarantine are kept.
func TestRelease(t *testing.T) {
	t.Parallel()
	for _, release := range releases {
		for _, driver := range []string{"postgres", "sqlite"} {
			t.Run(release+"/"+driver, func(t *testing.T) {
				t.Parallel()
				archive := filepath.Join("testdata", "release", release, driver+".tar.gz")
				if old := os.Getenv("INDEXERD_RELEASE"); old != "" && release == releases[len(releases)-1] {
					makeRelease(t, driver, old, archive)
				}
				opensRelease(t, driver, archive)
			})
		}
	}
}

func opensRelease(t *testing.T, driver, archive string) {
	r := openRelease(t, driver, archive)
	r.db.exec(t, releaseDown(time.Now()))
	began := time.Now()
	p := start(t, "run", "-c", r.file)
	r.settles(t, p, began)
	for _, table := range releaseTables {
		verifies(t, 0, r.file, table)
	}
	now := releaseStateOf(t, p)
	for _, table := range releaseTables {
		r.checkDocuments(t, now, table)
		r.checkCounts(t, p, table)
	}
	r.checkQuarantine(t, now)
	r.checkHistory(t, now)
	p.stop(t)
	r.checkMarks(t)
	r.startsVerified(t)
	r.reindexes(t)
}

// releaseDown returns changes while no daemon runs: of rows, of a child, without
// an updateTime, of an updateTime alone, a removal and a new row.
func releaseDown(now time.Time) string {
	return strings.ReplaceAll(`UPDATE item SET title = 'item 5 was changed', updated = NOW WHERE id = 5;
UPDATE note SET body = 'note was changed', updated = NOW WHERE item_id = 6;
UPDATE item SET title = 'item 7 was changed silently' WHERE id = 7;
DELETE FROM item WHERE id = 8;
UPDATE item SET updated = NOW WHERE id = 9;
INSERT INTO item VALUES (100, NOW, 'item 100 is new', 100, 'team1', 0);
`, "NOW", releaseTime(now))
}

// The keys of the items that these changes concern. The document of item 9 is the
// same as before.
var (
	releaseInserted, releaseRemoved = "100", "8"
	releaseWritten                  = []string{"100", "5", "6", "7"} // in the order of texts
)

// An unpacked fixture is a data directory of an earlier release.
type unpacked struct {
	db    releaseDB
	dir   string
	file  string // the configuration
	want  releaseState
	marks map[string]timetrace.Table
}

func openRelease(t *testing.T, driver, archive string) *unpacked {
	t.Helper()
	dir := t.TempDir()
	unpack(t, archive, dir)
	r := &unpacked{db: releaseDB{driver, filepath.Join(dir, "db.sqlite")}, dir: dir}
	if driver == "postgres" {
		r.db.dsn = pgtest.DB(t)
		r.db.exec(t, readFile(t, filepath.Join(dir, "rows.sql")))
	}
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(dir, "want.json"))), &r.want); err != nil {
		t.Fatal(err)
	}
	if items, places := len(r.want.Documents["item"]), len(r.want.Documents["place"]); items != 58 || places != 18 {
		t.Fatalf("%s: got %d items and %d places, want 58 and 18", archive, items, places)
	}
	r.file, r.marks = r.db.config(t, dir), r.readMarks(t)
	if got := len(r.marks["place"].Tiers); got != 2 {
		t.Fatalf("%s: got %d tiers with marks, want 2", archive, got)
	}
	for table, m := range r.marks {
		if time.Now().Before(m.Incremental) {
			t.Fatalf("the clock of this machine is before %v, when %s of %s was indexed last", m.Incremental, table, archive)
		}
	}
	return r
}

// readMarks reads the marks of a directory that no daemon uses.
func (r *unpacked) readMarks(t *testing.T) map[string]timetrace.Table {
	t.Helper()
	trace, err := timetrace.Open(atomicfile.OS, filepath.Join(r.dir, "data"), "test")
	if err != nil {
		t.Fatal(err)
	}
	marks := map[string]timetrace.Table{}
	for _, table := range releaseTables {
		m, ok := trace.Table(table)
		if !ok || !m.Loaded {
			t.Fatalf("marks of %s: got %+v, want those of a loaded table", table, m)
		}
		marks[table] = m
	}
	return marks
}

// settles waits until each table is settled past a time. A table that has to be
// compared also waits for the sweep that the daemon starts; other tables are
// swept on demand.
func (r *unpacked) settles(t *testing.T, p *proc, began time.Time) {
	t.Helper()
	past := func(at *httpapi.Time) bool { return at != nil && time.Time(*at).After(began) }
	eventually(t, 3*time.Minute, "all tables are settled and verified", func() error {
		tables := p.status(t).Tables
		if len(tables) != len(releaseTables) {
			return fmt.Errorf("got %d tables", len(tables))
		}
		marks := r.readMarks(t) // after status: what the passes in it have noted
		for _, s := range tables {
			if s.Settled.Unverified || !past(s.Settled.At) || !past(s.Marks.Incremental) || r.doubted(s.Table, marks[s.Table]) && !past(s.Marks.Sweep) {
				return fmt.Errorf("%s: settled %+v, marks %+v, last error %+v", s.Table, s.Settled, marks[s.Table], s.LastError)
			}
		}
		return nil
	})
	for table, m := range r.readMarks(t) {
		if !r.doubted(table, m) {
			if run := p.run(t, table, "deletecheck"); run.State != "done" {
				t.Errorf("sweep of %s: got %+v", table, run)
			}
		}
	}
}

// doubted reports whether a table's rows have to be compared: tokens differ from
// those before, or another server answers.
func (r *unpacked) doubted(table string, now timetrace.Table) bool {
	old := r.marks[table]
	return now.Epoch != old.Epoch || now.Server != old.Server
}

// rejected returns the rows that the earlier version had in quarantine for a bad value. This
// one indexes them without the value.
func (r *unpacked) rejected() (oids []string) {
	for _, q := range r.want.Quarantine["item"] {
		if q.Kind != httpapi.KindPartial {
			oids = append(oids, *q.OID)
		}
	}
	return oids
}

// documents returns the keys of the documents of a table that have to exist, and of
// those that have to be written.
func (r *unpacked) documents(table string) (all, written []string) {
	expected := maps.Clone(r.want.Documents[table])
	if table == "item" {
		written = slices.Sorted(slices.Values(append(slices.Clone(releaseWritten), r.rejected()...)))
		expected[releaseInserted] = 0
		delete(expected, releaseRemoved)
	}
	return slices.Sorted(maps.Keys(expected)), written
}

// checkDocuments compares the versions in the index with those before.
func (r *unpacked) checkDocuments(t *testing.T, now releaseState, table string) {
	t.Helper()
	all, written := r.documents(table)
	if got := slices.Sorted(maps.Keys(now.Documents[table])); !slices.Equal(got, all) {
		t.Errorf("%s: got documents %v, want %v", table, got, all)
	}
	var got []string
	for oid, v := range now.Documents[table] {
		if r.want.Documents[table][oid] != v {
			got = append(got, oid)
		}
	}
	if slices.Sort(got); !slices.Equal(got, written) {
		t.Errorf("%s: got documents written %v, want %v", table, got, written)
	}
}

// checkCounts compares what passes counted. If tokens differ from those before, each
// row is fetched once; otherwise only the changed rows are. Of these, item 9 has
// the same document as before.
func (r *unpacked) checkCounts(t *testing.T, p *proc, table string) {
	t.Helper()
	counted := passRows(t, p, table)
	all, written := r.documents(table)
	skipped, removed := 0, 0
	if table == "item" {
		skipped, removed = 1, 1
	}
	if r.readMarks(t)[table].Epoch != r.marks[table].Epoch {
		skipped = len(all) - len(written)
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"written", counted["added"] + counted["updated"], len(written)},
		{"fetched without a change", counted["skipped"], skipped},
		{"removed", counted["deleted"], removed},
	} {
		if c.got != c.want {
			t.Errorf("%s: passes counted %v: got %d documents %s, want %d", table, counted, c.got, c.what, c.want)
		}
	}
	if got := counted["swept"]; got < len(all) {
		t.Errorf("%s: passes counted %v: got %d rows compared by sweeps, want %d", table, counted, got, len(all))
	}
}

// checkQuarantine wants the row that was in quarantine for a bad value to be a document
// without it, or to be listed since the same time if it was that before.
func (r *unpacked) checkQuarantine(t *testing.T, now releaseState) {
	t.Helper()
	got := now.Quarantine["item"]
	if len(got) != 1 || *got[0].OID != "13" || got[0].Kind != httpapi.KindPartial || len(got[0].Columns) != 1 || got[0].Columns[0].Column != "price" {
		t.Errorf("quarantine: got %+v, want row 13 without its price", got)
		return
	}
	before := r.want.Quarantine["item"]
	if len(r.rejected()) == 0 && !time.Time(got[0].Since).Equal(time.Time(before[0].Since)) {
		t.Errorf("quarantine: got row 13 since %v, want since %v", time.Time(got[0].Since), time.Time(before[0].Since))
	}
}

// passRows sums the metric of rows by outcome; "swept" is the rows that sweeps
// compared.
func passRows(t *testing.T, p *proc, table string) map[string]int {
	t.Helper()
	sums := map[string]int{}
	for line := range strings.Lines(string(p.metrics(t))) {
		labels, found := strings.CutPrefix(line, "indexerd_pass_rows_total{")
		if !found || !strings.Contains(labels, `table="`+table+`"`) {
			continue
		}
		_, after, _ := strings.Cut(labels, `outcome="`)
		outcome, _, _ := strings.Cut(after, `"`)
		n, err := strconv.ParseFloat(strings.TrimSpace(labels[strings.LastIndex(labels, " "):]), 64)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		sums[outcome] += int(n)
		if outcome == "compared" && strings.Contains(labels, `pass="deletecheck"`) {
			sums["swept"] += int(n)
		}
	}
	return sums
}

// checkHistory wants the runs before to be the oldest ones still.
func (r *unpacked) checkHistory(t *testing.T, now releaseState) {
	t.Helper()
	runs := func(h []httpapi.HistoryRun) (all []string) {
		for _, run := range h {
			all = append(all, fmt.Sprintf("%s at %v: read %d, added %d, updated %d, deleted %d", run.Pass, time.Time(run.Started).UTC(), run.Read, run.Added, run.Updated, run.Deleted))
		}
		return all
	}
	for _, table := range releaseTables {
		got, want := runs(now.History[table]), runs(r.want.History[table])
		if len(want) == 0 || len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
			t.Errorf("history of %s: got %q, want %q to be the end", table, got, want)
		}
	}
}

// checkMarks compares the marks with those before. In PostgreSQL another server
// answers: the daemon notices that, and doubts S until the sweep has ended.
func (r *unpacked) checkMarks(t *testing.T) {
	t.Helper()
	for table, got := range r.readMarks(t) {
		old := r.marks[table]
		if !got.Load.Equal(old.Load) || got.Generation != old.Generation || got.Numbers < old.Numbers || got.Source != old.Source {
			t.Errorf("%s is loaded again: got marks %+v, want those of the load kept: %+v", table, got, old)
		}
		if got.Settled.Before(old.Settled) || got.Incremental.Before(old.Incremental) || !got.Sweep.After(old.Sweep) || got.Unverified != "" {
			t.Errorf("%s: got marks %+v, want later ones than %+v, verified", table, got, old)
		}
		for name, mark := range old.Tiers {
			if got.Tiers[name].Before(mark) {
				t.Errorf("%s, tier %s: got mark %v, want %v or later", table, name, got.Tiers[name], mark)
			}
		}
		another := r.db.driver == "postgres" && table == "item" // place has no horizon of a server
		if another != (got.Server != old.Server) || another && got.Rewinds <= old.Rewinds {
			t.Errorf("%s: got server %q after %q and %d rewinds after %d, want another server noticed: %t", table, got.Server, old.Server, got.Rewinds, old.Rewinds, another)
		}
	}
}

// startsVerified starts the daemon once more: nothing is compared a second time.
func (r *unpacked) startsVerified(t *testing.T) {
	t.Helper()
	before := r.readMarks(t)
	p := start(t, "run", "-c", r.file)
	began := time.Now()
	eventually(t, soon, "all tables go on", func() error {
		for _, s := range p.status(t).Tables {
			if s.Settled.Unverified {
				t.Fatalf("%s: got %+v, want it verified", s.Table, s.Settled)
			}
			if at := s.Marks.Incremental; at == nil || time.Time(*at).Before(began) {
				return fmt.Errorf("%s: marks %+v", s.Table, s.Marks)
			}
		}
		return nil
	})
	p.stop(t)
	for table, got := range r.readMarks(t) {
		if !got.Sweep.Equal(before[table].Sweep) {
			t.Errorf("%s: a second sweep began at %v", table, got.Sweep)
		}
	}
}

// reindexes builds the indexes of this version, which hold every word.
func (r *unpacked) reindexes(t *testing.T) {
	t.Helper()
	p := start(t, "run", "-c", r.file)
	defer p.stop(t)
	for _, table := range releaseTables {
		commands(t, 0, "reindex", "-c", r.file, table)
		verifies(t, 0, r.file, table, "--content")
	}
	was, changed := p.search(t, "item", "was", "size=0").Total, p.search(t, "item", "changed", "size=0").Total
	if was != changed || was == 0 {
		t.Errorf("after the reindex: got %d items with a word that was dropped, want %d", was, changed)
	}
}
