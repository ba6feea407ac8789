package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// A schemaChange is one kind of change of a schema.
type schemaChange struct {
	name   string
	pgOnly bool
	whole  bool // it needs all columns that the configuration names
	make   func(*subject) []string
}

var schemaChanges = []schemaChange{
	{name: "add a column", make: func(s *subject) []string {
		s.columns++
		column := fmt.Sprintf("x%d", s.columns)
		s.fillers = append(s.fillers, column)
		return []string{fmt.Sprintf("ALTER TABLE {T} ADD COLUMN %s int DEFAULT %d", column, s.random.IntN(groups))}
	}},
	{name: "drop a column", make: func(s *subject) []string {
		column := s.takeFiller()
		if column == "" {
			return nil
		}
		return []string{"ALTER TABLE {T} DROP COLUMN " + column}
	}},
	{name: "rename a column", make: func(s *subject) []string {
		column := s.takeFiller()
		if column == "" {
			return nil
		}
		s.columns++
		to := fmt.Sprintf("y%d", s.columns)
		s.fillers = append(s.fillers, to)
		return []string{"ALTER TABLE {T} RENAME COLUMN " + column + " TO " + to}
	}},
	{name: "retype a column", pgOnly: true, make: func(s *subject) []string {
		if len(s.fillers) == 0 {
			return nil
		}
		column := s.fillers[s.random.IntN(len(s.fillers))]
		typ := []string{"text", "bigint", "numeric"}[s.random.IntN(3)]
		return []string{fmt.Sprintf("ALTER TABLE {T} ALTER COLUMN %s DROP DEFAULT, ALTER COLUMN %s TYPE %s USING %s::%s", column, column, typ, column, typ)}
	}},
	{name: "rank in another place", whole: true, make: func(*subject) []string {
		return []string{"ALTER TABLE {T} DROP COLUMN rank", "ALTER TABLE {T} ADD COLUMN rank int", "UPDATE {T} SET rank = 1000 + id, u = {now}"}
	}},
	{name: "rank of another width", pgOnly: true, make: func(s *subject) []string {
		return []string{"ALTER TABLE {T} ALTER COLUMN rank TYPE " + []string{"int", "bigint", "numeric"}[s.random.IntN(3)]}
	}},
	{name: "names swapped", whole: true, make: func(*subject) []string {
		return []string{
			"ALTER TABLE {T} RENAME COLUMN title TO swapped", "ALTER TABLE {T} RENAME COLUMN body TO title", "ALTER TABLE {T} RENAME COLUMN swapped TO body",
			"UPDATE {T} SET title = 'title ' || id || ' swapped', body = 'body ' || id || ' swapped', u = {now}",
		}
	}},
	{name: "rank and a filler swapped", whole: true, make: func(s *subject) []string {
		column := s.takeFiller()
		if column == "" {
			return nil
		}
		s.fillers = append(s.fillers, column)
		return []string{
			"ALTER TABLE {T} RENAME COLUMN rank TO swapped", "ALTER TABLE {T} RENAME COLUMN " + column + " TO rank", "ALTER TABLE {T} RENAME COLUMN swapped TO " + column,
			retyped(s, "rank", "int"), retyped(s, column, "int"),
			"UPDATE {T} SET rank = 1000 + id, " + column + " = id % 3, u = {now}",
		}
	}},
	{name: "truncate", whole: true, make: func(s *subject) []string {
		if s.lite {
			return []string{"DELETE FROM {T}", s.fill()}
		}
		return []string{"TRUNCATE {T}", s.fill()}
	}},
	{name: "other keys", whole: true, make: func(s *subject) []string {
		// Far enough from the keys there are, so that none is met twice.
		return []string{fmt.Sprintf(`UPDATE {T} SET id = id + 3000, title = 'title ' || (id + 3000) || ' moved', body = 'body ' || (id + 3000) || ' moved', rank = 1000 + id + 3000, u = {now}
			WHERE id <= 300 AND id %% 7 = %d AND id + 3000 NOT IN (SELECT id FROM {T})`, s.random.IntN(7))}
	}},
	{name: "keys of another width", pgOnly: true, make: func(s *subject) []string {
		if s.lost("id") {
			return nil
		}
		return []string{"ALTER TABLE {T} ALTER COLUMN id TYPE " + []string{"int", "bigint"}[s.random.IntN(2)]}
	}},
	{name: "the table made again", whole: true, make: func(s *subject) []string {
		s.fillers = []string{"f0", "f1"}
		all := s.shape.create(s)
		made := append([]string{"DROP TABLE {T}"}, all[:2]...)
		return append(made, s.fill())
	}},
	{name: "a child's column", make: func(s *subject) []string {
		s.columns++
		return []string{fmt.Sprintf("ALTER TABLE {T}_kids ADD COLUMN z%d int DEFAULT 1", s.columns)}
	}},
	breaking("title", "ALTER TABLE {T} RENAME COLUMN title TO title_away", "ALTER TABLE {T} RENAME COLUMN title_away TO title"),
	breaking("ok", "ALTER TABLE {T} RENAME COLUMN ok TO ok_away", "ALTER TABLE {T} RENAME COLUMN ok_away TO ok"),
	breaking("u", "ALTER TABLE {T} RENAME COLUMN u TO u_away", "ALTER TABLE {T} RENAME COLUMN u_away TO u"),
	{name: "groups away", make: func(s *subject) []string {
		t := s.shape.groups
		return s.breaks("grp", "ALTER TABLE "+t+" RENAME COLUMN grp TO grp_away", "ALTER TABLE "+t+" RENAME COLUMN grp_away TO grp")
	}},
	pgBreaking("ok", "ALTER TABLE {T} ALTER COLUMN ok TYPE text USING CASE WHEN ok THEN 'yes' WHEN NOT ok THEN 'no' END",
		"ALTER TABLE {T} ALTER COLUMN ok TYPE boolean USING ok::boolean"),
	pgBreaking("id", "ALTER TABLE {T} ALTER COLUMN id TYPE text USING id::text", "ALTER TABLE {T} ALTER COLUMN id TYPE int USING id::int"),
	pgBreaking("u", "ALTER TABLE {T} ALTER COLUMN u TYPE text USING u::text", "ALTER TABLE {T} ALTER COLUMN u TYPE timestamptz USING u::timestamptz"),
}

// breaking is a change after which a column that the configuration names is
// not what it wants, until the change is undone.
func breaking(column, do, undo string) schemaChange {
	return schemaChange{name: do, make: func(s *subject) []string { return s.breaks(column, do, undo) }}
}

func pgBreaking(column, do, undo string) schemaChange {
	c := breaking(column, do, undo)
	c.pgOnly = true
	return c
}

// breaks makes the change, or undoes an earlier one of the column.
func (s *subject) breaks(column, do, undo string) []string {
	if back := s.undo[column]; back != nil {
		delete(s.undo, column)
		return back
	}
	s.undo[column] = []string{undo}
	return []string{do}
}

// takeFiller draws a column that no configuration names; "" where there is none.
func (s *subject) takeFiller() string {
	if len(s.fillers) == 0 {
		return ""
	}
	i := s.random.IntN(len(s.fillers))
	column := s.fillers[i]
	s.fillers = append(s.fillers[:i:i], s.fillers[i+1:]...)
	return column
}

// retyped gives a column a type; SQLite's columns take any value.
func retyped(s *subject, column, typ string) string {
	if s.lite {
		return "SELECT 1"
	}
	return fmt.Sprintf("ALTER TABLE {T} ALTER COLUMN %s DROP DEFAULT, ALTER COLUMN %s TYPE %s USING 0", column, column, typ)
}

// tries is how often a change is tried that a reader's or a writer's lock
// refuses.
const tries = 20

// change makes a change, once more where a lock refused it.
func (s *subject) change(ctx context.Context, c schemaChange, f *schemaFigures) error {
	if c.pgOnly && s.lite || c.whole && !s.fits() {
		return nil
	}
	statements := c.make(s)
	if len(statements) == 0 {
		return nil
	}
	f.add(&f.changes, 1)
	return s.alter(ctx, statements)
}

func (s *subject) repair(ctx context.Context, column string) error {
	back := s.undo[column]
	delete(s.undo, column)
	return s.alter(ctx, back)
}

// alter runs the statements of a change. A view is made again behind them: in
// PostgreSQL a column that a view has can't be changed, and an existing view
// gets no column of its table's.
func (s *subject) alter(ctx context.Context, statements []string) (err error) {
	if s.shape.view {
		statements = append([]string{"DROP VIEW {T}_view"}, statements...)
		statements = append(statements, "CREATE VIEW {T}_view AS SELECT * FROM {T}")
	}
	for range tries {
		if err = s.run(ctx, statements...); err == nil || ctx.Err() != nil {
			return err
		}
		<-time.After(time.Duration(rand.Int64N(int64(200 * time.Millisecond))))
	}
	return err
}
