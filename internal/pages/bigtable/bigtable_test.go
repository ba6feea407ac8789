package bigtable_test

import (
	"testing"
	"time"

	"indexerd/internal/pages/pagetable"
	"indexerd/internal/test/bigtabletest"
	"indexerd/internal/test/pagestest"
)

func TestPages(t *testing.T) {
	s := bigtabletest.Open(t)
	pagestest.RunRemote(t, func(testing.TB) pagetable.Store { return s }, time.Minute)
}
