package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/runs"
	"indexerd/timetrace"
)

// Reload begins to forget a table, and to load it again as the configuration file
// describes it now.
func (e *Engine) Reload(name string) (httpapi.Run, error) {
	if e.orders == nil {
		return httpapi.Run{}, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "no daemon runs that would load " + name, Hint: "run indexerd run"}
	}
	if err := e.writable(); err != nil {
		return httpapi.Run{}, err
	}
	// The marks decide, not the engine: a table whose key was changed is stored and
	// configured, but not opened until it is reloaded.
	if _, ok := e.trace.Table(name); !ok {
		return httpapi.Run{}, unknownTable(name, e.cfg)
	}
	// The run outlives this engine, and with it the context of all other runs.
	var refused error
	run, err := e.runs.Open(context.Background(), name, "reload", func(ctx context.Context, one *runs.Job) {
		if refused = noteReload(e.cfg.Data, name); refused != nil {
			one.End(nil, false, refused)
			return
		}
		select {
		case e.orders <- order{ctx: ctx, table: name, job: one}:
		default:
			one.End(nil, false, errors.Join(errors.New("too many tables wait to be reloaded: ask again when they are"), endReload(e.cfg.Data, name)))
		}
	})
	return run, errors.Join(err, refused)
}

func unknownTable(name string, cfg *configs.Config) *httpapi.Error {
	return &httpapi.Error{Status: http.StatusNotFound, Code: "unknown_table", Message: fmt.Sprintf("nothing is loaded of %s in %s", name, cfg.Data), Hint: "see status"}
}

// Forget removes all that is stored of a table. It fails with store.ErrLocked
// where a daemon has the data directory. Killed in between, it is done again.
func Forget(cfg *configs.Config, table string) (err error) {
	h, err := holdToWrite(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.release()) }()
	trace, err := h.shared.OpenTrace(cfg, false)
	if err != nil {
		return err
	}
	if _, ok := trace.Table(table); !ok {
		return unknownTable(table, cfg)
	}
	return h.forget(trace, cfg.Data, table)
}

// forget removes a table: its files first, under another name at once, then its
// marks.
func (h holding) forget(trace *timetrace.Trace, data, table string) error {
	if h.shared != nil {
		if err := h.shared.Forget(table); err != nil {
			return err
		}
	}
	dir := filepath.Join(data, table)
	gone := dir + ".reloaded"
	if err := os.RemoveAll(gone); err != nil {
		return err
	}
	if err := os.Rename(dir, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := trace.Update(func(s timetrace.State) { delete(s, table) }); err != nil {
		// Such as on a full disk. Marks without files can't be opened: put them back.
		if back := os.Rename(gone, dir); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return errors.Join(os.RemoveAll(gone), endReload(data, table))
}
