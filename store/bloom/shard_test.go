package bloom

import (
	"errors"
	"iter"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/redistest"
)

func numbered(n int) []doc.OID {
	var keys []doc.OID
	for i := range n {
		oid, err := doc.NewOID(int64(i))
		if err != nil {
			panic(err)
		}
		keys = append(keys, oid)
	}
	return keys
}

// A filter that is too large for one string is in several: each key is found, few
// others are, and one lost shard loses the filter.
func TestShards(t *testing.T) {
	defer func(n uint64) { maxBits = n }(maxBits)
	maxBits = 1 << 13
	url := redistest.New(t).URL
	size, err := SizeFor(5000, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenRedis(url, "f", size)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if len(r.shards) != 6 {
		t.Fatalf("got %d shards, want 6", len(r.shards))
	}
	keys := numbered(10_000)
	stored := func() iter.Seq2[[]doc.OID, error] {
		return func(yield func([]doc.OID, error) bool) { yield(keys[:2500], nil) }
	}
	if err := r.Rebuild(t.Context(), stored()); err != nil {
		t.Fatal(err)
	}
	if err := r.Add(t.Context(), keys[2500:5000]); err != nil {
		t.Fatal(err)
	}
	maybe, err := r.Maybe(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, m := range maybe {
		if i < 5000 && !m {
			t.Fatalf("key %d was added, and is excluded", i)
		}
		if i >= 5000 && m {
			wrong++
		}
	}
	if wrong > 150 {
		t.Errorf("got %d of 5000 other keys, want about 50", wrong)
	}
	if err := r.client.Del(t.Context(), r.shards[3].key).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Maybe(t.Context(), keys); !errors.Is(err, ErrLost) {
		t.Errorf("got error %v without a shard, want ErrLost", err)
	}
	if err := r.Add(t.Context(), keys); !errors.Is(err, ErrLost) {
		t.Errorf("got error %v without a shard, want ErrLost", err)
	}
}

// A server that is not alone may be replaced by another one without notice.
func TestMode(t *testing.T) {
	info := "# Server\r\nredis_version:7.0\r\nredis_mode:cluster\r\nrun_id:abc\r\n"
	for name, want := range map[string]string{"redis_mode": "cluster", "run_id": "abc", "mode": "", "os": ""} {
		if got := infoOf(info, name); got != want {
			t.Errorf("got %q for %s, want %q", got, name, want)
		}
	}
}
