package mysql

import (
	"errors"
	"testing"
	"time"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/mariatest"
)

// A server that does not answer is not taken for a busy one.
func TestPingOfABusyPool(t *testing.T) {
	dialecttest.PingOfABusyPool(t, openDB(t, mariatest.DB(t), time.Second))
	if err := openDB(t, "mysql://app@127.0.0.1:1/shop", time.Second).Probe(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
		t.Errorf("no server: got %v, want ErrUnavailable", err)
	}
}
