package main

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// A subject is a table whose schema changes. Everything about a row follows from
// its key, in all versions of the row, so that any answer can be judged alone:
//
//	title "title <id> <any>", body "body <id> <any>", rank 1000 + id,
//	ok: id is even, grp: id modulo 3
//
// Columns that come and go have whole numbers below 3: read as grp, one shows a
// document to another group.
type subject struct {
	name   string
	lite   bool
	shape  shape
	exec   func(context.Context, ...string) error // in one transaction
	random *rand.Rand

	fillers []string            // columns that no configuration names
	columns int                 // that were ever added
	undo    map[string][]string // what brings a missing column back, by the column
}

const (
	groups     = 3
	firstRows  = 300
	maxID      = 12_000
	fewestRows = 50
)

// newSubject draws the i-th subject of a round: shapes in turn, first under
// PostgreSQL and then under SQLite.
func newSubject(seed uint64, i int) *subject {
	s := &subject{
		lite: i%2 == 1, shape: shapes[i/2%len(shapes)], random: rand.New(rand.NewPCG(seed, uint64(i))),
		fillers: []string{"f0", "f1"}, undo: map[string][]string{},
	}
	s.name = s.shape.name
	if s.lite {
		s.name += "_lite"
	}
	return s
}

func (s *subject) String() string { return s.name }

// text replaces T by the name of the table, and what the databases write
// differently.
func (s *subject) text(sql string) string {
	now, at, boolean := "clock_timestamp()", "timestamptz", "boolean"
	if s.lite {
		now, at, boolean = "strftime('%Y-%m-%d %H:%M:%f', 'now')", "TEXT", "BOOLEAN"
	}
	return strings.NewReplacer("{T}", s.name, "{now}", now, "{at}", at, "{boolean}", boolean).Replace(sql)
}

func (s *subject) run(ctx context.Context, statements ...string) error {
	texts := make([]string, len(statements))
	for i, statement := range statements {
		texts[i] = s.text(statement)
	}
	return s.exec(ctx, texts...)
}

// config is the table's part of the configuration.
func (s *subject) config() string {
	source := "pg"
	if s.lite {
		source = "lite"
	}
	return fmt.Sprintf(`  %s:
    source: %s
    sql: %s
    key: id
    updated: u
    content: {fields: [title, body]}
    metadata: {rank: number, ok: boolean%s}
    acl: grp
    batch: 40
    incremental: {every: 300ms}
    compensate: {every: 500ms, slack: 500ms}
    deletecheck: {every: 1h, max_count: 1000000}
%s`, s.name, source, s.text(s.shape.sql), s.shape.metadata, s.text(s.shape.further))
}

// A shape is a way in which an SQL depends on its table's columns.
type shape struct {
	name, sql, metadata, further string
	groups                       string // the table that has the groups
	view                         bool
}

var shapes = []shape{
	{name: "star", sql: "SELECT * FROM {T}", metadata: ", grp: keyword", groups: "{T}"},
	{name: "joined", sql: "SELECT c1.*, c2.grp FROM {T} c1 JOIN {T}_groups c2 ON c2.of_id = c1.id", metadata: ", grp: keyword", groups: "{T}_groups"},
	{name: "viewed", sql: "SELECT * FROM {T}_view", metadata: ", grp: keyword", groups: "{T}", view: true},
	{name: "parent", sql: "SELECT id, u, title, body, rank, ok, grp FROM {T}", metadata: ", grp: keyword", groups: "{T}", further: `    children:
      kids: {sql: "SELECT * FROM {T}_kids", key: of_id, updated: u, content: [name]}
`},
	{name: "extra", sql: "SELECT * FROM {T}", groups: "{T}_groups", further: `    extra:
      grp: {sql: "SELECT of_id, grp FROM {T}_groups", key: of_id, type: keyword}
`},
}

// create makes and fills the tables. The groups' own table has those of all
// keys there can ever be.
func (shape shape) create(s *subject) []string {
	grp := ""
	if shape.groups == "{T}" {
		grp = ", grp int"
	}
	statements := []string{
		"CREATE TABLE {T} (f0 int DEFAULT 1, id int PRIMARY KEY, f1 int DEFAULT 2, u {at} NOT NULL, title text, body text, rank int, ok {boolean}" + grp + ")",
		"CREATE INDEX {T}_u ON {T} (u)",
		"CREATE TABLE {T}_groups (of_id int PRIMARY KEY, grp int)",
		fmt.Sprintf("INSERT INTO {T}_groups WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, i %% 3 FROM n", maxID),
		"CREATE TABLE {T}_kids (f0 int DEFAULT 1, of_id int NOT NULL, name text, u {at} NOT NULL)",
		"CREATE INDEX {T}_kids_of ON {T}_kids (of_id)",
	}
	statements = append(statements, s.fill())
	if shape.view {
		statements = append(statements, "CREATE VIEW {T}_view AS SELECT * FROM {T}")
	}
	for i := range statements {
		statements[i] = s.text(statements[i])
	}
	return statements
}

// fill inserts the first rows.
func (s *subject) fill() string {
	return s.insert(fmt.Sprintf("FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n) n", firstRows))
}

// insert is an INSERT of the rows with the keys i, but for the rows that exist.
func (s *subject) insert(from string) string {
	columns, values := "id, u, title, body, rank, ok", "i, {now}, 'title ' || i || ' new', 'body ' || i || ' new', 1000 + i, i % 2 = 0"
	if s.shape.groups == "{T}" {
		columns, values = columns+", grp", values+", i % 3"
	}
	return fmt.Sprintf("INSERT INTO {T} (%s) SELECT %s %s WHERE true ON CONFLICT DO NOTHING", columns, values, from)
}

// fits reports whether the schema has all that the configuration names.
func (s *subject) fits() bool { return len(s.undo) == 0 }

// missing names the columns that are not what the configuration wants.
func (s *subject) missing() []string { return slices.Sorted(maps.Keys(s.undo)) }

func (s *subject) lost(column string) bool { return s.undo[column] != nil }

// named reports whether a line is about something that is missing: it names the
// column or the key, or the SQL fails for its type.
func (s *subject) named(line string) bool {
	return s.lost("id") && strings.Contains(line, ".key: ") || strings.Contains(line, "operator does not exist") || slices.ContainsFunc(s.missing(), func(column string) bool { return strings.Contains(line, column) })
}

// play makes some changes of the schema, and most often repairs what they
// broke, while rows change.
func (s *subject) play(ctx context.Context, f *schemaFigures) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.rest(ctx, f); err != nil { // the load begins
		return err
	}
	for range 3 + s.random.IntN(6) {
		c := schemaChanges[s.random.IntN(len(schemaChanges))]
		if err := s.change(ctx, c, f); err != nil {
			return fmt.Errorf("%s: %s: %w", s, c.name, err)
		}
		if err := s.rest(ctx, f); err != nil {
			return err
		}
	}
	if s.random.IntN(4) > 0 {
		for _, column := range s.missing() {
			if err := s.repair(ctx, column); err != nil {
				return fmt.Errorf("%s: bring %s back: %w", s, column, err)
			}
		}
	}
	return s.rest(ctx, f)
}

// rest changes rows for a moment.
func (s *subject) rest(ctx context.Context, f *schemaFigures) error {
	for end := time.Now().Add(time.Duration(s.random.Int64N(int64(1500 * time.Millisecond)))); time.Now().Before(end); {
		if s.run(ctx, s.write()) == nil { // else a column of it is missing
			f.add(&f.writes, 1)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(s.random.Int64N(int64(60 * time.Millisecond)))):
		}
	}
	return nil
}

// write is one change of rows.
func (s *subject) write() string {
	id, word := 1+s.random.IntN(firstRows), s.random.IntN(1000)
	switch s.random.IntN(6) {
	case 0:
		return s.insert(fmt.Sprintf("FROM (SELECT %d AS i) n", id))
	case 1:
		return fmt.Sprintf("DELETE FROM {T} WHERE id = %d AND id %% 10 = 0", id)
	case 2:
		return fmt.Sprintf("INSERT INTO {T}_kids (of_id, name, u) VALUES (%d, 'kid %d', {now})", id, word)
	case 3:
		return fmt.Sprintf("UPDATE {T} SET ok = NULL, u = {now} WHERE id = %d", id)
	case 4:
		return fmt.Sprintf("UPDATE {T} SET ok = (id %% 2 = 0), rank = 1000 + id, u = {now} WHERE id BETWEEN %d AND %d", id, id+5)
	}
	return fmt.Sprintf("UPDATE {T} SET title = 'title ' || id || ' %d', body = 'body ' || id || ' %d', u = {now} WHERE id BETWEEN %d AND %d", word, word, id, id+3)
}

// pgExec runs statements in one transaction.
func pgExec(conn *pgx.Conn) func(context.Context, ...string) error {
	return func(ctx context.Context, statements ...string) error {
		tx, err := conn.Begin(ctx)
		if err != nil {
			return err
		}
		for _, statement := range statements {
			if _, err = tx.Exec(ctx, statement); err != nil {
				_ = tx.Rollback(context.WithoutCancel(ctx)) // err is more precise
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return tx.Commit(ctx)
	}
}

// liteExec is pgExec for SQLite.
func liteExec(db *sql.DB) func(context.Context, ...string) error {
	return func(ctx context.Context, statements ...string) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for _, statement := range statements {
			if _, err = tx.ExecContext(ctx, statement); err != nil {
				_ = tx.Rollback() // err is more precise
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return tx.Commit()
	}
}
