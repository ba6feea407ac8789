package pagetable

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

// An owner is the content of the cell meta:owner. It names the data directory and
// which of its daemons has the pages, and up to which number it may write.
//
// A daemon that opens the pages writes its session. Reserve and Examine of
// the daemon before then return ErrFenced, so it writes no number that was not
// reserved before. A data directory that is older than the pages, such as one restored
// from a backup, continues above Numbers: its writes would not count otherwise.
type owner struct {
	Owner   string `json:"owner"`
	Session string `json:"session"`
	Numbers uint64 `json:"numbers"`
	Filter  string `json:"filter,omitempty"` // that has the keys of all pages
}

// claim writes a new session.
func (p *Pages) claim(ctx context.Context) error {
	session := rand.Text()
	for range 10 {
		was, now, err := p.readOwner(ctx)
		if err != nil {
			return err
		}
		if was != nil && now.Owner != p.Config.Owner && !p.TakeOver {
			return ErrOwner
		}
		p.made, p.filtered = was == nil, now.Filter
		now.Filter = "" // until UseFilter: a daemon without it adds no keys
		now.Owner, now.Session = p.Config.Owner, session
		written, err := p.swap(ctx, was, now)
		if written || err != nil {
			return err
		}
	}
	return errors.New("other daemons open the pages at the same time: end all but one")
}

// readOwner returns the cell meta:owner, nil if there is none, and its content.
func (p *Pages) readOwner(ctx context.Context) (cell []byte, o owner, err error) {
	rows, err := p.Store.Read(ctx, []string{p.ownerKey()}, Meta, 1)
	if err != nil || len(rows) == 0 {
		return nil, o, err
	}
	for _, c := range rows[0].Cells {
		if c.Qualifier == "owner" {
			if err := json.Unmarshal(c.Value, &o); err != nil {
				return nil, o, fmt.Errorf("the owner of the pages: %w: %w", ErrCorrupt, err)
			}
			return c.Value, o, nil
		}
	}
	return nil, o, nil
}

// swap writes the owner, and notes it if it was written.
func (p *Pages) swap(ctx context.Context, was []byte, now owner) (bool, error) {
	text, err := json.Marshal(now)
	if err != nil {
		return false, err
	}
	written, err := p.Store.Swap(ctx, p.ownerKey(), was, text)
	if errors.Is(err, ErrAway) { // it may have been written
		cell, _, unread := p.readOwner(ctx)
		if written = unread == nil && bytes.Equal(cell, text); written {
			err = nil
		}
	}
	if written {
		p.mu.Lock()
		p.owner = now
		p.mu.Unlock()
	}
	return written, err
}

// Numbers returns the highest number that was reserved in the store.
func (p *Pages) Numbers() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.owner.Numbers
}

// Reserve makes durable that pages have numbers up to n. Call it before the first
// page has a number above Numbers.
func (p *Pages) Reserve(n uint64) error {
	if n > uint64(MaxVersion) {
		return p.fail(fmt.Errorf("pages of %s: number %d is beyond %d, the last one: load the table into another data directory", p.Name, n, MaxVersion))
	}
	err := p.again(p.Patience, func(ctx context.Context) error {
		return p.change(ctx, func(now *owner) { now.Numbers = max(now.Numbers, n) })
	})
	if err != nil {
		return p.fail(fmt.Errorf("reserve numbers for the pages of %s: %w", p.Name, err))
	}
	return nil
}

// change makes a change of the owner durable.
func (p *Pages) change(ctx context.Context, edit func(*owner)) error {
	cell, was, err := p.examined(ctx)
	now := was
	if edit(&now); err != nil || now == was {
		return err
	}
	written, err := p.swap(ctx, cell, now)
	if err == nil && !written {
		return ErrFenced
	}
	return err
}

// Examine returns ErrFenced if another daemon has opened the pages since, and
// ErrReplaced if they were deleted or restored.
func (p *Pages) Examine(ctx context.Context) error {
	_, _, err := p.examined(ctx)
	return err
}

func (p *Pages) examined(ctx context.Context) ([]byte, owner, error) {
	cell, now, err := p.readOwner(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		return nil, now, err
	case cell == nil || now.Session == p.owner.Session && now.Numbers < p.owner.Numbers:
		return nil, now, ErrReplaced
	case now.Session != p.owner.Session:
		return nil, now, ErrFenced
	}
	return cell, now, nil
}
