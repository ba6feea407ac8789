package daemon

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/serve/leader"
	"indexerd/internal/state/etcd"
	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/simtest/servers"
	"indexerd/store"
)

// heals opens the way to etcd when the daemon says that it waits.
type heals struct {
	t   *testing.T
	way *servers.Switch
	n   int
}

func (h *heals) Write(line []byte) (int, error) {
	h.t.Logf("%s", line)
	if strings.Contains(string(line), "indexerd waits for etcd") {
		h.n++
		h.way.Cut(false)
	}
	return len(line), nil
}

// If etcd stops answering after the connection and before the marks were read, a start
// waits for it, and keeps the data directory meanwhile.
func TestAStartWaitsForEtcd(t *testing.T) {
	cfg := sharedConfig(t, &etcdtest.Server{Endpoint: "127.0.0.1:1"}, "http://127.0.0.1:1")
	if err := datadir.Make(cfg); err != nil {
		t.Fatal(err)
	}
	keys, way, tries := servers.NewKeyValues(), servers.NewSwitch(), 0
	log := &heals{t: t, way: way}
	e, err := openToRun(t.Context(), cfg, slog.New(slog.NewTextHandler(log, nil)), func(ctx context.Context, cfg *configs.Config) (holding, error) {
		connected, leases := keys.Connect("a", way, 1)
		client, err := etcd.Config{Prefix: "/indexerd/shop", TTL: time.Minute}.OpenOver(ctx, connected, leases)
		if err != nil {
			return holding{}, err
		}
		if tries++; tries == 1 {
			way.Cut(true)
		}
		if _, err := store.Lock(datadir.LockFile(cfg)); err == nil {
			t.Error("the data directory is free while the daemon waits")
		}
		return holding{shared: leader.New(client, cfg, "a")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if tries != 2 || log.n != 1 {
		t.Errorf("got %d connections and %d lines that it waits, want 2 and 1", tries, log.n)
	}
}
