package fulltext

import (
	"runtime"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// analysts are the goroutines that scorch asks to analyze documents. Those of a batch
// have no fields and cost them nothing, so that all open indexes share them.
var analysts sharedQueue

// A sharedQueue has its goroutines while it is in use.
type sharedQueue struct {
	mu    sync.Mutex
	users int
	queue *index.AnalysisQueue
}

// take returns the queue. The caller gives it back once.
func (s *sharedQueue) take() *index.AnalysisQueue {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		s.queue = index.NewAnalysisQueue(runtime.GOMAXPROCS(0))
	}
	s.users++
	return s.queue
}

// give ends the goroutines of a queue that is not used any more.
func (s *sharedQueue) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users--; s.users == 0 {
		s.queue.Close()
		s.queue = nil
	}
}
