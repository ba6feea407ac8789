package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/release"
	"indexerd/internal/serve/leader"
	"indexerd/internal/state/etcd"
	"indexerd/internal/test/etcdtest"
	"indexerd/timetrace"
)

// sharedConfig is a configuration with everything elsewhere. What answers in place of
// OpenSearch is at url.
func sharedConfig(t *testing.T, s *etcdtest.Server, url string) *configs.Config {
	t.Helper()
	cfg, err := configs.Load(writeFile(t, fmt.Sprintf(`data: %s
http: {listen: "127.0.0.1:0"}
index: {engine: opensearch, url: "%s", prefix: p-}
pages: {engine: bigtable, project: p, instance: i, table: pages}
marks: {engine: etcd, endpoints: "http://%s", prefix: /indexerd/%s}
sources:
  db: {driver: sqlite, dsn: %s}
tables:
%s`, t.TempDir(), url, s.Endpoint, t.Name(), filepath.Join(t.TempDir(), "db"), bodyTable("item", ""))), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A daemon that leads removes the write alias of the daemon before, and then reads the
// marks. What that one has recorded until its writes were refused counts. A daemon whose
// term has ended removes no alias.
func TestFenceBeforeMarks(t *testing.T) {
	server := etcdtest.New(t)
	var sh *leader.Shared
	var fences atomic.Int32
	cluster := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/p-item-g"):
			const name = "p-item-g1-a"
			_ = json.NewEncoder(w).Encode(map[string]any{name: map[string]any{
				"aliases":  map[string]any{"p-item": struct{}{}, name + "-w-older": struct{}{}},
				"mappings": map[string]any{"_meta": map[string]any{"indexerd": map[string]any{"owner": sh.OwnerID()}}},
			}})
		case r.URL.Path == "/_aliases":
			fences.Add(1)
			trace, err := timetrace.OpenIn(sh.Store("marks/", false), release.Version)
			if err == nil {
				err = trace.UpdateTable("item", func(m *timetrace.Table) { m.Numbers = 4242 })
			}
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
		default:
			w.WriteHeader(http.StatusNotFound) // the table is not loaded, and needs no index
		}
	}))
	defer cluster.Close()
	cfg := sharedConfig(t, server, cluster.URL)
	sh, err := leader.Connect(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer sh.Close()
	leads(t, sh)
	trace, err := timetrace.OpenIn(sh.Store("marks/", false), release.Version)
	if err == nil {
		err = trace.UpdateTable("item", func(m *timetrace.Table) { m.Source, m.Generation = cfg.Tables[0].SourceFingerprint(), 1 })
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := openLocked(cfg, holding{shared: sh}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if marks, _ := e.trace.Table("item"); marks.Numbers != 4242 || fences.Load() != 1 {
		t.Errorf("got numbers up to %d after %d removals of the alias, want those that were recorded before the one", marks.Numbers, fences.Load())
	}
	if err := e.closeStored(); err != nil {
		t.Fatal(err)
	}
	resigns(t, sh)
	if _, err := openLocked(cfg, holding{shared: sh}, nil); !errors.Is(err, etcd.ErrLost) || fences.Load() != 1 {
		t.Errorf("without a term: got error %v after %d removals of the alias, want ErrLost and none more", err, fences.Load())
	}
}
