package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/httpapi"
	"indexerd/store"
)

// answerWithin is how long a running daemon may take to begin its answer.
const answerWithin = 2 * time.Second

// asking is the flags of every command that asks a daemon.
type asking struct {
	configFlag
	JSON bool `help:"Print the answer as one JSON object."`
}

// ask calls the daemon. With --json the answer is printed as it came; else it
// is read into answer, and print shows it to people.
func (a asking) ask(ctx context.Context, w world, path string, answer any, print func() error) error {
	cfg, err := configs.LoadWithoutDSN(a.Config, w.getenv)
	if err != nil {
		return err
	}
	body, err := call(ctx, cfg, w, http.MethodGet, path)
	if err != nil {
		return err
	}
	if a.JSON {
		_, err = w.stdout.Write(body)
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return print()
}

// call asks the daemon, or, where none runs, the same handler over the data
// directory. An answer that is an error is returned as one.
func call(ctx context.Context, cfg *configs.Config, w world, method, path string) ([]byte, error) {
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
	}
	e, err := openEngine(cfg)
	if errors.Is(err, store.ErrLocked) {
		return callDaemon(ctx, cfg, w, method, path)
	}
	if err != nil {
		return nil, err
	}
	answer := &recorder{header: http.Header{}}
	request, err := http.NewRequestWithContext(ctx, method, path, nil)
	if err == nil && len(e.trace.Tables()) == 0 {
		err = fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
	}
	if err == nil {
		httpapi.Handler(e, "").ServeHTTP(answer, request)
	}
	if err := errors.Join(err, e.close()); err != nil {
		return nil, err
	}
	return answered(answer.status, answer.body.Bytes())
}

// callDaemon asks the process that holds the data directory.
func callDaemon(ctx context.Context, cfg *configs.Config, w world, method, path string) ([]byte, error) {
	content, err := os.ReadFile(lockFile(cfg))
	if err != nil {
		return nil, fmt.Errorf("find the daemon: %w", err)
	}
	pid, base, ok := strings.Cut(strings.TrimSpace(string(content)), " ")
	if !ok {
		return nil, fmt.Errorf("%s is in use by a process that does not answer requests: try again", cfg.Data)
	}
	request, err := http.NewRequestWithContext(ctx, method, base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	if token, ok := w.getenv("INDEXERD_TOKEN"); ok {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Transport: &http.Transport{ResponseHeaderTimeout: answerWithin}, Timeout: time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the daemon, process %s at %s, does not answer: look at its log, or end it and run it again", pid, base)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("the daemon, process %s at %s, broke off its answer: %w", pid, base, err)
	}
	return answered(response.StatusCode, body)
}

// answered turns an error object into an error.
func answered(status int, body []byte) ([]byte, error) {
	if status < 300 {
		return body, nil
	}
	var failed struct{ Error httpapi.Error }
	if err := json.Unmarshal(body, &failed); err != nil || failed.Error.Code == "" {
		return nil, fmt.Errorf("the daemon answered with status %d", status)
	}
	return nil, &failed.Error
}

// recorder keeps an answer given in process.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(b []byte) (int, error) { return r.body.Write(b) }
