package dialecttest

import (
	"context"
	"sync"

	"indexerd/internal/source/dialect"
)

// A Statement is what a source sends, with its parameters.
type Statement struct {
	SQL  string
	Args []any
	Sent dialect.Statement
}

// A Recording records the statements of a dialect's sessions.
type Recording struct {
	Value func(dialect.Arg) any // a parameter as the driver takes it; nil: its value or list

	mu   sync.Mutex
	sent []Statement
}

// Session returns a session that records its statements.
func (r *Recording) Session(s dialect.Session) dialect.Session {
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
	dialect.Session
	recording *Recording
}

// Query implements dialect.Session.
func (s recordedSession) Query(ctx context.Context, st dialect.Statement, row func([]any) bool) (bool, error) {
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
