package leader

import (
	"context"
	"maps"
	"slices"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/etcd"
)

// StatusWithin limits how long status waits for etcd.
const StatusWithin = time.Second

// Status returns who leads and who stands by; nil if nothing is shared.
func (s *Shared) Status(ctx context.Context) *httpapi.LeaderStatus {
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, StatusWithin)
	defer cancel()
	status := &httpapi.LeaderStatus{Standbys: []httpapi.DaemonStatus{}}
	leader, led, err := s.Client.Leader(ctx)
	var members map[string]etcd.Member
	if err == nil {
		members, err = s.Client.Members(ctx)
	}
	if err != nil {
		status.Error = httpapi.ErrorText(err)
		return status
	}
	status.Takeovers = s.takeovers.Load()
	if led {
		term := s.Term()
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
