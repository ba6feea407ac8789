package pace

import (
	"context"
	"slices"
	"sync"
	"time"
)

// AtMostEvery is the shortest interval of Share.Every.
const AtMostEvery = time.Second

// A Share divides a share of one database's time among tasks that repeat, such as
// the comparisons of its tables. It is safe for concurrent use.
//
// Each task asks for an interval, at least AtMostEvery. If all of them together fit into
// the share, each gets what it asks for. Otherwise all get the same time, and those that need less than it
// leave the rest to the others: a long task never slows down the short ones.
//
// Tasks that are sure to be needed come first. The others divide what is left, with
// those that idle: what makes one of them needed may make all of them needed.
//
// One task works at a time. A long task gives its turn away between its steps, and
// the shortest of those that wait has the next. A sure one counts as an eighth of its
// cost: it does not wait for hundreds of others like it, and a long one does not hold
// up short ones.
type Share struct {
	part float64

	mu      sync.Mutex
	tasks   map[string]task
	sure    []time.Duration // what tasks want of each AtMostEvery, sorted, so that a division does not read all of them
	unsure  []time.Duration
	taken   bool
	waiting []*waiter
}

type task struct {
	cost, least time.Duration // least: the interval that it asks for
	sure        bool
}

// want returns the part of AtMostEvery that the task asks for.
func (t task) want() time.Duration {
	return time.Duration(float64(t.cost) * float64(AtMostEvery) / float64(t.least))
}

// sureFactor is how much cheaper a sure task counts than one that is not.
const sureFactor = 8

func (t task) rank() time.Duration {
	if t.sure {
		return t.cost / sureFactor
	}
	return t.cost
}

type waiter struct {
	rank time.Duration
	turn chan struct{} // closed when it is the waiter's turn
}

// NewShare returns a Share of a fraction of the time.
func NewShare(part float64) *Share { return &Share{part: part, tasks: map[string]task{}} }

// Every notes that a task of this cost is to be repeated, not more often than least, and
// returns the interval that it may have.
func (s *Share) Every(name string, cost, least time.Duration, sure bool) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	least = max(least, AtMostEvery)
	s.note(name, task{cost, least, sure})
	level, used := divide(s.part, s.sure)
	if !sure {
		level, _ = divide(max(s.part-used, 0), s.unsure)
	}
	interval := max(float64(cost), 1) / level // infinite if nothing is left
	return max(least, time.Duration(min(interval, float64(maxInterval))))
}

// maxInterval keeps intervals far from an overflow.
const maxInterval = 365 * 24 * time.Hour

// divide returns the most that a task of some sorted wants may take of a part of the
// time, and what all of them take then.
func divide(part float64, wants []time.Duration) (level, used float64) {
	for i, one := range wants {
		want := float64(one) / float64(AtMostEvery)
		level = (part - used) / float64(len(wants)-i)
		if want > level {
			return level, part
		}
		used += want
	}
	return max(level, 1), used // all of them fit
}

func (s *Share) wants(sure bool) *[]time.Duration {
	if sure {
		return &s.sure
	}
	return &s.unsure
}

// note adds a task, or replaces it.
func (s *Share) note(name string, t task) {
	before, had := s.tasks[name]
	if had && before == t {
		return
	}
	if had {
		wants := s.wants(before.sure)
		at, _ := slices.BinarySearch(*wants, before.want())
		*wants = slices.Delete(*wants, at, at+1)
	}
	s.tasks[name] = t
	wants := s.wants(t.sure)
	at, _ := slices.BinarySearch(*wants, t.want())
	*wants = slices.Insert(*wants, at, t.want())
}

// Idle notes that a task of this cost is not needed now.
func (s *Share) Idle(name string, cost time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(name, task{cost: cost, least: AtMostEvery})
}

// Take waits for a turn.
func (s *Share) Take(ctx context.Context, name string) error {
	s.mu.Lock()
	if !s.taken {
		s.taken = true
		s.mu.Unlock()
		return nil
	}
	w := &waiter{s.tasks[name].rank(), make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
		return s.withdraw(ctx, w)
	}
}

// withdraw ends a wait.
func (s *Share) withdraw(ctx context.Context, w *waiter) error {
	s.mu.Lock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 {
		s.Give() // its turn came meanwhile
	}
	return ctx.Err()
}

// Give ends a turn.
func (s *Share) Give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.taken = false
		return
	}
	next := 0
	for i, w := range s.waiting {
		if w.rank < s.waiting[next].rank {
			next = i
		}
	}
	close(s.waiting[next].turn)
	s.waiting = slices.Delete(s.waiting, next, next+1)
}
