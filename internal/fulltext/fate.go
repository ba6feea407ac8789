package fulltext

import (
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"
)

// A fate is what comes of what a store writes in the background.
//
// Scorch can wait by itself until a batch is durable, but where its persister
// fails it then closes the batch's segment, though the persister, which tries
// again without a pause, and searches still read it: they run into a nil map, in
// goroutines where nobody can catch that. A store whose batches are "unsafe"
// does not wait, and write does.
type fate struct {
	met     chan struct{} // closed once failure is set
	ended   chan struct{} // closed when the store is about to be
	once    sync.Once
	failure error
}

func newFate() *fate {
	return &fate{met: make(chan struct{}), ended: make(chan struct{})}
}

// write applies a batch, and returns when it is durable or when the store has
// failed.
func (f *fate) write(store index.Index, batch *index.Batch) error {
	durable := make(chan error, 1)
	batch.SetPersistedCallback(func(err error) { durable <- err })
	if err := store.Batch(batch); err != nil {
		return err // nothing of it is in the store
	}
	select {
	case err := <-durable:
		return err
	case <-f.met:
		return f.failure
	}
}

// untilClosed is how long a goroutine that failed is held after end. Within it
// Close, which comes next, has told all of them to leave.
const untilClosed = 250 * time.Millisecond

// failed takes note of an error of a goroutine of the store, and holds it until
// the store is being closed: it would try the same again and again. After a
// commit that failed bbolt may panic in the next one and keep its lock, for
// which Close would wait for ever. Where the persister has been notified
// meanwhile, one more try is made in spite of that: Close has ErrStuck then.
func (f *fate) failed(err error) {
	f.fail(err)
	<-f.ended
	time.Sleep(untilClosed)
}

func (f *fate) fail(err error) {
	f.once.Do(func() {
		f.failure = err
		close(f.met)
	})
}

// err returns the first failure.
func (f *fate) err() error {
	select {
	case <-f.met:
		return f.failure
	default:
		return nil
	}
}

// end lets go of the goroutines that failed, for Close to end them.
func (f *fate) end() { close(f.ended) }
