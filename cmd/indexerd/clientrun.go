package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"indexerd/internal/serve/httpapi"
)

const (
	pollEvery = 200 * time.Millisecond // interval between requests of a run's state
	silentFor = 30 * time.Second       // how long the daemon may answer none of them
)

// run starts a run, waits for its end and decodes its result, if result is not
// nil. It returns the error of a failed run.
func (c *client) run(ctx context.Context, w world, path string, request, result any) (httpapi.Run, error) {
	var run httpapi.Run
	body, err := c.do(ctx, http.MethodPost, path, request)
	if err == nil {
		err = json.Unmarshal(body, &run)
	}
	if err == nil {
		run, err = c.wait(ctx, w, run.Run)
	}
	if err == nil && run.Error != nil {
		err = errors.New(*run.Error)
	}
	if err == nil && result != nil {
		if err = json.Unmarshal(run.Result, result); err != nil {
			err = fmt.Errorf("result of the run: %w", err)
		}
	}
	return run, err
}

// wait waits for the end of a run, and shows its progress. Ctrl-C cancels the run.
func (c *client) wait(ctx context.Context, w world, id string) (run httpapi.Run, err error) {
	path := "/api/v1/runs/" + id
	shown := newShown(w, "")
	defer shown.end()
	for answered := time.Now(); ; {
		body, err := c.do(ctx, http.MethodGet, path, nil)
		switch {
		case ctx.Err() != nil:
			return run, errors.Join(errors.New("cancelled"), c.cancel(path))
		case err == nil:
			answered, run = time.Now(), httpapi.Run{} // the answer lacks what is not known any more
			if err := json.Unmarshal(body, &run); err != nil {
				return run, fmt.Errorf("response of the daemon: %w", err)
			}
			if run.State != "running" {
				return run, nil
			}
			shown.what = titleOf(run)
			shown.show(run.Progress())
		case time.Since(answered) >= silentFor || errors.As(err, new(*httpapi.Error)):
			return run, err // a busy daemon may answer late
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
		}
	}
}

// titleOf returns the command of a run, with its table if it is for one.
func titleOf(run httpapi.Run) string {
	command := run.Pass
	if command == "deletecheck" {
		command = "sweep"
	}
	return strings.TrimSpace(command + " " + run.Table)
}

// cancel cancels a run. It does not use the context of the command, which has
// ended.
func (c *client) cancel(path string) error {
	_, err := c.do(context.Background(), http.MethodDelete, path, nil)
	return err
}
