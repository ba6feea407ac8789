// Package servers has in memory what two daemons share: etcd, a cluster of OpenSearch, a
// table of pages in the BigTable model, and a Bloom filter in Redis. A simulation runs the
// real clients of indexerd against them, but for that of Redis, which is a model.
//
// Each request passes a Gate, which decides when the server gets it, whether it does, and
// whether its answer comes back. So a request may take effect after its sender has
// given it up, was paused or was killed. The effect of a request is one step, except
// that a bulk of OpenSearch looks up its alias first and writes some time later, as a
// node does that passes it on to a shard.
//
// Guarantee: what a server acknowledged stays. The servers lose nothing, and order
// requests as they arrive.
//
// Not simulated: etcd's compaction and history, shards that fail, versions of removals
// that the cluster forgets, tombstones of HBase.
package servers

import "context"

// The names of servers.
const (
	Etcd       = "etcd"
	OpenSearch = "opensearch"
	Pages      = "pages"
	Redis      = "redis"
)

// A Gate is the way of one process to all servers.
type Gate interface {
	// Send sends a request. effect runs when it arrives, one request at a time; what it
	// returns, if not nil, runs some time after that, before the answer. Send returns an
	// error if no answer has come. Then effect may have run, or may run later.
	// The request is named with all that it sends, so that no two requests are mixed up.
	Send(ctx context.Context, server, request string, effect func() (later func())) error
}

// at once is an effect without a second step.
func atOnce(effect func()) func() func() {
	return func() func() {
		effect()
		return nil
	}
}
