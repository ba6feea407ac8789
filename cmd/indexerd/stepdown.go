package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/httpapi"
)

type stepDownCommand struct {
	requestFlags
}

// Help implements kong.HelpProvider.
func (stepDownCommand) Help() string {
	return "Has the running daemon of this machine end its term, so that the standby leads, and waits for that.\n" +
		"The daemon then stands by. Do this before you update or restart the machine of the leader.\n" +
		"Exits with 1 if the daemon does not lead, or if no standby can: then nothing changes.\n\n" +
		"Examples:\n  indexerd step-down -c /etc/indexerd/indexerd.yaml\n  indexerd step-down -c /etc/indexerd/indexerd.yaml --json"
}

// takenOverWithin is how long another daemon may take until it leads.
const takenOverWithin = time.Minute

// Run ends the term of the daemon.
func (c stepDownCommand) Run(ctx context.Context, w world) error {
	cfg, err := configs.LoadWithoutSecrets(c.Config, w.getenv)
	if err != nil {
		return err
	}
	client, err := connectDaemon(cfg, w)
	if err != nil {
		return err
	}
	before, err := client.leader(ctx)
	if err != nil {
		return err
	}
	if _, err := client.do(ctx, http.MethodPost, "/api/v1/step-down", nil); err != nil {
		return err
	}
	leader, err := client.nextLeader(ctx, before)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(w.stdout).Encode(leader)
	}
	_, err = fmt.Fprintf(w.stdout, "the daemon on %s (%s) leads, in term %d\n", terminal.Line(leader.Host), terminal.Line(leader.Address), leader.Term)
	return err
}

// leader returns which daemon leads; nil: marks are not shared.
func (c *client) leader(ctx context.Context) (*httpapi.LeaderStatus, error) {
	var s httpapi.Status
	body, err := c.do(ctx, http.MethodGet, "/api/v1/status", nil)
	if err == nil {
		err = json.Unmarshal(body, &s)
	}
	return s.Leader, err
}

// nextLeader waits until another daemon leads, or this one leads again. In between none
// does, and the daemon opens its tables to stand by.
func (c *client) nextLeader(ctx context.Context, before *httpapi.LeaderStatus) (*httpapi.LeaderStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, takenOverWithin)
	defer cancel()
	for {
		l, err := c.leader(ctx)
		switch {
		case err != nil || l == nil || l.Host+l.Address == "":
		case !l.This:
			return l, nil
		case before != nil && l.Term > before.Term:
			return nil, fmt.Errorf("no other daemon took over, and this one leads again, in term %d: see status", l.Term)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("no other daemon leads after %v: see status", takenOverWithin), err)
		}
	}
}
