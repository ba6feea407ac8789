package compensate

import (
	"iter"

	"indexerd/internal/doc"
)

// A cursor steps through a sorted stream of stamps. It begins before the first
// one.
type cursor struct {
	at   doc.Stamp
	ok   bool // at is valid
	pull func() (doc.Stamp, error, bool)
	stop func()
}

func newCursor(stamps iter.Seq2[doc.Stamp, error]) *cursor {
	c := &cursor{}
	c.pull, c.stop = iter.Pull2(stamps)
	return c
}

// next steps on. After an error the stream is not to be used.
func (c *cursor) next() (err error) {
	c.at, err, c.ok = c.pull()
	return err
}
