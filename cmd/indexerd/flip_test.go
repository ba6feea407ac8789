package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestFlip flips one random bit of a data directory, FLIP_N times, while the daemon is
// down or runs. Each flip is found, repaired, or refused with what to do, or is of bytes
// that nothing needs; and no search of a daemon that starts is answered wrongly.
func TestFlip(t *testing.T) {
	t.Parallel()
	n := rounds(t, "FLIP_N", 12, 4)
	f := newFlips(t)
	for i := range n {
		f.round(t, i%4 == 3)
	}
	fmt.Printf("flip: seed=%d n=%d running=%d found=%d repaired=%d refused=%d unused=%d wrong=%d %s\n",
		f.seed, n, f.running, f.found, f.repaired, f.refused, f.unused, f.wrong, outcome(t.Failed()))
}

// flips are a TestFlip under way.
type flips struct {
	seed                   uint64
	random                 *rand.Rand
	dsn                    string
	template, data, config string
	want                   []string // the answers to flipQueries

	running                  int // flips while the daemon ran
	found, repaired, refused int
	unused                   int // flips that changed nothing
	wrong                    int // answers
}

// flipQueries are eight searches.
var flipQueries = []string{
	"search?q=first&size=5",
	"search?q=word7+word3&size=20",
	"search?q=%22word2+of%22&size=20&match=all",
	"search?q=wor*&size=3",
	"search?q=&filter=kind:a&facets=kind:10&size=2&sort=-price",
	"search?q=body:word11&sort=price&size=20",
	"search?q=price:%3E=990&size=50",
	"docs/77",
}

func newFlips(t *testing.T) *flips {
	dir := t.TempDir()
	f := &flips{seed: chaosSeed(t), template: filepath.Join(dir, "template"), data: filepath.Join(dir, "data")}
	f.random = rand.New(rand.NewPCG(f.seed, 0))
	dsn := filepath.Join(dir, "db.sqlite")
	f.dsn = dsn
	execSQLite(t, dsn, `CREATE TABLE note (id INTEGER PRIMARY KEY, updated TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')), kind TEXT, price REAL, body TEXT)`,
		"CREATE INDEX note_updated ON note (updated)",
		`WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 1000)
		 INSERT INTO note (id, kind, price, body) SELECT i, substr('abc', i % 3 + 1, 1), i, 'first word' || (i % 13) || ' of word' || (i % 31) || ' and ' || i FROM s`)
	f.config = writeFile(t, configOf("sqlite", dsn, f.data, `  note:
    source: db
    sql: SELECT id, updated, kind, price, body FROM note
    key: id
    updated: updated
    content: {fields: [body]}
    metadata: {kind: keyword, price: number}
    batch: 100
`))
	p := follow(t, f.config)
	for _, change := range []string{"DELETE FROM note WHERE id % 50 = 0", "UPDATE note SET body = 'second ' || body, updated = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE id % 20 = 1", "UPDATE note SET price = 'none', updated = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE id = 78"} {
		execSQLite(t, dsn, change)
		commands(t, 0, "sweep", "-c", f.config, "note")
	}
	p.found(t, "note", "first", 980)
	f.want = f.answers(t, p)
	for i, answer := range f.want {
		if strings.HasPrefix(answer, "refused") {
			t.Fatalf("%s: got %s", flipQueries[i], answer)
		}
	}
	p.stop(t)
	if err := os.Rename(f.data, f.template); err != nil {
		t.Fatal(err)
	}
	return f
}

// answers asks all queries. An answer that is refused says so.
func (f *flips) answers(t *testing.T, p *proc) []string {
	t.Helper()
	var all []string
	for _, q := range flipQueries {
		body, err := get(p.base + "/api/v1/tables/note/" + q)
		if err != nil {
			if !strings.Contains(err.Error(), "status 50") {
				t.Errorf("%s: %v", q, err)
			}
			all = append(all, "refused: "+err.Error())
			continue
		}
		if bytes.Contains(body, []byte(`"fields":{},`)) { // the page of a hit is damaged
			all = append(all, "refused: a hit without its page")
			continue
		}
		var answer map[string]any
		if err := json.Unmarshal(body, &answer); err != nil {
			t.Fatalf("%s: %v: %s", q, err, body)
		}
		for _, varies := range []string{"took_ms", "fetched", "next"} {
			delete(answer, varies)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// judge counts wrong answers, and reports whether all are right.
func (f *flips) judge(t *testing.T, when, what string, got []string) bool {
	t.Helper()
	right := true
	for i := range got {
		switch {
		case got[i] == f.want[i]:
		case strings.HasPrefix(got[i], "refused"):
			right = false
		default:
			right = false
			f.wrong++
			t.Errorf("%s, %s: %s: got %s, want %s", what, when, flipQueries[i], got[i], f.want[i])
		}
	}
	return right
}

// round flips one bit of a copy of the template.
func (f *flips) round(t *testing.T, running bool) {
	if err := os.RemoveAll(f.data); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(f.data, os.DirFS(f.template)); err != nil {
		t.Fatal(err)
	}
	execSQLite(t, f.dsn, "UPDATE note SET price = 'none' WHERE id = 78")
	if running {
		f.running++
		p := follow(t, f.config)
		what := f.flip(t)
		f.after(t, p, what, running)
		return
	}
	what := f.flip(t)
	p := launch(t, command(t, "run", "-c", f.config))
	var err error
	for deadline := time.Now().Add(soon); ; {
		if err = p.answers(); err == nil || time.Now().After(deadline) {
			break
		}
		select {
		case <-p.done:
			f.refuse(t, p, what)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err != nil {
		t.Fatalf("%s: the daemon does not answer: %v", what, err)
	}
	f.judge(t, "at the start", what, f.answers(t, p))
	f.after(t, p, what, running)
}

// refuse wants a daemon that has ended to have said why, and what to do.
func (f *flips) refuse(t *testing.T, p *proc, what string) {
	t.Helper()
	log := p.log.String()
	if strings.Contains(log, "goroutine ") || !strings.Contains(log, ": ") || log == "" {
		t.Errorf("%s: the daemon ended with %q", what, log)
	}
	f.refused++
}

// after wants what the flip damaged to be found or repaired, and all answers to be right
// in the end.
func (f *flips) after(t *testing.T, p *proc, what string, running bool) {
	t.Helper()
	defer p.kill()
	found := false
	eventually(t, soon, what+": verify", func() error {
		stdout, stderr, code := ask(t, "verify", "--content", "--wait", "1s", "-c", f.config)
		if code == 0 {
			return nil
		}
		if !found { // a damaged page of a quarantined row can be fetched when the row is repaired
			execSQLite(t, f.dsn, "UPDATE note SET price = 78, updated = strftime('%Y-%m-%d %H:%M:%f', 'now') WHERE id = 78")
		}
		found = true
		if code == 1 && !strings.Contains(stdout, "DAMAGED") && !strings.Contains(stdout, "DIFFERENT") {
			t.Errorf("%s: verify: exit %d: %s%s", what, code, stdout, stderr)
		}
		if running && strings.Contains(stdout, "DIFFERENT") { // of a page that is damaged
			commands(t, 0, "sweep", "-c", f.config, "note")
		}
		return fmt.Errorf("exit %d: %s%s", code, stdout, stderr)
	})
	log := p.log.String()
	if strings.Contains(log, "panic") || strings.Contains(log, "goroutine ") {
		t.Errorf("%s: a panic: %s", what, log)
	}
	eventually(t, soon, what+": all answers are right", func() error {
		if !f.judge(t, "at the end", what, f.answers(t, p)) {
			return errors.New("some are refused")
		}
		return nil
	})
	switch {
	case strings.Contains(log, "damaged"):
		f.repaired++
	case found:
		f.found++
	default:
		f.unused++
	}
}

// flip flips one bit: of a random file, or of a random byte of all.
func (f *flips) flip(t *testing.T) (what string) {
	t.Helper()
	var files []string
	var sizes []int64
	total := int64(0)
	err := filepath.WalkDir(f.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Size() > 0 && e.Name() != "lock" {
			files, sizes, total = append(files, path), append(sizes, info.Size()), total+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	i, at := f.random.IntN(len(files)), int64(0)
	if f.random.IntN(2) == 0 {
		for i, at = 0, f.random.Int64N(total); at >= sizes[i]; i++ {
			at -= sizes[i]
		}
	} else {
		at = f.random.Int64N(sizes[i])
	}
	bit := f.random.IntN(8)
	file, err := os.OpenFile(files[i], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := flipBit(file, at, bit); err != nil {
		t.Fatal(err)
	}
	name, err := filepath.Rel(f.data, files[i])
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: bit %d of byte %d of %d", name, bit, at, sizes[i])
}
