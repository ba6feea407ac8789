package bloom

import (
	"errors"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/redistest"
)

func openRedis(t *testing.T, url, key string, size Size) *Redis {
	t.Helper()
	r, err := OpenRedis(url, key, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func rebuild(t *testing.T, r *Redis, keys []doc.OID) {
	t.Helper()
	if err := r.Rebuild(t.Context(), all(keys)); err != nil {
		t.Fatal(err)
	}
}

func wantLost(t *testing.T, r *Redis, when string) {
	t.Helper()
	if maybe, err := r.Maybe(t.Context(), oids(1, 3)); !errors.Is(err, ErrLost) {
		t.Errorf("%s: Maybe: got %v, %v, want ErrLost", when, maybe, err)
	}
	if err := r.Add(t.Context(), oids(1, 3)); !errors.Is(err, ErrLost) {
		t.Errorf("%s: Add: got %v, want ErrLost", when, err)
	}
}

func TestRedis(t *testing.T) {
	url := redistest.New(t).URL
	testFilter(t, func(t *testing.T, size Size) Filter {
		r := openRedis(t, url, t.Name(), size)
		rebuild(t, r, nil)
		return r
	})
}

// Keys that one daemon adds are seen by another one, with the bits of a Local
// filter.
func TestRedisIsShared(t *testing.T) {
	url := redistest.New(t).URL
	size := Size{Bits: 20_000, Hashes: 5}
	a, b := openRedis(t, url, "shared", size), openRedis(t, url, "shared", size)
	wantLost(t, a, "before it was built")
	rebuild(t, a, oids(1, 2000))
	if err := b.Add(t.Context(), oids(2, 500)); err != nil {
		t.Fatal(err)
	}
	local := NewLocal(size)
	if err := local.Add(t.Context(), append(oids(1, 2000), oids(2, 500)...)); err != nil {
		t.Fatal(err)
	}
	for set := range 4 {
		if got, want := count(t, a, oids(set, 3000)), count(t, local, oids(set, 3000)); got != want {
			t.Errorf("set %d: got %d maybes, want %d as the local filter", set, got, want)
		}
	}
	other := openRedis(t, url, "shared", Size{Bits: 20_001, Hashes: 5})
	wantLost(t, other, "of another size")
}

// A filter that was flushed, evicted, or comes from an earlier run of the server
// returns ErrLost until it is rebuilt.
func TestRedisLost(t *testing.T) {
	server := redistest.New(t)
	url := server.URL
	r := openRedis(t, url, "lost", Size{Bits: 20_000, Hashes: 5})
	keys := oids(1, 1000)
	lose := map[string]func(){
		"flushed": func() {
			if err := r.client.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		},
		"evicted": func() {
			if err := r.client.Del(t.Context(), r.shards[0].key).Err(); err != nil {
				t.Fatal(err)
			}
		},
		"restored from an older save": func() {
			if err := r.client.Save(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			if err := r.Add(t.Context(), oids(1, 1)); err != nil {
				t.Fatal(err)
			}
			server.Kill()
			if err := server.Run(); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, f := range lose {
		rebuild(t, r, keys)
		if got := count(t, r, keys); got != len(keys) {
			t.Fatalf("before it was %s: got %d maybes, want %d", name, got, len(keys))
		}
		f()
		wantLost(t, r, name)
	}
}

// Rebuild returns ErrLost if the filter is flushed meanwhile, or another daemon
// rebuilds it too.
func TestRedisLostDuringRebuild(t *testing.T) {
	url := redistest.New(t).URL
	size := Size{Bits: 20_000, Hashes: 5}
	r, other := openRedis(t, url, "built", size), openRedis(t, url, "built", size)
	interrupts := map[string]func(){
		"flushed": func() {
			if err := r.client.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		},
		"built by another": func() { rebuild(t, other, oids(1, 10)) },
	}
	for name, interrupt := range interrupts {
		for at := range 3 {
			batches := func(yield func([]doc.OID, error) bool) {
				for i := range 3 {
					if i == at {
						interrupt()
					}
					if !yield(oids(i, 100), nil) {
						return
					}
				}
				if at == 2 {
					interrupt()
				}
			}
			if err := r.Rebuild(t.Context(), batches); !errors.Is(err, ErrLost) {
				t.Errorf("%s before batch %d: got %v, want ErrLost", name, at, err)
			}
		}
	}
	down := errors.New("down")
	if err := r.Rebuild(t.Context(), func(yield func([]doc.OID, error) bool) { yield(nil, down) }); !errors.Is(err, down) {
		t.Errorf("Rebuild from a broken list: got %v, want its error", err)
	}
	wantLost(t, r, "after a broken list")
}

func TestOpenRedisFaults(t *testing.T) {
	for _, test := range []struct {
		url  string
		size Size
	}{
		{"http://x", Size{64, 1}},
		{"redis://127.0.0.1:1", Size{1 << 40, 1}},
		{"redis://127.0.0.1:1", Size{}},
	} {
		if _, err := OpenRedis(test.url, "k", test.size); err == nil {
			t.Errorf("OpenRedis(%s, %+v): got no error", test.url, test.size)
		}
	}
}
