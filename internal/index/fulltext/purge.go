package fulltext

import (
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// Scorch removes old snapshots from root.bolt, and the files that only they have,
// whenever it has made all batches durable. That waits for the disk three times. A
// snapshot has a few kilobytes, and only merges make large files superfluous. So this
// is done after merges, and else after some time.
const (
	purgeEvery      = 4 * time.Second
	purgeAfterMerge = 3 // times, since the first may come before the merge is durable
)

// A purger decides when a store removes what is old.
type purger struct {
	root *rootKeeper // counts transactions; nil: none

	mu   sync.Mutex
	last time.Time
	due  int // checks to be done at once
}

// newPurger returns a purger of a store that has just been opened: there is little to
// remove then.
func newPurger(root *rootKeeper) *purger { return &purger{root: root, last: time.Now()} }

// event is called by scorch. It returns whether scorch goes on.
func (p *purger) event(e scorch.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case scorch.EventKindPersisterProgress:
		p.root.changed()
	case scorch.EventKindMergeTaskIntroduction:
		p.due = purgeAfterMerge
	case scorch.EventKindPurgerCheck:
		now := time.Now()
		if p.due == 0 && now.Sub(p.last) < purgeEvery {
			return false
		}
		p.due, p.last = max(p.due-1, 0), now
		p.root.changed()
	}
	return true
}
