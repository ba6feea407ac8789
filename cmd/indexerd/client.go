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
	"time"

	"indexerd/configs"
	"indexerd/internal/daemon"
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
	c, err := dial(ctx, a.Config, w, question{})
	if err != nil {
		return err
	}
	body, err := c.do(ctx, http.MethodGet, path, nil)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	return a.print(w, body, answer, print)
}

func (a asking) print(w world, body []byte, answer any, print func() error) error {
	if a.JSON {
		_, err := w.stdout.Write(body)
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("read the daemon's answer: %w", err)
	}
	return print()
}

// A caller reaches the handlers of the contract: those of the daemon that has
// the data directory, or, where none runs, the same ones in process.
type caller struct {
	handler http.Handler // in process; nil: a daemon runs
	engine  *daemon.Engine

	daemon.Holder
	token  string
	client http.Client
}

// A question is what a caller needs where it answers in process.
type question struct {
	databases bool // that can be reached
	writes    bool // a data directory that it may change
}

// open opens the data directory: for a question that only reads, together with
// other readers, and without changing anything in it.
func (q question) open(cfg *configs.Config) (*daemon.Engine, error) {
	if q.writes {
		if err := daemon.MayWrite(cfg); err != nil {
			return nil, err
		}
		return daemon.Open(cfg)
	}
	e, err := daemon.OpenReadOnly(cfg)
	if errors.Is(err, fs.ErrPermission) {
		if owner := daemon.CheckOwner(cfg); owner != nil {
			err = owner
		}
	}
	return e, err
}

// dial finds out who answers for a configuration.
func dial(ctx context.Context, file string, w world, q question) (*caller, error) {
	cfg, err := configs.LoadWithoutSecrets(file, w.getenv)
	if err != nil {
		return nil, err
	}
	nothing := fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) {
		return nil, nothing
	}
	e, err := q.open(cfg)
	if errors.Is(err, store.ErrLocked) {
		return dialDaemon(cfg, w)
	}
	if err == nil && e.Empty() {
		err = errors.Join(nothing, e.Close())
	}
	if err == nil && q.databases {
		e, err = withDatabases(ctx, e, file, w, q)
	}
	if err != nil {
		return nil, err
	}
	return &caller{handler: httpapi.Handler(e, httpapi.Access{}), engine: e}, nil
}

// withDatabases opens the engine again, with the addresses of its databases.
func withDatabases(ctx context.Context, e *daemon.Engine, file string, w world, q question) (*daemon.Engine, error) {
	if err := e.Close(); err != nil {
		return nil, err
	}
	cfg, err := configs.LoadWithoutTokens(file, w.getenv)
	if err != nil {
		return nil, err
	}
	if e, err = q.open(cfg); err != nil {
		return nil, err
	}
	if err := e.OpenDatabases(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// dialDaemon finds the process that holds the data directory.
func dialDaemon(cfg *configs.Config, w world) (*caller, error) {
	holder, err := daemon.FindHolder(cfg)
	if err != nil {
		return nil, err
	}
	c := &caller{Holder: holder}
	c.client = http.Client{Transport: &http.Transport{TLSClientConfig: c.TLS(), ResponseHeaderTimeout: answerWithin}, Timeout: time.Minute}
	c.token, _ = w.getenv("INDEXERD_TOKEN")
	return c, nil
}

func (c *caller) close() error {
	if c.engine == nil {
		return nil
	}
	return c.engine.Close()
}

// do calls the handlers. An answer that is an error object is returned as an
// error; "absent" of explain, a 404, is none.
func (c *caller) do(ctx context.Context, method, path string, body any) ([]byte, error) {
	status, answer, err := c.call(ctx, method, path, body)
	if err == nil {
		err = httpapi.ResponseError(status, answer)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *caller) call(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := c.request(ctx, method, path, content)
	if err != nil {
		return 0, nil, err
	}
	if c.handler != nil {
		status, answer := httpapi.Ask(c.handler, request)
		return status, answer, nil
	}
	response, err := c.client.Do(request)
	if err != nil {
		return 0, nil, c.silent(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, fmt.Errorf("the daemon, process %s at %s, broke off its answer: %w", c.PID, c.Base, err)
	}
	return response.StatusCode, answer, nil
}

// stream calls a handler whose answer is read as it comes.
func (c *caller) stream(ctx context.Context, path string) (io.ReadCloser, error) {
	if c.engine != nil {
		r, w := io.Pipe()
		go func() { w.CloseWithError(c.engine.Backup(ctx, w)) }()
		return r, nil
	}
	request, err := c.request(ctx, http.MethodPost, path, nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: c.TLS()}}).Do(request) // however long it takes
	if err != nil {
		return nil, c.silent(err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, c.silent(err)
		}
		return nil, httpapi.ResponseError(response.StatusCode, answer)
	}
	return response.Body, nil
}

// request makes a request to the daemon.
func (c *caller) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return nil, fmt.Errorf("ask the daemon: %w", err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

// silent is the error of a daemon that does not answer.
func (c *caller) silent(err error) error {
	if errors.Is(err, daemon.ErrOtherCertificate) {
		return fmt.Errorf("ask the daemon, process %s at %s: %w: ask again, or end what listens there", c.PID, c.Base, daemon.ErrOtherCertificate)
	}
	return fmt.Errorf("the daemon, process %s at %s, does not answer: look at its log, or end it and run it again", c.PID, c.Base)
}
