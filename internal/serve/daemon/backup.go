package daemon

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"sync"

	"indexerd/configs"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
	"indexerd/internal/state/backup"
	"indexerd/internal/state/history"
	"indexerd/internal/state/quarantine"
)

// Backup writes everything that is stored as a tar stream, while it changes. Of stores on
// other machines it has the names. A client that does not read, or a new configuration, ends
// it. A standby returns an error that names the leader.
func (e *Engine) Backup(ctx context.Context, w io.Writer) error {
	if err := e.writable(); err != nil {
		return err
	}
	ctx, done, err := e.backups.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s, ok := w.(interface{ Interrupt() }); ok {
		defer context.AfterFunc(ctx, s.Interrupt)()
	}
	err = e.backUp(ctx, w)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // not the error of the write that it interrupted
	}
	if err != nil && e.log != nil {
		e.log.Warn("indexerd broke a backup off", "error", configs.Message(err))
	}
	return err
}

func (e *Engine) backUp(ctx context.Context, w io.Writer) error {
	b := backup.Backup{Dir: e.cfg.Data, Version: release.Version, Trace: e.trace}
	logs := func(dir string) []string { return []string{quarantine.Name(dir), history.Name(dir)} }
	if e.shared != nil {
		b.Snapshot = func(dir string) error { return e.shared.Snapshot(ctx, dir) }
		logs = func(dir string) []string { return []string{history.Name(dir)} }
	}
	var size int64
	for _, t := range e.tables {
		if t.IsOpen() {
			size += t.BytesOnDisk()
			b.Tables = append(b.Tables, backup.Table{
				Name: t.Conf.Name, Progress: []string{t.PlanFile(), filepath.Join(t.Dir, stored.PagesFile)}, Pages: t.Pages, Index: t.Current(), Files: logs(t.Dir),
			})
		}
	}
	if b.Tables == nil {
		return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "nothing is loaded yet", Hint: "see status for what it waits for"}
	}
	if s, ok := w.(interface{ Expect(bytes int64) }); ok {
		s.Expect(size)
	}
	return backup.Write(ctx, w, b)
}

var errRenewed = errors.New("the configuration is read again: back up again when that is done")

// backups lets one backup run at a time.
type backups struct {
	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the backup that runs; nil: none does
	over   chan struct{}           // closed when that one has ended
	ended  error                   // why no backup may begin any more
}

// begin reserves the one backup until done is called. It fails while another one
// runs, and after end.
func (b *backups) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		return nil, nil, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "indexerd takes a new configuration", Hint: "ask again in a moment"}
	}
	if b.cancel != nil {
		return nil, nil, &httpapi.Error{Status: http.StatusTooManyRequests, Code: "busy", Message: "a backup is under way", Hint: "wait for its end"}
	}
	ctx, b.cancel = context.WithCancelCause(ctx)
	over := make(chan struct{})
	b.over = over
	return ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.cancel(nil)
		b.cancel = nil
		close(over)
	}, nil
}

// end cancels the backup that runs and waits for its end, or for that of ctx. No
// other can begin.
func (b *backups) end(ctx context.Context, cause error) {
	b.mu.Lock()
	b.ended = cause
	cancel, over := b.cancel, b.over
	b.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel(cause)
	select {
	case <-over:
	case <-ctx.Done():
	}
}
