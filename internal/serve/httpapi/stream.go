package httpapi

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// progressWithin is how long one write of a stream may take. A client that reads
// nothing for that long is considered gone.
const progressWithin = 30 * time.Second

// stream responds with what write writes, for as long as the client reads. An
// error after the first byte closes the connection, so that the client does not
// take a partial stream for a complete one.
func stream(w http.ResponseWriter, r *http.Request, write func(context.Context, io.Writer) error) {
	if err := decodeBody(w, r, &struct{}{}); err != nil {
		writeError(w, err)
		return
	}
	out := &Stream{w: w, rc: http.NewResponseController(w)}
	// A stream takes longer than the deadlines of other requests. In process there
	// are none.
	_ = out.rc.SetReadDeadline(time.Time{})
	_ = out.rc.SetWriteDeadline(time.Time{})
	err := write(r.Context(), out)
	switch {
	case err == nil:
	case !out.started:
		writeError(w, err)
	default:
		panic(http.ErrAbortHandler)
	}
}

// A Stream is the response of a backup. Each write has its own deadline.
type Stream struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	started bool

	mu          sync.Mutex
	interrupted bool
}

// SizeHeader is the header of a backup with about how many bytes follow.
const SizeHeader = "Indexerd-Size"

// Expect announces about how many bytes will be written. It has no effect after the first
// of them.
func (s *Stream) Expect(bytes int64) { s.w.Header().Set(SizeHeader, strconv.FormatInt(bytes, 10)) }

// Write implements io.Writer.
func (s *Stream) Write(b []byte) (int, error) {
	if !s.started {
		s.started = true
		s.w.Header().Set("Content-Type", "application/x-tar")
	}
	s.extend()
	return s.w.Write(b)
}

func (s *Stream) extend() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.interrupted {
		_ = s.rc.SetWriteDeadline(time.Now().Add(progressWithin)) // unsupported in process
	}
}

// Interrupt makes the current write and all later ones fail.
func (s *Stream) Interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	_ = s.rc.SetWriteDeadline(expired) // unsupported in process
}
