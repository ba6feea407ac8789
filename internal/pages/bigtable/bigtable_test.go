package bigtable_test

import (
	"testing"
	"time"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/pages/bigtable"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/pagestest"
)

// emulator returns a store in a new emulator of Bigtable, in this process.
func emulator(t testing.TB) *bigtable.Store {
	t.Helper()
	server, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	t.Setenv("BIGTABLE_EMULATOR_HOST", server.Addr)
	s, err := bigtable.Config{Project: "p", Instance: "i", Table: "pages"}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestPages(t *testing.T) {
	s := emulator(t)
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store { return s }, time.Minute)
}
