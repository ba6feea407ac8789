package bloom

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/bits-and-blooms/bloom/v3"
	"github.com/redis/go-redis/v9"

	"indexerd/internal/base/doc"
)

// A Redis filter is one or more strings of bits in a Redis server, shared by all
// daemons that open it with the same key and size. A key belongs to one string, its
// shard. Each batch of a shard is one BITFIELD command.
//
//	bits 0 to 62     marker: the run of the server that the filter was built in; 0: not complete
//	bits 64 to 126   token of the daemon that builds it
//	bits 128 ...     the filter
//
// After a restart the server may have older bits, and after an eviction or a flush
// none: both would answer "no" for keys that were added. So every batch reads the
// marker with its bits, and the filter is lost if the marker is not that of the
// server's present run. Each new connection reads the server's run_id, and no
// connection outlives a restart.
//
// Assumptions: a daemon adds a key before it stores it; the listing for Rebuild
// begins after all writes have ended that were running when the filter was lost;
// no proxy hides a restart of the server. Sentinel and Cluster are refused: their
// clients change the server without a new connection of ours.
type Redis struct {
	client *redis.Client
	name   string
	size   Size // of each shard
	shards []shard
	marker atomic.Uint64 // of the server's present run
}

// A shard is one string of a filter.
type shard struct {
	*Redis
	key string
}

const (
	markerAt = 0
	tokenAt  = 64
	bitsAt   = 128
	maxShard = 1 << 8    // shards
	mask     = 1<<63 - 1 // BITFIELD's largest unsigned type is u63
	// batchKeys limits one BITFIELD: the server does nothing else while it runs.
	batchKeys = 2000
)

// maxBits is the size of the largest shard: 256 MiB, half of what a string of Redis can
// have. Tests lower it.
var maxBits uint64 = 1 << 31

// OpenRedis opens the filter under a key of the server at url (redis:// or
// unix://). It does not need an answer of the server. If the first answer is ErrLost the
// caller should call Rebuild.
func OpenRedis(url, key string, size Size) (*Redis, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("bloom filter %s: %w", key, err)
	}
	if size.Bits == 0 || size.Hashes < 1 || size.Bits > maxShard*maxBits {
		return nil, fmt.Errorf("bloom filter %s: %d bits and %d hashes: want at most %d bits", key, size.Bits, size.Hashes, maxShard*maxBits)
	}
	r := &Redis{name: fmt.Sprintf("%s:m%d:k%d", key, size.Bits, size.Hashes), size: size}
	n := (size.Bits + maxBits - 1) / maxBits
	r.size.Bits = (size.Bits + n - 1) / n
	for i := range n {
		one := shard{r, r.name}
		if n > 1 {
			one.key = fmt.Sprintf("%s:%d/%d", r.name, i, n)
		}
		r.shards = append(r.shards, one)
	}
	options.OnConnect = r.onConnect
	r.client = redis.NewClient(options)
	return r, nil
}

// Name returns the name of the filter, which has its key and its size.
func (r *Redis) Name() string { return r.name }

// Close closes the connections. The filter stays on the server.
func (r *Redis) Close() error { return r.client.Close() }

func (r *Redis) fail(err error) error { return fmt.Errorf("bloom filter %s: %w", r.name, err) }

// onConnect computes the marker of the server's present run.
func (r *Redis) onConnect(ctx context.Context, conn *redis.Conn) error {
	info, err := conn.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	if mode := infoOf(info, "redis_mode"); mode != "" && mode != "standalone" {
		return fmt.Errorf("the server is a Redis in mode %s: name a standalone server", mode)
	}
	id := infoOf(info, "run_id")
	if id == "" {
		return fmt.Errorf("INFO server has no run_id")
	}
	sum := fnv.New64a()
	sum.Write([]byte(id))
	r.marker.Store(sum.Sum64()&mask | 1) // never 0
	return nil
}

// infoOf returns a line of INFO, "" if there is none.
func infoOf(info, name string) string {
	_, rest, _ := strings.Cut("\n"+info, "\n"+name+":")
	value, _, _ := strings.Cut(rest, "\r")
	return value
}

// Add adds keys. With ErrLost these keys are added, and others may be missing.
func (r *Redis) Add(ctx context.Context, keys []doc.OID) error {
	return r.batches(keys, func(s shard, batch []doc.OID, _ []int) error {
		got, err := s.bitfield(ctx, markerAt, s.set(batch))
		if err == nil && uint64(got[0]) != r.marker.Load() {
			err = r.fail(ErrLost)
		}
		return err
	})
}

// Maybe reports for each key whether it may have been added.
func (r *Redis) Maybe(ctx context.Context, keys []doc.OID) ([]bool, error) {
	maybe := make([]bool, len(keys))
	err := r.batches(keys, func(s shard, batch []doc.OID, at []int) error {
		got, err := s.bitfield(ctx, markerAt, s.get(batch))
		if err != nil {
			return err
		}
		if uint64(got[0]) != r.marker.Load() {
			return r.fail(ErrLost)
		}
		for i, bits := 0, got[1:]; len(bits) > 0; i, bits = i+1, bits[r.size.Hashes:] {
			maybe[at[i]] = !slices.Contains(bits[:r.size.Hashes], 0)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return maybe, nil
}

// batches calls each with the keys of each shard, a batch at a time, and with their
// places in keys.
func (r *Redis) batches(keys []doc.OID, each func(s shard, batch []doc.OID, at []int) error) error {
	of, at := make([][]doc.OID, len(r.shards)), make([][]int, len(r.shards))
	for i, key := range keys {
		n := 0
		if len(r.shards) > 1 {
			h := fnv.New64a()
			h.Write([]byte(key))
			n = int(h.Sum64() % uint64(len(r.shards)))
		}
		of[n], at[n] = append(of[n], key), append(at[n], i)
	}
	for n, s := range r.shards {
		for from := 0; from < len(of[n]); from += batchKeys {
			to := min(from+batchKeys, len(of[n]))
			if err := each(s, of[n][from:to], at[n][from:to]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rebuild adds every key of the store and then marks the filter as complete. It
// returns ErrLost if the filter was lost meanwhile, or another daemon rebuilds it.
func (r *Redis) Rebuild(ctx context.Context, keys iter.Seq2[[]doc.OID, error]) error {
	token := newToken()
	for _, s := range r.shards {
		if _, err := s.bitfield(ctx, markerAt, []any{"SET", "u63", markerAt, 0, "SET", "u63", tokenAt, token}); err != nil {
			return err
		}
	}
	run := r.marker.Load()
	for listed, err := range keys {
		if err != nil {
			return r.fail(fmt.Errorf("list the keys: %w", err))
		}
		err := r.batches(listed, func(s shard, batch []doc.OID, _ []int) error {
			got, err := s.bitfield(ctx, tokenAt, s.set(batch))
			if err == nil && got[0] != token {
				err = r.fail(ErrLost)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, s := range r.shards {
		if err := s.finish(ctx, token, run); err != nil {
			return err
		}
	}
	return nil
}

// finish sets the marker if the shard has the same token as at the beginning. A
// script does both, since a flush may come between two commands.
func (s shard) finish(ctx context.Context, token int64, run uint64) error {
	const script = `
if redis.call('BITFIELD', KEYS[1], 'GET', 'u63', 64)[1] ~= tonumber(ARGV[1]) then return 0 end
redis.call('BITFIELD', KEYS[1], 'SET', 'u63', 0, ARGV[2])
return 1`
	done, err := s.client.Eval(ctx, script, []string{s.key}, token, run).Int()
	if err != nil {
		return s.fail(err)
	}
	if done != 1 || s.marker.Load() != run {
		return s.fail(ErrLost)
	}
	return nil
}

// newToken returns a random number. Redis scripts calculate in float64, which is
// exact up to 53 bits.
func newToken() int64 {
	var b [8]byte
	rand.Read(b[:])
	return int64(binary.LittleEndian.Uint64(b[:])>>11) | 1
}

// bitfield runs one BITFIELD that first reads the number at an offset.
func (r shard) bitfield(ctx context.Context, at int, ops []any) ([]int64, error) {
	args := append([]any{"GET", "u63", at}, ops...)
	got, err := r.client.BitField(ctx, r.key, args...).Result()
	if err != nil {
		return nil, r.fail(err)
	}
	return got, nil
}

// get returns the operations that read each key's bits. set returns those that
// set them.
func (r *Redis) get(keys []doc.OID) (ops []any) {
	for _, key := range keys {
		for _, at := range r.places(key) {
			ops = append(ops, "GET", "u1", at)
		}
	}
	return ops
}

func (r *Redis) set(keys []doc.OID) (ops []any) {
	for _, key := range keys {
		for _, at := range r.places(key) {
			ops = append(ops, "SET", "u1", at, 1)
		}
	}
	return ops
}

// places returns the key's bits, the same as in a Local filter.
func (r *Redis) places(key doc.OID) []uint64 {
	at := bloom.Locations([]byte(key), uint(r.size.Hashes))
	for i := range at {
		at[i] = bitsAt + at[i]%r.size.Bits
	}
	return at
}
