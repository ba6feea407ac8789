package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/sealed"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/runs"
)

// An order to move the pages is durable before it is answered: this file is in the data
// directory until the move is done, has failed or was cancelled. An engine that follows
// carries the order out, also that of a daemon that was killed.
const moveOrder = "move.order"

func moveFile(data string) string { return filepath.Join(data, moveOrder) }

// noteMove makes an order durable. Its error is the answer to the caller; so is that another
// order has not ended.
func noteMove(data string, r httpapi.MoveRequest) error {
	switch noted, err := notedMove(data); {
	case err != nil || noted == nil: // a damaged one is of no use
	case *noted == r:
		return nil
	default:
		return otherMove(noted)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return noteOrder(moveFile(data), sealed.AppendObject(nil, text))
}

func otherMove(noted *httpapi.MoveRequest) error {
	return &httpapi.Error{Status: http.StatusTooManyRequests, Code: "busy", Message: "the pages are being moved with " + noted.Config, Hint: "wait for its end"}
}

// notedMove returns the order that has not ended; nil: there is none.
func notedMove(data string) (*httpapi.MoveRequest, error) {
	text, err := atomicfile.Read(atomicfile.OS, moveFile(data))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := new(httpapi.MoveRequest)
	if err == nil {
		err = sealed.CheckObject(text)
	}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		return nil, fmt.Errorf("the order in %s: %w", moveFile(data), err)
	}
	return r, nil
}

// endMove forgets the order of a move that has ended. If the file stays, a start with the
// old configuration moves the pages once more.
func endMove(data string) error {
	if err := removeOrder(moveFile(data)); err != nil {
		return fmt.Errorf("the order to move the pages: %w", err)
	}
	return nil
}

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
	return e.openMove(r, to, func() error { return noteMove(e.cfg.Data, r) })
}

// openMove begins a move when note has made its order durable, or returns the run of the
// same move that is under way.
func (e *Engine) openMove(r httpapi.MoveRequest, to *configs.Config, note func() error) (httpapi.Run, error) {
	var refused error
	begun := false
	// Its end outlives this engine. The copy does not.
	run, err := e.runs.Open(context.Background(), "", "move", func(ctx context.Context, one *runs.Job) {
		begun = true
		if refused = note(); refused != nil {
			one.End(nil, false, refused)
			return
		}
		e.beginMove(ctx, one, to)
	})
	if err != nil || refused != nil {
		return run, errors.Join(err, refused)
	}
	if !begun {
		if noted, err := notedMove(e.cfg.Data); err == nil && noted != nil && *noted != r {
			return run, otherMove(noted)
		}
	}
	return run, nil
}

// beginMove copies the pages. The rest is done as an order, when no engine writes.
func (e *Engine) beginMove(ctx context.Context, one *runs.Job, to *configs.Config) {
	ctx, m := moves.NewLive(ctx, e.cfg, to, e.trace, e.stored())
	stop := e.runs.AtStop(m.Cut)
	e.moving.mu.Lock()
	e.moving.now = m
	e.moving.mu.Unlock()
	e.runs.Begin(func() {
		defer one.Cancel()
		defer stop()
		_, _, err := one.CarryOut(ctx, e.log, func(ctx context.Context, one *runs.Job) (any, bool, error) {
			return nil, false, m.Copy(ctx, &one.Meter)
		})
		if err == nil {
			select {
			case e.orders <- order{move: m, job: one}:
				return
			default:
				err = errors.New("too many tables wait to be reloaded: run the command again when they are")
			}
		}
		if errors.Is(context.Cause(ctx), moves.ErrCut) {
			one.End(nil, false, errors.Join(moves.ErrCut, m.Close()))
			return
		}
		if ctx.Err() == nil { // no caller has cancelled it
			e.log.Error("the pages were not moved", "error", configs.Message(err), "do", againMove)
		}
		one.End(nil, false, errors.Join(err, endMove(e.cfg.Data), m.Close()))
	})
}

const againMove = "run indexerd move again"

// continueMove carries out the order of a move that has not ended: the daemon was killed,
// or another engine had to open. An order that can't be carried out any more is removed.
func (e *Engine) continueMove() {
	if e.orders == nil || e.frozen != nil {
		return
	}
	r, err := notedMove(e.cfg.Data)
	if r == nil && err == nil {
		return
	}
	var to *configs.Config
	if err == nil {
		to, err = moves.LoadTarget(*r, e.cfg, e.getenv)
	}
	if err != nil {
		e.log.Warn("the order to move the pages was removed", "why", configs.Message(errors.Join(err, endMove(e.cfg.Data))))
		return
	}
	_, err = e.openMove(*r, to, func() error {
		if now, err := notedMove(e.cfg.Data); now == nil || *now != *r {
			return errors.Join(errors.New("the move has ended meanwhile"), err)
		}
		e.log.Info("the move of the pages continues", "to", to.PageStore.Name(), "config", to.File)
		return nil
	})
	if err != nil { // the next engine continues it, unless it has ended
		e.log.Info("the move of the pages waits", "why", configs.Message(err))
	}
}

// finishMove finishes a move. Its order ends, unless a signal has cut the move.
func (d *daemon) finishMove(ctx context.Context, m *moves.Live) (httpapi.MoveResult, error) {
	r, err := m.Finish(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return r, err
	case err != nil:
		d.Log.Error("the pages were not moved", "error", configs.Message(err), "do", againMove)
		return r, errors.Join(err, endMove(d.cfg.Data))
	}
	if err := endMove(d.cfg.Data); err != nil {
		d.Log.Warn("the pages were moved", "error", err)
	}
	return r, nil
}

// moving has the move of an engine.
type moving struct {
	mu  sync.Mutex
	now *moves.Live
}

// endBut cuts the copy of any other move.
func (m *moving) endBut(other *moves.Live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != nil && m.now != other {
		m.now.Cut()
	}
}
