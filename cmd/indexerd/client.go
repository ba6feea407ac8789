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
	"strconv"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/serve/daemon"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/httpapi"
	"indexerd/store"
)

// answerWithin is how long a daemon may take until its response starts.
const answerWithin = 2 * time.Second

// requestFlags are embedded in commands that send a request.
type requestFlags struct {
	configFlag
	JSON bool `help:"Print the result as one JSON object."`
}

// get requests path. It decodes the response into answer and calls print, or
// prints the response unchanged with --json.
func (f requestFlags) get(ctx context.Context, w world, n needs, path string, answer any, print func() error) error {
	c, err := connect(ctx, f.Config, w, n)
	if err != nil {
		return err
	}
	body, err := c.do(ctx, http.MethodGet, path, nil)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	if err := json.Unmarshal(body, answer); err != nil {
		return fmt.Errorf("response of the daemon: %w", err)
	}
	if f.JSON {
		_, err := w.stdout.Write(body)
		return err
	}
	return print()
}

// run starts a run, waits for its end and decodes its result.
func (f requestFlags) run(ctx context.Context, w world, n needs, path string, request, result any) (run httpapi.Run, err error) {
	c, err := connect(ctx, f.Config, w, n)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return c.run(ctx, w, path, request, result)
}

// A client calls the handlers of the daemon that holds the data directory, or
// the same handlers in process.
type client struct {
	handler http.Handler // in process; nil if a daemon is running
	engine  *daemon.Engine

	datadir.Holder
	token string
	http  http.Client
}

// needs are what a command needs if no daemon is running.
type needs struct {
	databases bool // connections to the databases
	writes    bool // write access to the data directory
}

// open opens the data directory. Commands that do not write share it with other
// readers.
func (n needs) open(cfg *configs.Config) (*daemon.Engine, error) {
	if n.writes {
		if err := datadir.MayWrite(cfg); err != nil {
			return nil, err
		}
		return daemon.Open(cfg)
	}
	e, err := daemon.OpenReadOnly(cfg)
	if errors.Is(err, fs.ErrPermission) {
		if owner := datadir.CheckOwner(cfg); owner != nil {
			err = owner
		}
	}
	return e, err
}

// connect returns the client for a configuration.
func connect(ctx context.Context, file string, w world, n needs) (*client, error) {
	cfg, err := configs.LoadWithoutSecrets(file, w.getenv)
	if err != nil {
		return nil, err
	}
	if err := checkLoaded(cfg); err != nil {
		return nil, err
	}
	e, err := n.open(cfg)
	if errors.Is(err, store.ErrLocked) {
		return connectDaemon(cfg, w)
	}
	if err == nil && e.Empty() {
		err = errors.Join(notLoaded(cfg), e.Close())
	}
	if err == nil && n.databases {
		e, err = withDatabases(ctx, e, file, w, n)
	}
	if err != nil {
		return nil, err
	}
	return &client{handler: httpapi.Handler(e, httpapi.Access{}), engine: e}, nil
}

// checkLoaded returns an error if the data directory does not exist.
func checkLoaded(cfg *configs.Config) error {
	if _, err := os.Stat(cfg.Data); errors.Is(err, fs.ErrNotExist) {
		return notLoaded(cfg)
	}
	return nil
}

func notLoaded(cfg *configs.Config) error {
	return fmt.Errorf("nothing is loaded in %s: run `indexerd run -c %s`", cfg.Data, cfg.File)
}

// withDatabases reopens the engine with the secrets of the databases and connects
// to them.
func withDatabases(ctx context.Context, e *daemon.Engine, file string, w world, n needs) (*daemon.Engine, error) {
	if err := e.Close(); err != nil {
		return nil, err
	}
	cfg, err := configs.LoadWithoutTokens(file, w.getenv)
	if err != nil {
		return nil, err
	}
	if e, err = n.open(cfg); err != nil {
		return nil, err
	}
	if err := e.OpenDatabases(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// connectDaemon returns the client of the process that holds the data directory.
func connectDaemon(cfg *configs.Config, w world) (*client, error) {
	holder, err := datadir.FindHolder(cfg)
	if err != nil {
		return nil, err
	}
	c := &client{Holder: holder}
	c.http = http.Client{Transport: &http.Transport{TLSClientConfig: c.TLS(), ResponseHeaderTimeout: answerWithin}, Timeout: time.Minute}
	c.token, _ = w.getenv("INDEXERD_TOKEN")
	return c, nil
}

func (c *client) close() error {
	if c.engine == nil {
		return nil
	}
	return c.engine.Close()
}

// do sends a request and returns the body of the response, or the error in it.
func (c *client) do(ctx context.Context, method, path string, body any) ([]byte, error) {
	status, answer, err := c.call(ctx, method, path, body)
	if err == nil {
		err = httpapi.ResponseError(status, answer)
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

func (c *client) call(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
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
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, c.noResponse(err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, fmt.Errorf("daemon (process %s at %s): incomplete response: %w", c.PID, c.Base, err)
	}
	return response.StatusCode, answer, nil
}

// backup requests a backup. The caller reads it as a stream, whose bytes a meter counts.
func (c *client) backup(ctx context.Context, m *progress.Meter) (io.ReadCloser, error) {
	if c.engine != nil {
		r, w := io.Pipe()
		go func() { w.CloseWithError(c.engine.Backup(ctx, backupPipe{w, m})) }()
		return countedStream{progress.Reader{Reader: r, Meter: m}, r}, nil
	}
	request, err := c.request(ctx, http.MethodPost, "/api/v1/backup", nil)
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Transport: &http.Transport{TLSClientConfig: c.TLS()}}).Do(request) // without a timeout
	if err != nil {
		return nil, c.noResponse(err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			return nil, c.noResponse(err)
		}
		return nil, httpapi.ResponseError(response.StatusCode, answer)
	}
	if bytes, err := strconv.ParseInt(response.Header.Get(httpapi.SizeHeader), 10, 64); err == nil {
		m.Step("", progress.Bytes, 0, bytes)
	}
	return countedStream{progress.Reader{Reader: response.Body, Meter: m}, response.Body}, nil
}

// A backupPipe takes a backup in process, and has its size counted as announced.
type backupPipe struct {
	*io.PipeWriter
	meter *progress.Meter
}

// Expect is called with about how many bytes will be written.
func (p backupPipe) Expect(bytes int64) { p.meter.Step("", progress.Bytes, 0, bytes) }

// A countedStream has a meter count what is read.
type countedStream struct {
	progress.Reader
	io.Closer
}

// request returns a request with the token.
func (c *client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, body)
	if err != nil {
		return nil, fmt.Errorf("request to the daemon: %w", err)
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	return request, nil
}

// noResponse returns the error for a daemon that does not answer.
func (c *client) noResponse(err error) error {
	if errors.Is(err, datadir.ErrOtherCertificate) {
		return fmt.Errorf("daemon (process %s at %s): %w: try again, or stop the process that listens there", c.PID, c.Base, datadir.ErrOtherCertificate)
	}
	return fmt.Errorf("daemon (process %s at %s) does not answer: read its log, or restart it", c.PID, c.Base)
}
