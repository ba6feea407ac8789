package httpapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A slowReader is a client that needs delay for each write and honors write
// deadlines.
type slowReader struct {
	*httptest.ResponseRecorder
	delay time.Duration

	mu       sync.Mutex
	deadline time.Time
	moved    chan struct{} // closed when the deadline changes
}

func newSlowReader(delay time.Duration) *slowReader {
	return &slowReader{ResponseRecorder: httptest.NewRecorder(), delay: delay, moved: make(chan struct{})}
}

func (s *slowReader) SetReadDeadline(time.Time) error { return nil }

func (s *slowReader) SetWriteDeadline(at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deadline = at
	close(s.moved)
	s.moved = make(chan struct{})
	return nil
}

func (s *slowReader) Write(b []byte) (int, error) {
	taken := time.After(s.delay)
	for {
		s.mu.Lock()
		deadline, moved := s.deadline, s.moved
		s.mu.Unlock()
		var late <-chan time.Time
		if !deadline.IsZero() {
			late = time.After(time.Until(deadline))
		}
		select {
		case <-taken:
			return s.ResponseRecorder.Write(b)
		case <-late:
			return 0, os.ErrDeadlineExceeded
		case <-moved:
		}
	}
}

func TestStreamEndsWhenItsClientStopsReading(t *testing.T) {
	hundred := func(_ context.Context, w io.Writer) error {
		for range 100 {
			if _, err := w.Write([]byte("block")); err != nil {
				return err
			}
		}
		return nil
	}
	interrupted := func(ctx context.Context, w io.Writer) error {
		time.AfterFunc(time.Second, w.(*Stream).Interrupt)
		err := hundred(ctx, w)
		if _, later := w.Write([]byte("block")); later == nil {
			return nil // a write after Interrupt must fail too
		}
		return err
	}
	for _, c := range []struct {
		name  string
		delay time.Duration
		write func(context.Context, io.Writer) error
		want  any // of recover
		took  time.Duration
	}{
		{"slow client", progressWithin - time.Second, hundred, nil, 100 * (progressWithin - time.Second)},
		{"client that does not read", time.Hour, hundred, http.ErrAbortHandler, progressWithin},
		{"interrupted stream", 400 * time.Millisecond, interrupted, http.ErrAbortHandler, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			w, began := newSlowReader(c.delay), time.Now()
			defer func() {
				got, _ := recover().(error)
				if want, _ := c.want.(error); !errors.Is(got, want) || time.Since(began) != c.took {
					t.Errorf("%s: ended with %v after %v, want %v after %v", c.name, got, time.Since(began), c.want, c.took)
				}
				if c.want == nil && w.Body.Len() != 100*len("block") {
					t.Errorf("%s: got %d bytes", c.name, w.Body.Len())
				}
			}()
			stream(w, httptest.NewRequest("POST", "/api/v1/backup", bytes.NewReader(nil)), c.write)
		})
	}
}

// A stream announces its size before the first byte.
func TestStreamAnnouncesItsSize(t *testing.T) {
	w := httptest.NewRecorder()
	stream(w, httptest.NewRequest(http.MethodPost, "/", nil), func(_ context.Context, out io.Writer) error {
		out.(*Stream).Expect(4711)
		_, err := out.Write([]byte("tar"))
		return err
	})
	if got := w.Header().Get(SizeHeader); got != "4711" || w.Body.String() != "tar" {
		t.Errorf("got size %q and %q, want 4711 and tar", got, w.Body)
	}
}
