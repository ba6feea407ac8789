package httpapi

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// progressWithin is how long a stream may take from one write to the end of the
// next: a client that reads nothing for that long is taken for gone.
const progressWithin = 30 * time.Second

// stream sends what write writes, for as long as the client reads. After the
// first byte the status can't be taken back: an error cuts the stream off, so
// that no client takes half of it for the whole.
func stream(w http.ResponseWriter, r *http.Request, write func(context.Context, io.Writer) error) {
	if err := body(w, r, &struct{}{}); err != nil {
		fail(w, err)
		return
	}
	out := &Stream{w: w, rc: http.NewResponseController(w)}
	// The deadlines of ordinary requests don't fit; in process there are none.
	_ = out.rc.SetReadDeadline(time.Time{})
	_ = out.rc.SetWriteDeadline(time.Time{})
	err := write(r.Context(), out)
	switch {
	case err == nil:
	case !out.begun:
		fail(w, err)
	default:
		panic(http.ErrAbortHandler)
	}
}

// A Stream is the answer to a backup. Each write has a deadline of its own.
type Stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool

	mu    sync.Mutex
	ended bool
}

// Write implements io.Writer.
func (s *Stream) Write(b []byte) (int, error) {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "application/x-tar")
	}
	s.extend()
	return s.w.Write(b)
}

func (s *Stream) extend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		_ = s.rc.SetWriteDeadline(time.Now().Add(progressWithin)) // not supported in process
	}
}

// Interrupt makes the write under way fail, and all later ones.
func (s *Stream) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	_ = s.rc.SetWriteDeadline(time.Unix(1, 0)) // not supported in process
}
