// Package etcd keeps what two daemons share, and decides which of them works: the
// leader. The other one is a standby. It alone uses etcd's client.
//
// All keys are below one prefix:
//
//	format       version of this layout
//	term         number of elections so far
//	leader       the leader and its term; exists while its lease does
//	writes       "TERM/N/RANDOM": N transactions of the leader were made
//	members/ID   a daemon that runs, leader or not; exists while its lease does
//	state/...    what the leader stores
//
// Guarantee: a Term that was lost stores nothing. Write is a transaction that succeeds
// only while the key leader is the one that its election made, and each election raises
// the term in the transaction that makes this key. Write sends a transaction again whose
// outcome is unknown: it compares and raises writes, so no transaction is made twice, or
// after a later one.
//
// Guarantee: Lost is closed no later than another daemon can be elected, as long as the
// clock of the process runs no slower than etcd's. It counts the time of the lease from
// when a request to keep it alive was sent. A process that is stopped (SIGSTOP) does not
// see that in time. It can send to other stores what it was about to send. These have
// fences of their own.
//
// Cost: a transaction of a raft group for each Write of up to 100 keys and 1 MiB, since
// etcd's default limits are 128 and 1.5 MiB. A request each second keeps the lease alive.
// etcd keeps all versions of a key until it is compacted: its server needs
// --auto-compaction-retention.
package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Format is the version of the layout, a number. A daemon leads with keys of an earlier
// one, and replaces the number in its election, so that daemons can be updated one after
// the other. With a later one it only reads: no version may change what is below state so
// that the version before can't read marks.
var Format = strconv.Itoa(formatNumber)

const formatNumber = 1

// The numbers of writes to index and pages carry the term in their high bits. Both fit
// into the 53 bits of a version of the page stores: 131,071 terms are ten takeovers a day
// for 35 years, and a term has numbers for 10,000 rows a second for 79 days.
const (
	TermBits   = 17
	NumberBits = 36
	MaxTerm    = 1<<TermBits - 1
)

// What a caller branches on.
var (
	// ErrLost ends a term: another daemon leads, or may.
	ErrLost = errors.New("this daemon does not lead any more")
	// ErrAway means that etcd did not answer.
	ErrAway = errors.New("etcd does not answer")
	// ErrRestored means that etcd has an older state than it had acknowledged.
	ErrRestored = errors.New("etcd was restored from an older state")
	// ErrFormat refuses an election: a later version of indexerd has written the keys.
	ErrFormat = errors.New("etcd has keys of a later version of indexerd")
	// ErrLastTerm refuses an election.
	ErrLastTerm = fmt.Errorf("term %d was the last one: use another prefix, and load the tables again", MaxTerm)
	// ErrTooLarge refuses a value that no request can carry.
	ErrTooLarge = errors.New("the value is too large for a request to etcd")
)

// A Config names a cluster and the keys in it.
type Config struct {
	Endpoints []string // host:port, or http and https URLs
	Prefix    string   // of all keys, such as /indexerd/shop
	User      string
	Password  string
	TLS       *tls.Config
	// TTL is the lifetime of a lease: how long a daemon that died still counts as the
	// leader. Whole seconds; default 5 s.
	TTL time.Duration
}

// DefaultTTL is short enough for a takeover within 10 s: etcd looks for expired leases
// twice a second.
const DefaultTTL = 5 * time.Second

// A Client is a connection to the cluster.
type Client struct {
	Config
	client *clientv3.Client
	leases pb.LeaseClient // of client, without its retries
}

// Open connects, and returns an error if no server answers.
func (c Config) Open(ctx context.Context) (*Client, error) {
	c.TTL = cmp.Or(c.TTL, DefaultTTL)
	connected, err := clientv3.New(clientv3.Config{
		Endpoints: c.Endpoints, Username: c.User, Password: c.Password, TLS: c.TLS,
		DialTimeout: c.TTL, DialKeepAliveTime: c.TTL, DialKeepAliveTimeout: c.TTL,
		Logger: zap.NewNop(), // every failure is an error of a call
	})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", explain(err))
	}
	return c.OpenOver(ctx, connected, clientv3.RetryLeaseClient(connected))
}

// OpenOver is Open over a connection that exists, which the client closes. The simulation
// has one without a network.
func (c Config) OpenOver(ctx context.Context, connected *clientv3.Client, leases pb.LeaseClient) (*Client, error) {
	c.TTL = cmp.Or(c.TTL, DefaultTTL)
	c.Prefix = strings.TrimRight(c.Prefix, "/")
	client := &Client{c, connected, leases}
	if _, err := client.standing(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to etcd: %w", err), connected.Close())
	}
	return client, nil
}

// Close ends the connection. Leases stay until they expire.
func (c *Client) Close() error { return c.client.Close() }

// patience is how long one request may take.
func (c *Client) patience() time.Duration { return min(c.TTL/2, 3*time.Second) }

func (c *Client) key(name string) string { return c.Prefix + "/" + name }

// explain adds ErrAway to an error after which the same request may succeed.
func explain(err error) error {
	var server rpctypes.EtcdError
	switch {
	case err == nil || errors.Is(err, ErrAway):
		return err
	case errors.Is(err, rpctypes.ErrNoSpace):
		return fmt.Errorf("%w: its database is full: compact and defragment it, or raise --quota-backend-bytes, and disarm the alarm", err)
	case errors.As(err, &server) && !isPassing(server):
		return err
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// isPassing reports whether an error of a server is not about the request.
func isPassing(err rpctypes.EtcdError) bool {
	for _, passing := range []error{
		rpctypes.ErrLeaderChanged, rpctypes.ErrNoLeader, rpctypes.ErrNotLeader, rpctypes.ErrStopped, rpctypes.ErrTimeout,
		rpctypes.ErrTimeoutDueToLeaderFail, rpctypes.ErrTimeoutDueToConnectionLost, rpctypes.ErrTimeoutWaitAppliedIndex,
		rpctypes.ErrNotCapable, rpctypes.ErrUnhealthy, rpctypes.ErrTooManyRequests, rpctypes.ErrInvalidAuthToken, rpctypes.ErrAuthOldRevision,
	} {
		if errors.Is(err, passing) {
			return true
		}
	}
	return false
}
