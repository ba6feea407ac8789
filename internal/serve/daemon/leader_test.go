package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/leader"
	"indexerd/internal/test/etcdtest"
)

// sharing connects a data directory to the marks of the test.
func sharing(t *testing.T, s *etcdtest.Server, data string) *leader.Shared {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(data, "film"), 0o700); err != nil {
		t.Fatal(err)
	}
	sh, err := leader.Connect(t.Context(), &configs.Config{Data: data, Marks: configs.Marks{Engine: configs.Etcd, Endpoints: []string{"http://" + s.Endpoint}, Prefix: "/indexerd/" + t.Name()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sh.Close() })
	return sh
}

func leads(t *testing.T, s *leader.Shared) {
	t.Helper()
	if err := s.LeadUnlessLed(t.Context()); err != nil || s.Term() == nil {
		t.Fatalf("got term %v, error %v, want that it leads", s.Term(), err)
	}
}

func resigns(t *testing.T, s *leader.Shared) {
	t.Helper()
	if err := s.Resign(); err != nil {
		t.Fatal(err)
	}
}
