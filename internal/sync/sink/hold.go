package sink

import (
	"context"
	"slices"

	"indexerd/internal/base/doc"
)

// A claim holds the OIDs of one batch. Claims of ranges that do not meet cost nothing,
// as those of the batches of a load.
type claim struct {
	oids        []doc.OID
	first, last doc.OID
}

func newClaim(oids []doc.OID) *claim {
	c := &claim{oids: oids}
	if len(oids) > 0 {
		c.first, c.last = slices.Min(oids), slices.Max(oids)
	}
	return c
}

// meets reports whether two claims have a common OID.
func (c *claim) meets(d *claim) bool {
	if c.last < d.first || d.last < c.first {
		return false
	}
	few, many := c.oids, d.oids
	if len(few) > len(many) {
		few, many = many, few
	}
	set := doc.SetOf(few)
	return slices.ContainsFunc(many, func(oid doc.OID) bool { return set[oid] })
}

// hold waits until none of the OIDs is held, and holds them.
func (s *Sink) hold(ctx context.Context, oids []doc.OID) (*claim, error) {
	c := newClaim(oids)
	for {
		var wait <-chan struct{}
		s.locked(func() {
			if slices.ContainsFunc(s.held, c.meets) {
				wait = s.freed
				return
			}
			s.held = append(s.held, c)
		})
		if wait == nil {
			return c, nil
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Sink) release(c *claim) {
	s.locked(func() {
		at := slices.Index(s.held, c)
		s.held = slices.Delete(s.held, at, at+1)
		close(s.freed)
		s.freed = make(chan struct{})
	})
}
