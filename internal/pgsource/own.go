package pgsource

import "sync"

// A backend is a transaction of this source as pg_stat_activity shows it: the
// process, and the microsecond at which the transaction began. The number of a
// process alone would name a stranger's once the server has cut ours.
type backend struct{ pid, start string }

// backends are the transactions that this source has open. They write nothing,
// so they hold no horizon back.
type backends struct {
	mu   sync.Mutex
	open map[backend]bool
}

func (b *backends) add(own backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[backend]bool{}
	}
	b.open[own] = true
}

// remove must come before the transaction ends: behind a pooler the process
// serves somebody else right after.
func (b *backends) remove(own backend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, own)
}

// arrays returns the transactions as two arrays of one length.
func (b *backends) arrays() (pids, starts string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var p, s []string
	for own := range b.open {
		p, s = append(p, own.pid), append(s, own.start)
	}
	return arrayLiteral(p), arrayLiteral(s)
}
