package osapi

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
)

// The limits of cursors.
const (
	maxCursors    = 500 // of all tokens
	maxOfToken    = 100
	maxKeepAlive  = 24 * time.Hour
	maxCursorText = 64 << 10 // of the position of a cursor, in bytes

	maxCursorBody = 64 << 10 // of the request of a cursor on average, in bytes: one may have more
)

// Cursors are the open scrolls and points in time. Each belongs to the token that
// opened it: for all other tokens it does not exist. A cursor holds a request and how
// far it has come, and no documents and no rights: each page is a search of its own, by
// the caller who asks for it.
//
// Cursors are in memory, up to 128 KiB each on average. They end when they expire, and with the
// process. They are safe for concurrent use.
type Cursors struct {
	mu   sync.Mutex
	open map[string]*cursor
	now  func() time.Time
}

// NewCursors returns cursors of which none is open.
func NewCursors() *Cursors { return &Cursors{open: map[string]*cursor{}, now: time.Now} }

// A cursor is a scroll, or a point in time.
type cursor struct {
	id, owner string
	point     bool   // it is a point in time
	index     string // list of the indices that it searches
	request   scrolled
	created   time.Time
	keep      time.Duration
	expires   time.Time
}

// add opens a cursor.
func (c *Cursors) add(one cursor) (*cursor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, own, bytes, all := c.now(), 0, len(one.request.body), len(one.request.body)
	for id, other := range c.open {
		if !now.Before(other.expires) {
			delete(c.open, id)
			continue
		}
		all += len(other.request.body)
		if other.owner == one.owner {
			own++
			bytes += len(other.request.body)
		}
	}
	if own >= maxOfToken || len(c.open) >= maxCursors || bytes > maxOfToken*maxCursorBody || all > maxCursors*maxCursorBody {
		return nil, &httpapi.Error{
			Status: http.StatusTooManyRequests, Code: "busy", Message: fmt.Sprintf("too many scrolls and points in time are open: a token may have %d, and all tokens %d, with requests of %d KiB on average", maxOfToken, maxCursors, maxCursorBody>>10),
			Hint: "delete those that are read, or write a shorter keep alive",
		}
	}
	one.id, one.created, one.expires = rand.Text(), now, now.Add(one.keep)
	c.open[one.id] = &one
	return &one, nil
}

// get returns a copy of an open cursor of an owner. keep, if not 0, is how long it stays
// open from now on.
func (c *Cursors) get(owner, id string, point bool, keep time.Duration) (cursor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	one := c.open[id]
	if one == nil || one.owner != owner || one.point != point || !now.Before(one.expires) {
		return cursor{}, &httpapi.Error{Status: http.StatusNotFound, Code: "search_context_missing_exception", Message: "No search context found for id [" + query.Shorten(id) + "]"}
	}
	if keep > 0 {
		one.keep, one.expires = keep, now.Add(keep)
	}
	return *one, nil
}

// advance moves a scroll from one position to the next. If another request has moved it
// meanwhile, it stays there.
func (c *Cursors) advance(id string, from, to position) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.open[id]; one != nil && one.request.position == from {
		one.request.position = to
	}
}

// remove closes a cursor of an owner, and reports whether there was one.
func (c *Cursors) remove(owner, id string, point bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[id]
	if one == nil || one.owner != owner || one.point != point {
		return false
	}
	delete(c.open, id)
	return c.now().Before(one.expires)
}

// of returns the open cursors of an owner.
func (c *Cursors) of(owner string, point bool) (list []cursor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.open {
		if one.owner == owner && one.point == point && c.now().Before(one.expires) {
			list = append(list, *one)
		}
	}
	return list
}

// keepAlive reads how long a cursor stays open.
func keepAlive(text, name string) (time.Duration, error) {
	d, err := format.Duration(text, name)
	switch {
	case err != nil:
		return 0, err
	case d <= 0:
		return 0, input.ParsingError("[%s] is not longer than 0", name)
	case d > maxKeepAlive:
		return 0, input.ParsingError("[%s] of %s is longer than a day", name, query.Shorten(text))
	}
	return d, nil
}
