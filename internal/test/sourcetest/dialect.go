package sourcetest

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"indexerd/internal/source"
)

// Table returns the configuration as the engine takes it.
func (c Config) Table(name string) source.TableConfig {
	return source.TableConfig{
		Name: name, SQL: c.SQL, Key: c.Key, RowKey: c.RowKey, MaxRows: c.MaxRows, Updated: c.Updated, Unit: c.Unit, Zone: c.Zone, Batch: c.Batch, StampPage: c.Page, Limits: c.Limits, Numbers: c.Numbers,
		Children: c.Children, Deleted: c.Deleted, Changes: c.Changes, ACL: c.ACL, Units: c.Units, Keep: c.Keep,
	}
}

// Open describes the table in a source.
func (c Config) Open(ctx context.Context, s *source.Source, name string) (SQLTable, error) {
	table, err := s.Table(ctx, c.Table(name))
	if err != nil {
		return nil, err
	}
	return ofSource{table, s}, nil
}

// An ofSource is a table with its source, which is asked for many tables at once.
type ofSource struct {
	*source.Table
	source *source.Source
}

// Quiet asks for one table.
func (t ofSource) Quiet(ctx context.Context, since time.Time) (bool, error) {
	quiet, err := t.source.Quiet(ctx, []source.Since{{Table: t.Table, From: since}})
	return err == nil && quiet[0], err
}

// Literal writes a value of the types that most databases write alike, and times in
// a layout.
func Literal(v any, layout string) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case time.Time:
		return "'" + v.UTC().Format(layout) + "'"
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return fmt.Sprint(v)
}

// A Recording records the statements of a dialect's sessions.
type Recording struct {
	Value func(source.Arg) any // a parameter as the driver takes it; nil: its value or list

	mu   sync.Mutex
	sent []Statement
}

// Session returns a session that records its statements.
func (r *Recording) Session(s source.Session) source.Session {
	return recordedSession{s, r}
}

// Statements returns the statements since the last call.
func (r *Recording) Statements() []Statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

type recordedSession struct {
	source.Session
	recording *Recording
}

// Query implements source.Session.
func (s recordedSession) Query(ctx context.Context, st source.Statement, row func([]any) bool) (bool, error) {
	sent := Statement{SQL: st.SQL, Sent: st}
	for _, a := range st.Args {
		switch {
		case s.recording.Value != nil:
			a.Value = s.recording.Value(a)
		case a.List != nil:
			a.Value = a.List
		}
		sent.Args = append(sent.Args, a.Value)
	}
	s.recording.mu.Lock()
	s.recording.sent = append(s.recording.sent, sent)
	s.recording.mu.Unlock()
	return s.Session.Query(ctx, st, row)
}
