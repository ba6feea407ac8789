package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"indexerd/internal/httpapi"
)

// pollEvery is how often a run is asked how far it is.
const pollEvery = 200 * time.Millisecond

// silentFor is how long a daemon may leave questions about a run unanswered.
const silentFor = 30 * time.Second

// begin asks for a run and waits for its end, with a bar on a terminal.
// Ctrl-C cancels the run.
func (c *caller) begin(ctx context.Context, w world, path string, request any) (httpapi.Run, error) {
	var run httpapi.Run
	answer, err := c.do(ctx, http.MethodPost, path, request)
	if err != nil {
		return run, err
	}
	if err := json.Unmarshal(answer, &run); err != nil {
		return run, fmt.Errorf("read the daemon's answer: %w", err)
	}
	path = "/api/v1/runs/" + run.Run
	bar := newRunBar(w)
	defer bar.end()
	for silent := time.Duration(0); ; {
		asked := time.Now()
		answer, err := c.do(ctx, http.MethodGet, path, nil)
		if ctx.Err() != nil {
			return run, errors.Join(errors.New("cancelled"), c.cancel(path))
		}
		if err != nil {
			// A daemon that works hard may be late with an answer.
			if silent += time.Since(asked); silent < silentFor && !errors.As(err, new(*httpapi.Error)) {
				continue
			}
			return run, err
		}
		silent = 0
		if err := json.Unmarshal(answer, &run); err != nil {
			return run, fmt.Errorf("read the daemon's answer: %w", err)
		}
		if run.State != "running" {
			return run, nil
		}
		bar.show(run)
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
		}
	}
}

// cancel ends a run, though the command itself is being ended.
func (c *caller) cancel(path string) error {
	_, err := c.do(context.Background(), http.MethodDelete, path, nil)
	return err
}

// A runBar shows how far a run is, where a person looks on.
type runBar struct {
	drawing *mpb.Progress
	bar     *mpb.Bar
}

func newRunBar(w world) *runBar {
	if !isTerminal(w.stderr) {
		return &runBar{}
	}
	return &runBar{drawing: mpb.New(mpb.WithOutput(w.stderr), mpb.WithAutoRefresh())}
}

func (b *runBar) show(run httpapi.Run) {
	if b.drawing == nil || run.Of == 0 {
		return
	}
	if b.bar == nil {
		b.bar = b.drawing.AddBar(run.Of, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(run.Pass+" "), decor.Percentage()),
			mpb.AppendDecorators(decor.CountersNoUnit(" %d of %d")))
	}
	b.bar.SetTotal(run.Of, false)
	b.bar.SetCurrent(run.Done)
}

func (b *runBar) end() {
	if b.drawing == nil {
		return
	}
	if b.bar != nil {
		b.bar.Abort(true)
	}
	b.drawing.Shutdown()
}

// failed is the error of a run that did not end well.
func failed(run httpapi.Run) error {
	if run.Error == nil {
		return nil
	}
	return errors.New(*run.Error)
}
