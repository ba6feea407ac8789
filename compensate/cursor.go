package compensate

import (
	"iter"

	"indexerd/internal/doc"
)

// A cursor steps through a sorted stream of stamps.
type cursor struct {
	at   doc.Stamp
	ok   bool  // at is valid
	err  error // why the stream ended early
	pull func() (doc.Stamp, error, bool)
	stop func()
}

func newCursor(stamps iter.Seq2[doc.Stamp, error]) *cursor {
	c := &cursor{}
	c.pull, c.stop = iter.Pull2(stamps)
	_ = c.next() // kept in err
	return c
}

// next steps on. A stream that ended early is an error now and later.
func (c *cursor) next() error {
	stamp, err, ok := c.pull()
	if err != nil {
		c.ok, c.err = false, err
		return err
	}
	c.at, c.ok = stamp, ok
	return nil
}
