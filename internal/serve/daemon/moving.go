package daemon

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/runs"
)

// Move begins to move the pages to the store of another configuration.
func (e *Engine) Move(r httpapi.MoveRequest) (httpapi.Run, error) {
	if e.orders == nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "no daemon runs", Hint: "run: indexerd move"}
	}
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	to, err := moves.LoadTarget(r, e.cfg, e.getenv)
	if err != nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusBadRequest, Code: "bad_query", Message: err.Error()}
	}
	// Its end outlives this engine. The copy does not.
	return e.runs.Open(context.Background(), "", "move", func(ctx context.Context, one *runs.Job) {
		ctx, m := moves.NewLive(ctx, e.cfg, to, e.trace, e.stored())
		stop := e.runs.CancelAtEnd(one)
		e.moving.mu.Lock()
		e.moving.now = m
		e.moving.mu.Unlock()
		e.runs.Begin(func() {
			defer one.Cancel()
			defer stop()
			_, _, err := one.CarryOut(ctx, e.log, func(ctx context.Context, one *runs.Job) (any, bool, error) {
				return nil, false, m.Copy(ctx, one.Progress)
			})
			if err == nil {
				select {
				case e.orders <- order{move: m, job: one}:
					return
				default:
					err = errors.New("too many tables wait to be reloaded: run the command again when they are")
				}
			}
			if cause := context.Cause(ctx); errors.Is(cause, moves.ErrRenewed) {
				err = cause
			}
			one.End(nil, false, errors.Join(err, m.Close()))
		})
	})
}

// moving has the move of an engine.
type moving struct {
	mu  sync.Mutex
	now *moves.Live
}

// endBut cancels the copy of any other move.
func (m *moving) endBut(other *moves.Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && m.now != other {
		m.now.Renew()
	}
}
