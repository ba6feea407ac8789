// Package bigtabletest starts an emulator of Bigtable for tests, in this process.
package bigtabletest

import (
	"testing"

	"cloud.google.com/go/bigtable/bttest"

	"indexerd/internal/pages/bigtable"
)

// Start starts an emulator, which ends with the test, and returns its host:port.
func Start(t testing.TB) string {
	t.Helper()
	server, err := bttest.NewServer("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server.Addr
}

// Open returns a store in a new emulator.
func Open(t testing.TB) *bigtable.Store {
	t.Helper()
	t.Setenv("BIGTABLE_EMULATOR_HOST", Start(t))
	s, err := bigtable.Config{Project: "p", Instance: "i", Table: "pages"}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
