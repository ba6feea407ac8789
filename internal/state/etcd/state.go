package etcd

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// The limits of a transaction. etcd's own are 128 operations and 1.5 MiB by default.
const (
	maxKeys  = 100
	maxBytes = 1 << 20
)

// Write makes changes durable: a value by its key below state, nil to remove the key.
// If they are more than one request can carry, they are several transactions, and after an
// error any of them may have been made. It returns ErrLost once another daemon leads, or
// may lead; then nothing was written by this call after that.
//
// It sends a transaction until its outcome is known. That ends with the session.
func (t *Term) Write(changes map[string][]byte) error {
	t.one <- struct{}{}
	defer func() { <-t.one }()
	groups, err := divide(changes)
	if err != nil {
		return fmt.Errorf("write to etcd: %w", err)
	}
	for _, group := range groups {
		if err := t.commit(t.next(), group, changes); err != nil {
			return fmt.Errorf("write to etcd: %w", err)
		}
	}
	return nil
}

// Confirm asks etcd whether the term goes on.
func (t *Term) Confirm() error {
	t.one <- struct{}{}
	defer func() { <-t.one }()
	if err := t.commit(t.next(), nil, nil); err != nil {
		return fmt.Errorf("ask etcd for the leader: %w", err)
	}
	return nil
}

// divide returns the keys of each transaction.
func divide(changes map[string][]byte) (groups [][]string, err error) {
	size := 0
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		bytes := len(key) + len(changes[key])
		if bytes > maxBytes {
			return nil, fmt.Errorf("%w: %s has %d bytes", ErrTooLarge, key, bytes)
		}
		if last := len(groups) - 1; last < 0 || len(groups[last]) == maxKeys || size+bytes > maxBytes {
			groups, size = append(groups, nil), 0
		}
		last := len(groups) - 1
		groups[last], size = append(groups[last], key), size+bytes
	}
	return groups, nil
}

// next is the value of the key writes after one more transaction.
func (t *Term) next() string { return writes(t.Leader.Term, t.done+1, rand.Text()) }

// commit makes one transaction, after which the key writes is next.
func (t *Term) commit(next string, group []string, changes map[string][]byte) error {
	c := t.client
	then := []clientv3.Op{clientv3.OpPut(c.key("writes"), next)}
	for _, key := range group {
		if value := changes[key]; value != nil {
			then = append(then, clientv3.OpPut(c.key("state/"+key), string(value)))
		} else {
			then = append(then, clientv3.OpDelete(c.key("state/"+key)))
		}
	}
	for {
		if err := t.Err(); err != nil {
			return err
		}
		answer, err := within(context.Background(), c.patience(), func(ctx context.Context) (*clientv3.TxnResponse, error) {
			return c.client.Txn(ctx).If(
				clientv3.Compare(clientv3.CreateRevision(c.key("leader")), "=", t.created),
				clientv3.Compare(clientv3.Value(c.key("writes")), "=", t.last),
			).Then(then...).Else(clientv3.OpGet(c.key("leader")), clientv3.OpGet(c.key("writes"))).Commit()
		})
		if errors.Is(err, rpctypes.ErrNoSpace) {
			var made bool
			if made, err = t.made(next, err); made {
				return nil
			}
		}
		if err == nil {
			return t.judge(answer, next)
		}
		if !errors.Is(err, ErrAway) {
			return err
		}
		if err := t.pause(context.Background()); err != nil {
			return err
		}
	}
}

// made reports whether a transaction was made that etcd has answered with full: it makes
// the one that fills it. Otherwise it returns full, or why that is not known.
func (t *Term) made(next string, full error) (bool, error) {
	answer, err := within(context.Background(), t.client.patience(), func(ctx context.Context) (*clientv3.GetResponse, error) {
		return t.client.client.Get(ctx, t.client.key("writes"))
	})
	switch {
	case err != nil:
		return false, err
	case len(answer.Kvs) == 1 && string(answer.Kvs[0].Value) == next:
		t.count(next)
		return true, nil
	}
	return false, full
}

// count counts a transaction that was made.
func (t *Term) count(next string) { t.done, t.last = t.done+1, next }

// judge returns the outcome of a transaction that etcd has answered. One that is refused
// was made before if the writes are those that it makes: an earlier answer was lost.
func (t *Term) judge(answer *clientv3.TxnResponse, next string) error {
	if answer.Succeeded {
		t.count(next)
		return nil
	}
	leader, written := only(answer, 0), only(answer, 1)
	switch {
	case leader == nil || leader.CreateRevision != t.created:
		t.lose(fmt.Errorf("%w: its lease was lost, or another daemon has taken over", ErrLost))
		return t.Err()
	case written != nil && string(written.Value) == next:
		t.count(next)
		return nil
	}
	t.lose(fmt.Errorf("%w: %w", ErrLost, ErrRestored))
	return t.Err()
}

// writes is the value of the key of this name. Its last part is of one transaction only.
func writes(term, done uint64, unique string) string {
	return strconv.FormatUint(term, 10) + "/" + strconv.FormatUint(done, 10) + "/" + unique
}

// pageKeys is how many keys one request reads.
const pageKeys = 1000

// Read returns the values below a name of state, by the rest of their keys, all as of one
// moment.
func (c *Client) Read(ctx context.Context, under string) (map[string][]byte, error) {
	for {
		values, err := c.readAt(ctx, c.key("state/"+under), 0)
		if errors.Is(err, rpctypes.ErrCompacted) {
			continue // that revision was compacted: read another one
		}
		if err != nil {
			return nil, fmt.Errorf("read from etcd: %w", err)
		}
		return values, nil
	}
}

// readAt reads the keys with a prefix as of a revision; 0: as of the first answer.
func (c *Client) readAt(ctx context.Context, prefix string, revision int64) (map[string][]byte, error) {
	values := map[string][]byte{}
	for from := prefix; ; {
		page, err := within(ctx, c.patience(), func(ctx context.Context) (*clientv3.GetResponse, error) {
			return c.client.Get(ctx, from, clientv3.WithRange(clientv3.GetPrefixRangeEnd(prefix)), clientv3.WithLimit(pageKeys), clientv3.WithRev(revision))
		})
		if err != nil {
			return nil, err
		}
		revision = cmp.Or(revision, page.Header.Revision)
		for _, kv := range page.Kvs {
			values[strings.TrimPrefix(string(kv.Key), prefix)] = kv.Value
			from = string(kv.Key) + "\x00"
		}
		if !page.More {
			return values, nil
		}
	}
}
