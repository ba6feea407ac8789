package bloom

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// redisServer starts a server, and returns its URL and a function that kills it
// and starts it again with its last save.
func redisServer(t *testing.T) (url string, restart func()) {
	t.Helper()
	path := os.Getenv("INDEXERD_TEST_REDIS")
	if path == "" {
		path, _ = exec.LookPath("redis-server")
	}
	if path == "" {
		const missing = "no redis-server in PATH or INDEXERD_TEST_REDIS: apt-get install redis-server"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	dir, err := os.MkdirTemp("", "redis") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	var cmd *exec.Cmd
	start := func() {
		cmd = exec.Command(path, "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "no", "--daemonize", "no")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waitForSocket(t, socket)
	}
	stop := func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait() // its error is the kill
		os.Remove(socket)
	}
	start()
	t.Cleanup(func() {
		stop()
		os.RemoveAll(dir)
	})
	return "unix://" + socket, func() { stop(); start() }
}

func waitForSocket(t *testing.T, socket string) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	for {
		r, err := OpenRedis("unix://"+socket, "ping", Size{64, 1})
		if err != nil {
			t.Fatal(err)
		}
		err = r.client.Ping(t.Context()).Err()
		if closed := r.Close(); closed != nil {
			t.Error(closed)
		}
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("redis-server does not answer: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

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
	url, _ := redisServer(t)
	testFilter(t, func(t *testing.T, size Size) Filter {
		r := openRedis(t, url, t.Name(), size)
		rebuild(t, r, nil)
		return r
	})
}

// Keys that one daemon adds are seen by another one, with the bits of a Local
// filter.
func TestRedisIsShared(t *testing.T) {
	url, _ := redisServer(t)
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
	url, restart := redisServer(t)
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
			restart()
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
	url, _ := redisServer(t)
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
