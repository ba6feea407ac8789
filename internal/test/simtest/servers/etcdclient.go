package servers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// Connect returns a client of etcd for a process. Its leases live rate times as long as
// they do by its own clock: below 1, its clock is slower than the server's.
func (s *KeyValues) Connect(by string, gate Gate, rate float64) (*clientv3.Client, pb.LeaseClient) {
	r := &remote{s, by, gate, rate}
	c := clientv3.NewCtxClient(context.Background())
	leases := leaseClient{remote: r}
	c.KV = clientv3.NewKVFromKVClient(keyClient{remote: r}, c)
	c.Lease = clientv3.NewLeaseFromLeaseClient(leases, c, time.Second)
	c.Watcher = watcher{r}
	return c, leases
}

// A remote is the way of one process to etcd.
type remote struct {
	*KeyValues
	by   string
	gate Gate
	rate float64
}

// ask sends a request, which is done by f.
func ask[T any](ctx context.Context, r *remote, request string, f func() (T, error)) (T, error) {
	var answer struct {
		sync.Mutex // effect may run after a caller that has given up
		value      T
		err        error
	}
	err := r.gate.Send(ctx, Etcd, request, atOnce(func() {
		r.expire()
		value, err := f()
		answer.Lock()
		defer answer.Unlock()
		answer.value, answer.err = value, err
	}))
	answer.Lock()
	defer answer.Unlock()
	if err != nil {
		return *new(T), err
	}
	return answer.value, answer.err
}

// A keyClient makes the requests for keys.
type keyClient struct {
	pb.KVClient // panics: nothing else is asked
	remote      *remote
}

// Range implements pb.KVClient.
func (c keyClient) Range(ctx context.Context, in *pb.RangeRequest, _ ...grpc.CallOption) (*pb.RangeResponse, error) {
	return ask(ctx, c.remote, "get "+string(in.Key), func() (*pb.RangeResponse, error) {
		c.remote.Read(c.remote.by, string(in.Key))
		return c.remote.rangeOf(in)
	})
}

// Put implements pb.KVClient.
func (c keyClient) Put(ctx context.Context, in *pb.PutRequest, _ ...grpc.CallOption) (*pb.PutResponse, error) {
	return ask(ctx, c.remote, "put "+string(in.Key), func() (*pb.PutResponse, error) {
		c.remote.revision++
		if err := c.remote.put(in); err != nil {
			c.remote.revision--
			return nil, err
		}
		c.remote.changed(c.remote.by, []string{string(in.Key)})
		return &pb.PutResponse{Header: c.remote.header()}, nil
	})
}

// Txn implements pb.KVClient.
func (c keyClient) Txn(ctx context.Context, in *pb.TxnRequest, _ ...grpc.CallOption) (*pb.TxnResponse, error) {
	name := "txn"
	for _, op := range in.Success {
		switch {
		case op.GetRequestPut() != nil:
			name += " put " + string(op.GetRequestPut().Key)
		case op.GetRequestDeleteRange() != nil:
			name += " delete " + string(op.GetRequestDeleteRange().Key)
		}
	}
	return ask(ctx, c.remote, name, func() (*pb.TxnResponse, error) { return c.remote.txn(c.remote.by, in) })
}

// A leaseClient makes the requests for leases.
type leaseClient struct {
	pb.LeaseClient // panics: nothing else is asked
	remote         *remote
}

// LeaseGrant implements pb.LeaseClient.
func (c leaseClient) LeaseGrant(ctx context.Context, in *pb.LeaseGrantRequest, _ ...grpc.CallOption) (*pb.LeaseGrantResponse, error) {
	return ask(ctx, c.remote, "grant", func() (*pb.LeaseGrantResponse, error) {
		r := c.remote
		r.last++
		l := &lease{ttl: in.TTL, lives: time.Duration(float64(in.TTL) * r.rate * float64(time.Second))}
		l.until = time.Now().Add(l.lives)
		r.leases[r.last] = l
		return &pb.LeaseGrantResponse{Header: r.header(), ID: r.last, TTL: in.TTL}, nil
	})
}

// LeaseRevoke implements pb.LeaseClient.
func (c leaseClient) LeaseRevoke(ctx context.Context, in *pb.LeaseRevokeRequest, _ ...grpc.CallOption) (*pb.LeaseRevokeResponse, error) {
	return ask(ctx, c.remote, fmt.Sprint("revoke ", in.ID), func() (*pb.LeaseRevokeResponse, error) {
		if c.remote.leases[in.ID] == nil {
			return nil, rpctypes.ErrLeaseNotFound
		}
		c.remote.revoke(in.ID)
		return &pb.LeaseRevokeResponse{Header: c.remote.header()}, nil
	})
}

// LeaseTimeToLive implements pb.LeaseClient.
func (c leaseClient) LeaseTimeToLive(ctx context.Context, in *pb.LeaseTimeToLiveRequest, _ ...grpc.CallOption) (*pb.LeaseTimeToLiveResponse, error) {
	return ask(ctx, c.remote, fmt.Sprint("time to live ", in.ID), func() (*pb.LeaseTimeToLiveResponse, error) {
		answer := &pb.LeaseTimeToLiveResponse{Header: c.remote.header(), ID: in.ID, TTL: -1}
		if l := c.remote.leases[in.ID]; l != nil {
			answer.TTL, answer.GrantedTTL = int64(time.Until(l.until)/time.Second), l.ttl
		}
		return answer, nil
	})
}

// LeaseKeepAlive implements pb.LeaseClient.
func (c leaseClient) LeaseKeepAlive(ctx context.Context, _ ...grpc.CallOption) (grpc.BidiStreamingClient[pb.LeaseKeepAliveRequest, pb.LeaseKeepAliveResponse], error) {
	return &keepAlive{ctx: ctx, remote: c.remote}, nil
}

// A keepAlive is a stream of one request.
type keepAlive struct {
	grpc.ClientStream // panics: nothing else is asked
	ctx               context.Context
	remote            *remote
	id                int64
}

// Send notes the request, which Recv makes.
func (k *keepAlive) Send(r *pb.LeaseKeepAliveRequest) error {
	k.id = r.ID
	return nil
}

// Recv makes the request. The TTL of a lease that is gone is 0.
func (k *keepAlive) Recv() (*pb.LeaseKeepAliveResponse, error) {
	return ask(k.ctx, k.remote, fmt.Sprint("keep alive ", k.id), func() (*pb.LeaseKeepAliveResponse, error) {
		answer := &pb.LeaseKeepAliveResponse{ID: k.id}
		if l := k.remote.leases[k.id]; l != nil {
			l.until = time.Now().Add(l.lives)
			answer.TTL = l.ttl
		}
		return answer, nil
	})
}

// A watcher watches keys.
type watcher struct{ *remote }

// Watch implements clientv3.Watcher. Its answers have no events: there was a change, or one
// may have been missed. A change that no watcher has received yet counts for all.
func (w watcher) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	var (
		answers = make(chan clientv3.WatchResponse, 1)
		op      = clientv3.OpGet(key, opts...)
		mu      sync.Mutex
		ended   bool
	)
	send := func(last bool) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return
		}
		select {
		case answers <- clientv3.WatchResponse{}:
		default:
		}
		if ended = last; ended {
			close(answers)
		}
	}
	one := &watch{op.KeyBytes(), op.RangeBytes(), op.IsFilterPut(), func() { send(false) }}
	go func() {
		err := w.gate.Send(ctx, Etcd, "watch "+key, atOnce(func() {
			w.expire()
			w.follow(one, op.Rev())
			if op.IsCreatedNotify() {
				send(false)
			}
		}))
		if err != nil {
			send(true)
		}
	}()
	context.AfterFunc(ctx, func() { send(true) })
	return answers
}

// RequestProgress implements clientv3.Watcher.
func (w watcher) RequestProgress(context.Context) error { return errors.New("not simulated") }

// Close implements clientv3.Watcher.
func (w watcher) Close() error { return nil }
