package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/leader"
	"indexerd/internal/state/etcd"
	"indexerd/timetrace"
)

// What ends an engine that stands by.
var (
	errLead  = errors.New("this daemon leads")
	errMarks = errors.New("the leader has loaded, hidden or forgotten a table")
)

// standBy goes from leading to standing by.
func (d *daemon) standBy(ctx context.Context, e *Engine, cause error) (*Engine, error) {
	d.Log.Error("indexerd does not lead any more", "error", configs.Message(cause))
	if err := errors.Join(cause, d.close(e)); isStuck(err) {
		return nil, errors.Join(err, e.release())
	}
	if err := e.shared.Resign(); err != nil {
		d.Log.Warn("indexerd resigned", "error", configs.Message(err))
	}
	if d.cfg.TakeOver { // once: two daemons would take the index from each other for ever
		cfg := *d.cfg
		cfg.TakeOver, d.cfg = false, &cfg
	}
	return d.openReadOnly(ctx, e, &leader.StandbyError{})
}

// serveStandby answers until this daemon leads.
func (d *daemon) serveStandby(ctx context.Context, e *Engine) error {
	d.front.Show(e, e.cfg.HTTP)
	d.writeHolder(e)
	campaign, end := context.WithCancel(ctx)
	won := make(chan error, 1)
	go func() { won <- e.shared.Lead(campaign, false) }()
	ended := false
	defer func() {
		if end(); !ended {
			<-won // a term that was won just now stays: the next engine leads
		}
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	quarantine := e.shared.Client.Changes(campaign, "quarantine/")
	before := shapes(e.trace.Tables())
	for {
		select {
		case err := <-d.front.Failed:
			return err
		case err := <-won:
			ended = true
			if err == nil {
				return errLead
			}
			if ctx.Err() == nil {
				d.Log.Error("indexerd can't lead", "error", configs.Message(err))
			}
			return d.serveUnfit(ctx)
		case <-ctx.Done():
			e.runs.Stop()
			return causeOf(ctx)
		case <-look.C:
			d.lookAtLeader(ctx, e, quarantine)
			if err := e.trace.Reload(); err == nil && shapes(e.trace.Tables()) != before {
				return errMarks
			}
		}
	}
}

// lookAtLeader finds out whether this daemon may lead, and reads the quarantine again if
// it has changed.
func (d *daemon) lookAtLeader(ctx context.Context, e *Engine, quarantine <-chan struct{}) {
	err := e.shared.Inspect(ctx)
	select {
	case <-quarantine:
		for _, t := range e.tables {
			err = errors.Join(err, t.ReloadQuarantine())
		}
	default:
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, etcd.ErrAway) {
		d.Log.Warn("indexerd can't read what the leader has stored", "error", configs.Message(err))
	}
}

// logTerm logs that this daemon leads, if marks are shared.
func (d *daemon) logTerm(e *Engine) {
	if term := e.shared.Term(); term != nil {
		d.Log.Info("indexerd leads", "term", term.Leader.Term)
	}
}

// lookEvery is how often a standby looks at the marks.
const lookEvery = time.Second

// unfitFor is how long a daemon that can't lead waits until it tries again.
const unfitFor = 10 * time.Second

// serveUnfit answers for a while without a campaign.
func (d *daemon) serveUnfit(ctx context.Context) error {
	select {
	case err := <-d.front.Failed:
		return err
	case <-ctx.Done():
		return causeOf(ctx)
	case <-time.After(unfitFor):
		return errMarks
	}
}

// shapes is what of the marks decides how tables are opened.
func shapes(marks timetrace.State) string {
	type shape struct {
		Generation doc.Generation
		Loaded     bool
		Source     string
		Hidden     string
	}
	all := map[string]shape{}
	for name, m := range marks {
		all[name] = shape{m.Generation, m.Loaded, m.Source, m.Hidden}
	}
	text, _ := json.Marshal(all) // of plain values, in the order of names
	return string(text)
}
