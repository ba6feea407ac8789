package h2test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/source/dialect"
	"indexerd/internal/test/fakedriver"
	"indexerd/internal/test/sourcetest"
)

// A Dialect is one whose server H2 stands in for.
type Dialect struct {
	Vendor Vendor
	Open   func(driver.Connector) dialect.Dialect
	Record func(driver.Connector, *dialecttest.Recording) dialect.Dialect // as Open, with sessions that record
	Value  func(dialect.Arg) any                                          // as the dialect's stdsql.Vendor has it
	Write  func(sql string) []string                                      // writes a statement of the suite for H2
	SQL    func(sql string) string                                        // writes the SQL of a table for H2; nil: as it is
}

// A Stand is a sourcetest.Database on H2.
type Stand struct {
	testing.TB
	of     Dialect
	db     *DB
	writer *sql.DB
	source *source.Source
}

// New creates a database and a source that reads it.
func (d Dialect) New(t testing.TB) sourcetest.Database { return d.stand(t).Connect() }

func (d Dialect) stand(t testing.TB) *Stand {
	db := New(t, d.Vendor)
	writer := sql.OpenDB(db.Writer())
	writer.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = writer.Close() })
	return &Stand{TB: t, of: d, db: db, writer: writer}
}

// Connect implements sourcetest.Database.
func (s *Stand) Connect() sourcetest.Database { return s.reads(s.of.Open(s.db.Connector())) }

// reads returns the database with a source of a dialect.
func (s *Stand) reads(d dialect.Dialect) *Stand {
	next := *s
	next.source = source.New(d, pace.Limits{})
	s.Cleanup(d.Close)
	return &next
}

// Kill implements sourcetest.Killer.
func (s *Stand) Kill() error {
	s.db.Kill()
	return nil
}

// Exec implements sourcetest.Database.
func (s *Stand) Exec(statements ...string) error {
	ctx := context.Background()
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		for _, one := range s.of.Write(statement) {
			if _, err := tx.ExecContext(ctx, one); err != nil {
				_ = tx.Rollback()
				return errors.Join(errors.New(one), err)
			}
		}
	}
	return tx.Commit()
}

// Open implements sourcetest.Database.
func (s *Stand) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	if s.of.SQL != nil {
		c.SQL, c.Deleted.SQL = s.of.SQL(c.SQL), s.of.SQL(c.Deleted.SQL)
	}
	return c.Open(context.Background(), s.source, "doc")
}

// Statements compares the statements that the server receives with the file
// testdata/statements.sql. H2 has answered them before, and the recording plays its
// answers, which testdata/answers.jsonl has; or H2 answers them, and both files are
// written.
func (d Dialect) Statements(t *testing.T, harness func(open func(testing.TB) sourcetest.Database) sourcetest.Harness, recording *fakedriver.Recording, update bool) {
	t.Helper()
	const answers = "testdata/answers.jsonl"
	if !update {
		if err := recording.Load(answers); err != nil {
			t.Fatal(err)
		}
	}
	sourcetest.Statements(t, harness(func(t testing.TB) sourcetest.Database {
		stand, connector := &Stand{TB: t}, recording.Play()
		if update {
			stand = d.stand(t)
			connector = recording.Record(stand.db.Connector())
		}
		r := &recorded{recording: &dialecttest.Recording{Value: d.Value}, played: !update}
		r.Stand = stand.reads(d.Record(connector, r.recording))
		return r
	}), "testdata/statements.sql", update)
	if update {
		if err := recording.Save(answers); err != nil {
			t.Fatal(err)
		}
	}
}

// A recorded is a sourcetest.Recorder, on H2 or without a server.
type recorded struct {
	*Stand
	recording *dialecttest.Recording
	played    bool // there is no server
}

// Exec implements sourcetest.Database.
func (r *recorded) Exec(statements ...string) error {
	if r.played {
		return nil
	}
	return r.Stand.Exec(statements...)
}

// Open implements sourcetest.Database. The SQL is the suite's: the file has it.
func (r *recorded) Open(c sourcetest.Config) (sourcetest.SQLTable, error) {
	return c.Open(context.Background(), r.source, "doc")
}

// Connect implements sourcetest.Database.
func (r *recorded) Connect() sourcetest.Database { return r }

// Statements implements sourcetest.Recorder.
func (r *recorded) Statements() []dialecttest.Statement { return r.recording.Statements() }
