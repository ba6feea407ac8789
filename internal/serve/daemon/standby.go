package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/etcd"
	"indexerd/internal/sync/sink"
	"indexerd/timetrace"
)

// What ends an engine that stands by.
var (
	errLead  = errors.New("this daemon leads")
	errMarks = errors.New("the leader has loaded, hidden or forgotten a table")
)

// A standbyError is why an engine is read-only whose daemon does not lead.
type standbyError struct {
	leader etcd.Leader
	unfit  string // why it must not lead; "": it may
}

func (e *standbyError) Error() string {
	if e.unfit != "" {
		return "this daemon does not lead: " + e.unfit
	}
	if e.leader.Term == 0 {
		return "no daemon leads, and this one waits for its turn"
	}
	return fmt.Sprintf("the daemon on %s (%s) leads since %s", e.leader.Name, e.leader.Address, e.leader.Since.Format(time.RFC3339))
}

// standby returns why this daemon does not lead.
func (s *shared) standby(ctx context.Context) error {
	leader, _, err := s.client.Leader(ctx)
	if err != nil && !errors.Is(err, etcd.ErrAway) {
		return err
	}
	m, _ := s.described()
	return &standbyError{leader, m.Unfit}
}

// leadUnlessLed begins to lead if no daemon does, and the keys are not of a later version.
// Otherwise term returns nil.
func (s *shared) leadUnlessLed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leadWithin)
	defer cancel()
	if err := s.client.CheckFormat(ctx); errors.Is(err, etcd.ErrFormat) {
		s.judge(err.Error())
		return nil
	}
	if _, led, err := s.client.Leader(ctx); led || err != nil {
		return passing(err)
	}
	return passing(s.lead(ctx, true))
}

// leadWithin limits how long a start waits for an election.
const leadWithin = 10 * time.Second

// passing returns nil for errors after which a daemon stands by.
func passing(err error) error {
	if errors.Is(err, etcd.ErrAway) || errors.Is(err, etcd.ErrLost) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// knownOwner is ownerOf for a command that holds nothing.
func knownOwner(ctx context.Context, cfg *configs.Config) (string, error) {
	if !cfg.Marks.Shared() {
		return ownerOf(cfg, true)
	}
	client, err := etcdConfig(cfg.Marks).Open(ctx)
	if err != nil {
		return "", err
	}
	values, err := client.Read(ctx, "place/")
	return string(values["owner"]), errors.Join(err, client.Close())
}

// standBy goes from leading to standing by.
func (d *daemon) standBy(ctx context.Context, e *Engine, cause error) (*Engine, error) {
	d.Log.Error("indexerd does not lead any more", "error", configs.Message(cause))
	if err := errors.Join(cause, d.close(e)); isStuck(err) {
		return nil, errors.Join(err, e.release())
	}
	if err := e.shared.resign(); err != nil {
		d.Log.Warn("indexerd resigned", "error", configs.Message(err))
	}
	if d.cfg.TakeOver { // once: two daemons would take the index from each other for ever
		cfg := *d.cfg
		cfg.TakeOver, d.cfg = false, &cfg
	}
	return d.openReadOnly(ctx, e, &standbyError{})
}

// serveStandby answers until this daemon leads.
func (d *daemon) serveStandby(ctx context.Context, e *Engine) error {
	d.front.show(e)
	d.writeHolder(e)
	campaign, end := context.WithCancel(ctx)
	won := make(chan error, 1)
	go func() { won <- e.shared.lead(campaign, false) }()
	ended := false
	defer func() {
		if end(); !ended {
			<-won // a term that was won just now stays: the next engine leads
		}
	}()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	quarantine := e.shared.client.Changes(campaign, "quarantine/")
	before := shapes(e.trace.Tables())
	for {
		select {
		case err := <-d.front.failed:
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
			e.runs.stop()
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
	err := e.shared.inspect(ctx)
	select {
	case <-quarantine:
		for _, t := range e.tables {
			err = errors.Join(err, t.reloadQuarantine())
		}
	default:
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, etcd.ErrAway) {
		d.Log.Warn("indexerd can't read what the leader has stored", "error", configs.Message(err))
	}
}

// logTerm logs that this daemon leads, if marks are shared.
func (d *daemon) logTerm(e *Engine) {
	if term := e.shared.term(); term != nil {
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
	case err := <-d.front.failed:
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

// rememberRemovals makes a guard remember the removals of the last hour, of any daemon.
func (s *storage) rememberRemovals(guard *sink.Guard) error {
	kept := s.shared.opened("guard/", s.readOnly)
	values, err := kept.Read()
	if err != nil {
		return err
	}
	if text := values[s.conf.Name]; text != nil {
		var removals []sink.Removals
		if err := json.Unmarshal(text, &removals); err != nil {
			return fmt.Errorf("the removals of %s: %w", s.conf.Name, err)
		}
		for _, r := range removals {
			guard.Remember(r.At, r.N)
		}
	}
	guard.Keep = func(removals []sink.Removals) error {
		text, err := json.Marshal(removals)
		if err != nil {
			return err
		}
		return kept.Write(map[string][]byte{s.conf.Name: text})
	}
	return nil
}

// statusWithin limits how long status waits for etcd.
const statusWithin = time.Second

// status returns who leads and who stands by; nil if nothing is shared.
func (s *shared) status(ctx context.Context) *httpapi.LeaderStatus {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, statusWithin)
	defer cancel()
	status := &httpapi.LeaderStatus{Standbys: []httpapi.DaemonStatus{}}
	leader, led, err := s.client.Leader(ctx)
	var members map[string]etcd.Member
	if err == nil {
		members, err = s.client.Members(ctx)
	}
	if err != nil {
		status.Error = text(err)
		return status
	}
	status.Takeovers = s.takeovers.Load()
	if led {
		term := s.term()
		status.This = term != nil && term.Leader.Session == leader.Session
		status.Host, status.Address, status.Term, status.Since = leader.Name, leader.Address, leader.Term, httpapi.TimeOrNull(leader.Since)
	}
	for _, id := range slices.Sorted(maps.Keys(members)) {
		if m := members[id]; !led || id != leader.Session {
			status.Standbys = append(status.Standbys, httpapi.DaemonStatus{
				Host: m.Name, Address: m.Address, Version: m.Version, Started: httpapi.TimeOrNull(m.Started), Unfit: orNull(m.Unfit), Unreached: orNull(m.Unreached),
			})
		}
	}
	return status
}

// orNull returns nil for "".
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// term returns the term of the daemon; 0 if it elects no leader.
func (c *cluster) term() uint64 {
	if term := c.shared.term(); term != nil {
		return term.Leader.Term
	}
	return 0
}
