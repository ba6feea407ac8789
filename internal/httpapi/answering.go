package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"indexerd/internal/search"
)

// The sizes of an answer, in bytes of its JSON.
const (
	// maxAnswer bounds the hits of a search. An answer of that size is read
	// within answerWithin at 5 Mbit/s.
	maxAnswer = 16 << 20
	// heldAnswer is how much is kept before an answer begins: a shorter one is
	// sent as a whole, and an error in it is still an answer.
	heldAnswer = 256 << 10
	// piece is how much a client has to read for its answer not to be stalled.
	piece = 16 << 10
)

// errUnread is the error of an answer that the client does not read.
var errUnread = errors.New("the answer is not read")

// An answering writes one answer while it holds a turn. Of a search it keeps
// one hit at a time beside heldAnswer bytes.
type answering struct {
	w     http.ResponseWriter
	limit *searchLimit
	turn  *turn
	began time.Time
	took  time.Duration // until the first byte
	read  time.Duration // that the client took to read what was written

	results search.Results
	held    bytes.Buffer // hits, not written yet
	begun   bool
}

// search writes what was found. ctx bounds what happens before the first byte,
// rest what happens after it. The deadline of ctx also bounds the work of all
// hits: an answer that has begun ends with those that were made by then, and
// next goes on behind them. Time that the client takes to read does not count.
func (a *answering) search(ctx, rest context.Context, results search.Results) error {
	a.results = results
	rest, cancel := context.WithTimeout(rest, answerWithin)
	defer cancel()
	shown, size := 0, 0
	for ; shown < results.Len; shown++ {
		of := ctx
		if a.begun {
			of = rest
			if a.late(ctx) {
				break
			}
		}
		hit, err := results.Hit(of, shown)
		if err != nil {
			return err
		}
		text, err := encode(hit)
		if err != nil {
			return err
		}
		if size += len(text); size > maxAnswer {
			if shown == 0 {
				return badRequest(fmt.Sprintf("document %s alone is larger than an answer may be, %d MiB", hit.OID, maxAnswer>>20), "ask for some of its fields with fields, and with highlight=false")
			}
			break
		}
		if shown > 0 {
			a.held.WriteByte(',')
		}
		a.held.Write(bytes.TrimSuffix(text, []byte("\n")))
		if a.held.Len() > heldAnswer {
			if err := a.flush(nil); err != nil {
				return err
			}
		}
	}
	end, err := a.tail(shown)
	if err != nil {
		return err
	}
	return a.flush(end)
}

// late reports whether the work of an answer has taken all its time.
func (a *answering) late(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return bounded && time.Now().After(deadline.Add(a.read))
}

// flush writes the hits that are held. The first time it begins the answer, of
// which end is the end, nil where more hits follow.
func (a *answering) flush(end []byte) error {
	text := append(a.held.Bytes(), end...)
	if !a.begun {
		a.took = time.Since(a.began)
		head, err := a.head()
		if err != nil {
			return err
		}
		text = append(head, text...)
		size := -1
		if end != nil {
			size = len(text)
		}
		a.begun = true
		header(a.w, http.StatusOK, size)
	}
	a.held.Reset()
	return a.write(text)
}

// head is the answer up to its first hit.
func (a *answering) head() ([]byte, error) {
	table, err := encode(a.results.Table)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"table":%s,"took_ms":%d,"total":%d,"hits":[`, bytes.TrimSuffix(table, []byte("\n")), a.took.Milliseconds(), a.results.Total), nil
}

// tail is the answer behind its last hit.
func (a *answering) tail(shown int) ([]byte, error) {
	text, err := encode(struct {
		Facets any `json:"facets"`
		Next   any `json:"next"`
	}{a.results.Facets, a.results.Next(shown)})
	if err != nil {
		return nil, err
	}
	text[0] = ',' // in place of the object's own brace
	return append([]byte("]"), text...), nil
}

// whole writes an answer that is complete.
func (a *answering) whole(text []byte) error {
	a.begun = true
	header(a.w, http.StatusOK, len(text))
	return a.write(text)
}

// write writes until the client has everything or the kernel the rest. Where it
// does not come forward the limit may break it off.
func (a *answering) write(text []byte) error {
	rc := http.NewResponseController(a.w)
	cut := func() { _ = rc.SetWriteDeadline(time.Unix(1, 0)) }
	began := time.Now()
	defer func() { a.read += time.Since(began) }()
	defer a.limit.written(a.turn)
	for len(text) > 0 {
		n := min(len(text), piece)
		a.limit.writing(a.turn, cut)
		if _, err := a.w.Write(text[:n]); err != nil {
			return fmt.Errorf("%w: %w", errUnread, err)
		}
		text = text[n:]
	}
	a.limit.writing(a.turn, cut)
	if err := rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", errUnread, err)
	}
	return nil
}

// end answers with the error of an answer that has not begun. One that has
// begun can't be taken back: its connection ends, so that no client takes half
// of it for the whole. a is nil where nothing was found to answer with.
func (a *answering) end(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
	case a == nil || !a.begun:
		fail(w, err)
	default:
		panic(http.ErrAbortHandler)
	}
}
