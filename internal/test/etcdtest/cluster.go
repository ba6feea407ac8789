package etcdtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// A Cluster is several members of one etcd.
type Cluster struct{ Members []*Server }

// NewCluster starts members for one test, which end with it.
func NewCluster(t testing.TB, n int) *Cluster {
	t.Helper()
	pgtest.NeedsServers(t)
	members, err := start(n)
	need(t, err)
	t.Cleanup(func() { stop(members) })
	return &Cluster{members}
}

// Endpoints returns those of all members.
func (c *Cluster) Endpoints() (all []string) {
	for _, s := range c.Members {
		all = append(all, s.Endpoint)
	}
	return all
}

// Leader returns the member that the others follow, and the others.
func (c *Cluster) Leader(t testing.TB) (leader *Server, others []*Server) {
	t.Helper()
	for end := time.Now().Add(startWithin); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		leader, others = nil, nil
		for _, s := range c.Members {
			if leads, err := s.leads(); err == nil && leads {
				leader = s
			} else {
				others = append(others, s)
			}
		}
		if leader != nil && len(others) == len(c.Members)-1 {
			return leader, others
		}
	}
	t.Fatalf("etcd has no leader after %v", startWithin)
	return nil, nil
}

// leads reports whether the member is the one that the others follow.
func (s *Server) leads() (bool, error) {
	answer, err := http.Post("http://"+s.Endpoint+"/v3/maintenance/status", "application/json", strings.NewReader("{}"))
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	var status struct {
		Header struct {
			ID string `json:"member_id"`
		}
		Leader string
	}
	if err := json.NewDecoder(answer.Body).Decode(&status); err != nil {
		return false, fmt.Errorf("%s: %w", s.Endpoint, err)
	}
	return status.Leader != "" && status.Leader == status.Header.ID, nil
}
