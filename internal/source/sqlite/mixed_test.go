package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/sourcetest"
)

// A mixed is the dialect of a database whose statements have a snapshot each. before
// runs before a statement of which a part is given.
type mixed struct {
	*DB
	part   string
	before func()
}

func (m *mixed) Acquire(ctx context.Context) (dialect.Session, error) {
	s, err := m.DB.Acquire(ctx)
	return &mixedSession{s, m}, err
}

type mixedSession struct {
	dialect.Session
	mixed *mixed
}

func (s *mixedSession) Begin(ctx context.Context, settings string) (dialect.Snapshot, error) {
	snapshot, err := s.Session.Begin(ctx, settings)
	snapshot.Mixed = true
	return snapshot, err
}

func (s *mixedSession) Query(ctx context.Context, st dialect.Statement, row func([]any) bool) (bool, error) {
	if s.mixed.before != nil && strings.Contains(st.SQL, s.mixed.part) {
		do := s.mixed.before
		s.mixed.before = nil
		do()
	}
	s.Session.End()
	next, err := s.mixed.DB.Acquire(ctx)
	if err != nil {
		return false, err
	}
	s.Session = next
	if _, err := next.Begin(ctx, ""); err != nil {
		return false, err
	}
	return next.Query(ctx, st, row)
}

// TestMixedSnapshots changes rows between the statements of a page: the tokens of the
// rows that changed are unknown, and those of the others are their stamps'.
func TestMixedSnapshots(t *testing.T) {
	m := &mixed{}
	h := harness(func(d *DB) dialect.Dialect {
		m.DB = d
		return m
	})
	db := h.Open(t)
	exec := func(statements ...string) {
		t.Helper()
		if err := db.Exec(statements...); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE doc (id INTEGER PRIMARY KEY, v TEXT)", "CREATE TABLE child (doc_id INTEGER, w TEXT)",
		"INSERT INTO doc VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a')", "INSERT INTO child VALUES (1, 'a'), (2, 'a'), (3, 'a'), (4, 'a')")
	table, err := source.New(m, pace.Limits{}).Table(t.Context(), source.TableConfig{
		Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"},
		Children: []sourcetest.Child{{Name: "child", Path: "children.child", SQL: "SELECT * FROM child", Key: []string{"doc_id"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := table.Breakpoints(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]string{"SELECT * FROM child": "2 3", "no statement": ""} {
		m.part, m.before = part, func() {
			exec("UPDATE doc SET v = v || 'b' WHERE id = 2", "UPDATE child SET w = w || 'b' WHERE doc_id = 2", "INSERT INTO child VALUES (3, 'b')", "DELETE FROM doc WHERE id = 3")
		}
		var unknown []string
		for b, err := range table.Docs(t.Context(), keys) {
			if err != nil {
				t.Fatal(err)
			}
			stamps, err := table.StampsOf(t.Context(), keys)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range b.Docs {
				at := slices.IndexFunc(stamps, func(s doc.Stamp) bool { return s.OID == d.OID })
				switch {
				case d.Token.Digest == 0:
					unknown = append(unknown, fmt.Sprint(d.OID))
				case at < 0 || stamps[at].Token != d.Token:
					t.Errorf("%s: got %v with a token that is not its stamp's", part, d.OID)
				}
			}
		}
		if got := strings.Join(unknown, " "); got != want {
			t.Errorf("%s: got unknown tokens of %q, want %q", part, got, want)
		}
	}
}

// A key that is declared NUMERIC takes fractions although the table was described while it
// had integers alone.
func TestNumericKeyOfIntegersTakesFractions(t *testing.T) {
	for declared, want := range map[string]string{"NUMERIC": "0.5 1.1 2", "DECIMAL": "0.5 1.1 2", "DECIMAL(10)": "0.5 1.1 2", "INTEGER": "2"} {
		db := newDB(t, "CREATE TABLE t (id "+declared+" NOT NULL UNIQUE, u)", "INSERT INTO t VALUES (2, '2024-05-06 12:00:00')")
		table := db.table(source.TableConfig{})
		db.exec("INSERT INTO t VALUES (1.10, '2024-05-06 12:00:00'), ('0.50', '2024-05-06 12:00:00')")
		docs, rejects := rangeOf(t, table, doc.Range{})
		if got := keysOf(docs); got != want || (len(rejects) > 0) != (want == "2") {
			t.Errorf("%s: got the rows %s and rejects %s, want %s", declared, got, reasons(rejects), want)
		}
		var oids []doc.OID
		for _, d := range docs {
			oids = append(oids, d.OID)
		}
		if byKey, _ := docsOf(t, table, oids...); keysOf(byKey) != want {
			t.Errorf("%s: got the rows %s by key, want %s", declared, keysOf(byKey), want)
		}
	}
}
