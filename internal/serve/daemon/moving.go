package daemon

import (
	"context"
	"errors"
	"indexerd/internal/serve/httpapi"
	"net/http"
	"sync"
)

// Move begins to move the pages to the store of another configuration.
func (e *Engine) Move(r httpapi.MoveRequest) (httpapi.Run, error) {
	if e.orders == nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "no daemon runs", Hint: "run: indexerd move"}
	}
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	to, err := loadToMove(r, e.cfg, e.getenv)
	if err != nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusBadRequest, Code: "bad_query", Message: err.Error()}
	}
	// Its end outlives this engine. The copy does not.
	return e.runs.open(context.Background(), "", "move", func(ctx context.Context, one *job) {
		ctx, m := newLiveMove(ctx, e.cfg, to, e.trace, e.stored())
		stop := e.runs.cancelAtEnd(one)
		e.moving.mu.Lock()
		e.moving.now = m
		e.moving.mu.Unlock()
		e.runs.begin(func() {
			defer one.cancel()
			defer stop()
			_, _, err := one.carryOut(ctx, e.log, func(ctx context.Context, one *job) (any, bool, error) { return nil, false, m.copy(ctx, one.progress) })
			if err == nil {
				select {
				case e.orders <- order{move: m, job: one}:
					return
				default:
					err = errors.New("too many tables wait to be reloaded: run the command again when they are")
				}
			}
			if cause := context.Cause(ctx); errors.Is(cause, errMoveRenewed) {
				err = cause
			}
			one.end(nil, false, errors.Join(err, m.close()))
		})
	})
}

// moving has the move of an engine.
type moving struct {
	mu  sync.Mutex
	now *liveMove
}

// endBut cancels the copy of any other move.
func (m *moving) endBut(other *liveMove) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && m.now != other {
		m.now.renew()
	}
}
