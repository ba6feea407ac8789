package deletecheck

import (
	"runtime"
	"sync"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/recovered"
)

// readPages starts to read the pages of rows that have the same stamp.
func (c *check) readPages(rows []doc.Stamp) {
	if len(rows) > 0 {
		c.reading.Go(func() {
			defer recovered.Into(&c.failed)
			c.bad = c.damaged(rows)
		})
	}
}

// doubtDamaged waits for readPages, and spools the damaged pages as doubts.
func (c *check) doubtDamaged() error {
	c.reading.Wait()
	if c.failed != nil {
		return c.failed
	}
	for _, s := range c.bad {
		if err := c.doubt(note{stamp: s, there: true}); err != nil {
			return err
		}
	}
	c.bad = nil
	return nil
}

// damaged returns the rows whose page can't be read, or has another content than
// the document.
func (c *check) damaged(rows []doc.Stamp) []doc.Stamp {
	bad := make([]bool, len(rows))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	failed := make([]error, workers)
	for w := range workers {
		group.Go(func() {
			defer recovered.Into(&failed[w])
			for i := w; i < len(rows); i += workers {
				bad[i] = c.isDamaged(rows[i].OID)
			}
		})
	}
	group.Wait()
	recovered.Again(failed)
	var damaged []doc.Stamp
	for i, isBad := range bad {
		if isBad {
			damaged = append(damaged, rows[i])
		}
	}
	return damaged
}

// isDamaged reads a page, which verifies its checksum, and compares the hash of its
// document.
func (c *check) isDamaged(oid doc.OID) bool {
	var row doc.Row
	var stored doc.DocHash
	err := c.pages.View(oid, func(page doc.Page) (err error) {
		stored = page.Hash
		row, err = doc.ParseRow(page.Body)
		return err
	})
	if err != nil {
		return true
	}
	hash, flaws, err := c.Hash(row)
	if flaws != nil {
		c.flawed.Add(1)
	}
	return err != nil || hash != stored
}
