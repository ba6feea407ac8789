package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

const (
	// maxHits bounds the hits of a response, in bytes of JSON. A client reads that
	// many within readWithin at 5 Mbit/s.
	maxHits = 16 << 20
	// maxBuffered is how many bytes are kept before the response starts. A shorter
	// response is sent at once, so that an error in it still becomes an error
	// response.
	maxBuffered = 256 << 10
	// chunk is how many bytes a client has to read to count as reading.
	chunk = 16 << 10
)

// errUnread is the error of a response that the client does not read.
var errUnread = errors.New("the client does not read the response")

// A limitedResponse writes one response while it holds a search slot. It keeps
// one hit and maxBuffered bytes in memory.
type limitedResponse struct {
	w       http.ResponseWriter
	limit   *searchLimit
	slot    *slot
	began   time.Time
	took    time.Duration // until the first byte
	writing time.Duration // spent in writes

	buffer  *bytes.Buffer // hits that are not written yet, one of buffers
	started bool          // the header is written
	status  int           // 0: 200
}

// buffers has the buffers of responses that have ended.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// writeResults writes the results of a search. ctx bounds the time until the
// first byte, rest the time after it. The deadline of ctx also bounds the time
// to read all hits, without the time spent in writes: a response that has
// started ends with the hits read by then, and its next continues after them.
func (l *limitedResponse) writeResults(ctx, rest context.Context, results search.Results) error {
	rest, cancel := context.WithTimeout(rest, readWithin)
	defer cancel()
	l.buffer = buffers.Get().(*bytes.Buffer)
	defer func() {
		if l.buffer.Cap() <= maxBuffered { // a large hit may have grown it
			l.buffer.Reset()
			buffers.Put(l.buffer)
		}
		l.buffer = nil
	}()
	encoder := newEncoder(l.buffer)
	n, size := 0, 0
	for ; n < results.Len; n++ {
		hitCtx := ctx
		if l.started {
			hitCtx = rest
			if l.isLate(ctx) {
				break
			}
		}
		hit, err := results.Hit(hitCtx, n)
		if err != nil {
			return err
		}
		before := l.buffer.Len()
		if n > 0 {
			l.buffer.WriteByte(',')
		}
		if err := encoder.Encode(hit); err != nil {
			return err
		}
		l.buffer.Truncate(l.buffer.Len() - len("\n"))
		if size += l.buffer.Len() - before; size > maxHits {
			if n == 0 {
				return badRequest(fmt.Sprintf("document %s is larger than the maximum of a response, %d MiB", hit.OID, maxHits>>20), "request some of its fields with fields, and highlight=false")
			}
			l.buffer.Truncate(before)
			break
		}
		if l.buffer.Len() > maxBuffered {
			if err := l.flush(results, nil); err != nil {
				return err
			}
		}
	}
	tail, err := tailOf(results, n)
	if err != nil {
		return err
	}
	return l.flush(results, tail)
}

// isLate reports whether reading the hits has taken longer than the deadline of
// ctx allows.
func (l *limitedResponse) isLate(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return bounded && time.Now().After(deadline.Add(l.writing))
}

// flush writes the buffered hits, after the header if the response has not
// started, and before tail. tail is nil if more hits follow.
func (l *limitedResponse) flush(results search.Results, tail []byte) error {
	text := append(l.buffer.Bytes(), tail...)
	if !l.started {
		l.took = time.Since(l.began)
		head, err := headOf(results, l.took)
		if err != nil {
			return err
		}
		text = append(head, text...)
		size := -1
		if tail != nil {
			size = len(text)
		}
		l.start(size)
	}
	l.buffer.Reset()
	return l.write(text)
}

// headOf returns the JSON before the first hit.
func headOf(results search.Results, took time.Duration) ([]byte, error) {
	text, err := encode(struct {
		Table   string              `json:"table"`
		TookMS  int64               `json:"took_ms"`
		Total   uint64              `json:"total"`
		Fresh   *bool               `json:"fresh,omitempty"`
		Missing []string            `json:"missing,omitzero"`
		Tables  []search.TableTotal `json:"tables,omitzero"`

		Suggest *search.Suggestion `json:"suggest,omitempty"`
		Notes   query.Notes        `json:"notes,omitempty"`
	}{results.Table, took.Milliseconds(), results.Total, results.Fresh, results.Missing, results.Tables, results.Suggest, results.Notes})
	if err != nil {
		return nil, err
	}
	return append(bytes.TrimSuffix(text, []byte("}\n")), `,"hits":[`...), nil
}

// tailOf returns the JSON after the n-th hit.
func tailOf(results search.Results, n int) ([]byte, error) {
	text, err := encode(struct {
		Facets any `json:"facets"`
		Next   any `json:"next"`
	}{results.Facets, results.Next(n)})
	if err != nil {
		return nil, err
	}
	text[0] = ',' // replaces the opening brace
	return append([]byte("]"), text...), nil
}

// encode returns a complete response.
func (l *limitedResponse) encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case PlainText:
		l.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		return []byte(body), nil
	case NotFound:
		l.status = http.StatusNotFound
		return encode(body.Body)
	}
	return encode(body)
}

// writeAll writes a complete response.
func (l *limitedResponse) writeAll(text []byte) error {
	l.start(len(text))
	return l.write(text)
}

func (l *limitedResponse) start(size int) {
	l.started = true
	writeHeader(l.w, cmp.Or(l.status, http.StatusOK), size)
}

// write writes text in chunks. The limit may abort it while the client does not
// read.
func (l *limitedResponse) write(text []byte) error {
	rc := http.NewResponseController(l.w)
	abort := func() { _ = rc.SetWriteDeadline(expired) }
	began := time.Now()
	defer func() { l.writing += time.Since(began) }()
	defer l.limit.endWrite(l.slot)
	for len(text) > 0 {
		n := min(len(text), chunk)
		l.limit.beginWrite(l.slot, abort)
		if _, err := l.w.Write(text[:n]); err != nil {
			return fmt.Errorf("%w: %w", errUnread, err)
		}
		text = text[n:]
	}
	l.limit.beginWrite(l.slot, abort)
	if err := rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	return nil
}

// end writes an error response if the response has not started. Otherwise it
// closes the connection, so that the client does not take a partial response
// for a complete one.
func (l *limitedResponse) end(err error) {
	switch {
	case err == nil:
	case !l.started:
		writeError(l.w, err)
	default:
		panic(http.ErrAbortHandler)
	}
}
