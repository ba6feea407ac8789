package stored

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/timetrace"
)

// loadedTable returns a table whose index has one document.
func loadedTable(t *testing.T) *Table {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	yaml := fmt.Sprintf("data: %s\nsources: {db: {driver: sqlite, dsn: %s}}\ntables:\n  note: {source: db, sql: SELECT id body FROM note, key: id, content: {fields: [body]}}\n", filepath.Join(dir, "data"), filepath.Join(dir, "db"))
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := configs.Load(file, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(cfg.Data, "note"), 0o700); err != nil {
		t.Fatal(err)
	}
	trace, err := timetrace.Open(atomicfile.OS, cfg.Data, "test")
	if err != nil {
		t.Fatal(err)
	}
	s := New(cfg, cfg.Tables[0], trace, newPageStore(cfg.PageStore))
	if err := trace.UpdateTable("note", func(m *timetrace.Table) { m.Loaded, m.Generation = true, 1 }); err != nil {
		t.Fatal(err)
	}
	o, err := s.place.create(1)
	if err != nil {
		t.Fatal(err)
	}
	row := doc.Row{Names: []string{"id", "body"}, Values: []any{int64(7), "a drama"}}
	if err := o.Apply([]doc.Doc{{Meta: doc.Meta{Stamp: doc.Stamp{OID: "7"}, V: 1}, Row: row}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

// documents opens the index, and returns how many documents it has.
func (s *Table) documents(t *testing.T) uint64 {
	t.Helper()
	o, err := s.place.open()
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	n, err := o.Count()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// An index that is found damaged when it is opened is replaced by an empty one, after the
// table was marked. Read-only it is not opened.
func TestDamagedIndexIsReplaced(t *testing.T) {
	s := loadedTable(t)
	if n := s.documents(t); n != 1 || s.Rebuilding() {
		t.Fatalf("undamaged: got %d documents, rebuilding %t, want 1", n, s.Rebuilding())
	}
	segments, err := filepath.Glob(filepath.Join(s.Dir, "index", "*.zap"))
	if err != nil || len(segments) == 0 {
		t.Fatalf("segments: got %v, %v", segments, err)
	}
	for _, name := range segments {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/2] ^= 1
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.ReadOnly = true
	if _, err := s.place.open(); !IsIndexDamaged(err) {
		t.Errorf("read-only: got %v, want the damage", err)
	}
	s.ReadOnly = false
	if n := s.documents(t); n != 0 || !s.Rebuilding() || s.Rebuilds.Load() == nil {
		t.Errorf("damaged: got %d documents, rebuilding %t, for %v; want none", n, s.Rebuilding(), s.Rebuilds.Load())
	}
}

// A rebuild that was interrupted begins again with an empty index: the one that is there
// may be the damaged one, or that of an early build.
func TestInterruptedRebuild(t *testing.T) {
	for during, after := range map[string]string{IndexDamaged: IndexRebuilt, IndexOfBuild: BuildIndexRebuilt} {
		s := loadedTable(t)
		if err := s.doubt(during); err != nil {
			t.Fatal(err)
		}
		if n := s.documents(t); n != 0 || s.WhyRebuilding() != during {
			t.Errorf("%s: got %d documents and reason %q, want none", during, n, s.WhyRebuilding())
		}
		if err := s.Refilled(); err != nil {
			t.Fatal(err)
		}
		if marks, _ := s.Trace.Table("note"); marks.Unverified != after || s.Rebuilding() {
			t.Errorf("refilled: got %q, want %q", marks.Unverified, after)
		}
	}
}
