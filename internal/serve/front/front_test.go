package front

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"indexerd/configs"
)

// While the storage is opened, each address answers in its own form.
func TestErrorWhileTheStorageIsOpened(t *testing.T) {
	cfg := &configs.Config{HTTP: configs.HTTP{Listen: "127.0.0.1:0"}, OpenSearch: "127.0.0.1:0"}
	l, err := Bind(cfg)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	f := New(LimitConnections(cfg, l, log), cfg.HTTP, log)
	defer f.Close()
	for base, want := range map[string]string{"http://" + f.OpenSearch: `"type":"no_shard_available_action_exception"`, f.Base: `{"error":{"code":"not_ready",`} {
		r, err := http.Get(base + "/film/_search")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r.Body)
		_ = r.Body.Close() // it was read
		if err != nil || r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(got), want) {
			t.Errorf("%s: got %d %s, error %v, want 503 with %s", base, r.StatusCode, got, err, want)
		}
	}
}
