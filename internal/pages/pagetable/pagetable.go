// Package pagetable keeps the pages of a table in a store of the BigTable model:
// Bigtable or HBase. So pages are not on the machine of the daemon.
//
// # Layout
//
// A row of the store is a page. Its key is
//
//	TABLE.B.OID     OID in hex; B a hex digit of its hash
//
// OIDs rise, and one range of keys would get all writes: the hash spreads the pages
// of a table over 16 ranges. The families of a row are
//
//	meta:page   the Meta of the page, and how its content is cut (cell.go)
//	row:json    the columns of the row
//	child:NAME  the rows of a child
//
// Every cell of one write has the page's doc.Version as its timestamp. The store
// keeps the newest cells of a column, as many as there are versions of a page, and
// removes the others by its own rule. Meta and listings read the family meta only.
//
// The row TABLE! has the owner of the pages (owner.go).
//
// # Guarantees
//
// The highest version is the page, whatever order writes arrive in: a write that
// was delayed, or is sent twice, changes nothing. A removal is a cell without content
// and with the number of the removal, so an older write that arrives later does not
// bring the page back. All deletes the rows of removals that are an hour old; a write
// that was delayed for longer leaves a page without a document, which the next sweep
// removes.
//
// Put and Delete return nil when everything is durable in the store. They try again
// while the store does not answer, up to Config.Patience. Then Err is ErrAway until
// the pages are opened again.
//
// A page whose content has another checksum, or lacks a cell, is ErrCorrupt, and
// never returned.
//
// # Limits
//
// Versions are below 2^53, since Bigtable's timestamps are microseconds in whole
// milliseconds: a version is a millisecond. Put refuses a higher one.
//
// # Cost
//
// A page has 80 bytes in meta beside its content, twice the bytes of its OID in its
// key, and what the store adds for each cell. Put sends up to 500 pages or 4 MiB in a
// request, Metas asks for 200 keys in one, All reads 1000 rows with one; four requests
// are under way at a time.
package pagetable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/sync/semaphore"

	"indexerd/internal/base/doc"
)

var (
	// ErrNotFound is the error of Get if there is no page.
	ErrNotFound = errors.New("no such page")

	// ErrCorrupt is the error of Get for a damaged page.
	ErrCorrupt = errors.New("damaged page")

	// ErrAway is the error of any call while the store does not answer.
	ErrAway = errors.New("the store of pages does not answer")

	// ErrOwner is the error of Open if the pages belong to another data directory.
	ErrOwner = errors.New("the pages belong to another data directory: end its daemon, and run: indexerd run --take-over")

	// ErrFenced is the error if another daemon has opened the pages since.
	ErrFenced = errors.New("another daemon has taken over the pages: end one of the two")

	// ErrReplaced is the error if the store has other pages than were opened: they were
	// deleted or restored.
	ErrReplaced = errors.New("the pages were deleted or restored")

	// ErrReadOnly is the error of a write if the pages were opened read-only.
	ErrReadOnly = errors.New("opened read-only")
)

// MaxVersion is the highest version of a page.
const MaxVersion doc.Version = 1<<53 - 1

// A Config is where the pages of a table are.
type Config struct {
	Store    Store
	Name     string // of the table
	Versions int    // of a page that are kept, from 1
	Owner    string // id of the data directory
	TakeOver bool   // open also the pages of another owner
	// Patience is how long a write is tried again while the store does not answer.
	Patience time.Duration
}

// Pages are the pages of one table. Their methods are safe for concurrent use. Of two
// writes of one page at the same time, that with the higher version counts.
type Pages struct {
	Config
	readOnly bool
	made     bool   // by Open
	filtered string // name of the filter that had all keys when Open claimed the pages

	life context.Context // until Close
	end  context.CancelFunc

	mu     sync.Mutex
	owner  owner // as it was written last
	failed error

	sieve      *sieve              // nil: no filter
	writing    *semaphore.Weighted // 1 is held by a Put, all by a list that begins
	background sync.WaitGroup      // the rebuild of the filter
}

// Open opens pages for writing, and takes them from a daemon that has them open.
// Missing tables and families of the store are made.
func (c Config) Open(ctx context.Context) (*Pages, error) {
	p := c.pages()
	if err := c.Store.Ready(ctx, c.Versions); err != nil {
		return nil, fmt.Errorf("pages of %s: %w", c.Name, err)
	}
	if err := p.claim(ctx); err != nil {
		return nil, fmt.Errorf("pages of %s: %w", c.Name, err)
	}
	return p, nil
}

// New reports whether the store had no pages of the table before they were opened,
// not even removed ones.
func (p *Pages) New() bool { return p.made }

// OpenReadOnly opens pages beside a daemon that writes them.
func (c Config) OpenReadOnly() *Pages {
	p := c.pages()
	p.readOnly = true
	return p
}

// allPuts is more than there are at a time.
const allPuts = 1 << 30

func (c Config) pages() *Pages {
	p := &Pages{Config: c, writing: semaphore.NewWeighted(allPuts)}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Close ends calls that are under way. The Store stays open.
func (p *Pages) Close() error {
	p.end()
	p.background.Wait()
	return nil
}

// Interrupt makes calls that are under way fail, and all later ones.
func (p *Pages) Interrupt() { p.end() }

// Err returns the error after which no page can be written until the pages are opened
// again, or nil.
func (p *Pages) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// fail sets Err if it is that of the pages and not that of one page.
func (p *Pages) fail(err error) error {
	if err == nil || errors.As(err, new(*RefusedError)) || p.life.Err() != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil {
		p.failed = err
	}
	return err
}

// Len returns -1: a store of the BigTable model does not count its rows.
func (p *Pages) Len() int { return -1 }

// readWithin limits how long a read is tried again while the store does not answer.
const readWithin = 10 * time.Second

// pauses grow from about 20 ms to half a minute.
func pauses() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = 20*time.Millisecond, 30*time.Second
	return b
}

// again calls f until it succeeds, or fails otherwise than with ErrAway, or the
// patience ends.
func (p *Pages) again(patience time.Duration, f func(context.Context) error) error {
	_, err := backoff.Retry(p.life, func() (struct{}, error) {
		err := f(p.life)
		if err != nil && !errors.Is(err, ErrAway) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses()), backoff.WithMaxElapsedTime(patience))
	return err
}
