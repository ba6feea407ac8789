package hbase_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/pages/hbase"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/pagestest"
)

func TestMain(m *testing.M) { os.Exit(hbasetest.Main(m)) }

// TestInstall fetches the jars, for make servers.
func TestInstall(t *testing.T) {
	if os.Getenv("HBASE") == "" {
		t.Skip("HBASE is not set")
	}
	if err := hbasetest.Install(); err != nil {
		t.Fatal(err)
	}
}

func TestPages(t *testing.T) {
	url := hbasetest.URL(t)
	s := &hbase.Store{Gateways: []string{url}, Table: "pages_" + strings.ToLower(t.Name())}
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store { return s }, time.Minute)
}
