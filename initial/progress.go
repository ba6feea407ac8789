package initial

import (
	"sync"
	"time"
)

// Progress counts the rows of a load while it runs. It is safe for concurrent
// use.
type Progress struct {
	mu       sync.Mutex
	running  bool
	of, done int64
	resumed  int64 // rows of ranges that an earlier run finished
	started  time.Time
	ended    time.Time
}

// A Snapshot is the state of Progress at one moment.
type Snapshot struct {
	Running  bool
	Done, Of int64
	Rate     float64       // rows per second since this run began
	ETA      time.Duration // at that rate
}

func (p *Progress) begin(of, done int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.of, p.done, p.resumed, p.started = true, of, done, done, time.Now()
}

func (p *Progress) add(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += int64(rows)
}

func (p *Progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running, p.ended = false, time.Now()
}

// Snapshot returns the current progress. Of is never less than Done, although
// rows may have been inserted after the load counted them.
func (p *Progress) Snapshot() Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := Snapshot{Running: p.running, Done: p.done, Of: max(p.of, p.done)}
	until := time.Now()
	if !p.running {
		until = p.ended
	}
	if took := until.Sub(p.started).Seconds(); took > 0 {
		s.Rate = float64(p.done-p.resumed) / took
	}
	if s.Rate > 0 {
		s.ETA = time.Duration(float64(s.Of-s.Done) / s.Rate * float64(time.Second))
	}
	return s
}
