package process

import (
	"errors"
	"sync"
	"testing"
)

// ErrMissing reports that a server is not installed.
var ErrMissing = errors.New("not installed")

// Need skips a test whose server is not installed, or fails it if the server is demanded.
func Need(t testing.TB, err error, demanded bool) {
	t.Helper()
	switch {
	case errors.Is(err, ErrMissing) && !demanded:
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
}

// A Shared server is started by the first test that needs it.
type Shared[S interface{ Stop() }] struct {
	mu     sync.Mutex
	tried  bool
	server S
	err    error
}

// Get returns the server, or the error with which the first call did not start it.
func (s *Shared[S]) Get(start func() (S, error)) (S, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.tried {
		s.server, s.err = start()
		s.tried = true
	}
	return s.server, s.err
}

// Main runs the tests of a package, and ends the server that they used. It returns the
// exit code.
func (s *Shared[S]) Main(m *testing.M) int {
	code := m.Run()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tried && s.err == nil {
		s.server.Stop()
	}
	return code
}
