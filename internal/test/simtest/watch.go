package simtest

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/horizon"
)

// A watch is a horizon.Watch of the database. It remembers the server that its last
// horizon is of.
type watch struct {
	*horizon.Watch
	lead   *horizon.Watch // takes the readings that other watches find ready
	server string
}

// newWatch returns a watch that continues from the last durable horizon. The
// passes have to read rows from since on.
func newWatch(w *world, last doc.Horizon, since func() time.Time) *watch {
	readings := horizon.NewReadings(sampler{w}, prober{w})
	return &watch{readings.Watch(horizon.Options{Slack: w.slack, Last: last, Since: since, Fresh: time.Second}), readings.Watch(horizon.Options{}), last.Server}
}

// Ready returns the horizon of a reading that the lead has taken just now.
func (h *watch) Ready() (doc.Horizon, bool) {
	answer, ok := h.Watch.Ready()
	if ok {
		h.server = answer.Server
	}
	return answer, ok
}

// Horizon implements compensate.Horizon.
func (h *watch) Horizon(ctx context.Context) (doc.Horizon, error) {
	answer, err := h.Watch.Horizon(ctx)
	if err == nil {
		h.server = answer.Server
	}
	return answer, err
}

// A sampler shows the open transactions of the database.
type sampler struct{ *world }

// Connect implements horizon.Sampler.
func (s sampler) Connect(ctx context.Context, read func(context.Context, horizon.Conn) error) error {
	s.catchUp()
	if err := s.step("horizon", 1); err != nil {
		return err
	}
	return read(ctx, s)
}

// Identity implements horizon.Conn.
func (s sampler) Identity(context.Context) (string, error) { return s.db.serverName(), nil }

// Sample implements horizon.Conn. Each transaction has a session to itself.
func (s sampler) Sample(context.Context) (horizon.Sample, error) {
	s.catchUp()
	now := s.Table.Clock()
	sample := horizon.Sample{Moment: horizon.Moment{Sent: s.local(), Received: s.local(), Clock: now}}
	for _, x := range s.db.open {
		tx := horizon.Tx{PID: x.id, ID: "1", Waiting: true}
		if !s.hides {
			tx.Start, sample.Ahead = x.began, max(sample.Ahead, x.began.Sub(now))
		}
		sample.Open = append(sample.Open, tx)
	}
	return sample, nil
}

// State implements horizon.Conn.
func (s sampler) State(context.Context) (horizon.State, error) {
	state := horizon.State{Version: fmt.Sprintf("%s %d", s.db.serverName(), s.Table.Commits())}
	if s.db.hidden {
		state.Reason = "the role lacks a privilege"
	}
	return state, nil
}

// A prober finds out whether the table has rows that the passes have to read.
type prober struct{ *world }

// Quiet implements horizon.Prober.
func (p prober) Quiet(_ context.Context, all []horizon.Since) ([]bool, error) {
	quiet := make([]bool, len(all))
	for i, since := range all {
		quiet[i] = true
		for _, r := range p.Table.All() {
			quiet[i] = quiet[i] && r.Updated.Before(since.From)
		}
	}
	return quiet, nil
}
