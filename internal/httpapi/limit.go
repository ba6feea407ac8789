package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"time"
)

// SearchWithin is what one search may take.
const SearchWithin = 5 * time.Second

// Searches are work for the processors: many more at once than there are would
// only make each of them late.
const (
	searchesPerCore = 4
	waitForTurn     = 500 * time.Millisecond
)

// A searchLimit lets so many searches run at once, and each for so long.
type searchLimit struct {
	turns  chan struct{} // holds one for each search under way
	wait   time.Duration // for a turn
	within time.Duration // the wait included
}

func newSearchLimit() searchLimit {
	return searchLimit{make(chan struct{}, searchesPerCore*runtime.GOMAXPROCS(0)), waitForTurn, SearchWithin}
}

// do calls search when its turn comes; too late, it is refused as busy.
func (l searchLimit) do(ctx context.Context, search func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, l.within)
	defer cancel()
	if err := l.enter(ctx); err != nil {
		return err
	}
	defer func() { <-l.turns }()
	return search(ctx)
}

func (l searchLimit) enter(ctx context.Context) error {
	select {
	case l.turns <- struct{}{}: // no timer where nobody has to wait
		return nil
	default:
	}
	late := time.NewTimer(l.wait)
	defer late.Stop()
	select {
	case l.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		return &Error{http.StatusTooManyRequests, "busy", "as many searches are under way as this machine can take", "try again in a second"}
	}
}
