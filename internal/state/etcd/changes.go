package etcd

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Changes returns a channel that has a value after a change below a name of state, and
// after each time that changes may have been missed. Several changes may be one value. It
// ends with ctx.
func (c *Client) Changes(ctx context.Context, under string) <-chan struct{} {
	changed := make(chan struct{}, 1)
	go func() {
		for ctx.Err() == nil {
			c.watch(ctx, c.key("state/"+under), changed)
			select {
			case <-time.After(c.TTL / 5):
			case <-ctx.Done():
			}
		}
	}()
	return changed
}

// watch notes changes until the watch is cut. The first answer comes when it has begun.
func (c *Client) watch(ctx context.Context, prefix string, changed chan<- struct{}) {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for answer := range c.client.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify()) {
		select {
		case changed <- struct{}{}:
		default:
		}
		if answer.Err() != nil {
			return
		}
	}
}
