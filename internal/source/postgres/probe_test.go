package postgres

import (
	"errors"
	"strings"
	"testing"

	"indexerd/internal/test/sourcetest/dialecttest"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

// A server that takes no more connections of the role has answered. One that does not
// answer, or refuses the login, has not.
func TestPingOfABusyPool(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	dialecttest.PingOfABusyPool(t, openDB(t, dsn))

	pgtest.Exec(t, dsn, "CREATE ROLE probed LOGIN CONNECTION LIMIT 0")
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP ROLE probed") })
	limited := openAsIs(t, strings.Replace(dsn, "postgres@", "probed@", 1))
	if err := limited.Probe(t.Context()); err != nil {
		t.Errorf("the role has all its connections: got %v, want an answer", err)
	}
	for _, bad := range []string{"postgres://app@127.0.0.1:1/shop?sslmode=disable", strings.Replace(dsn, "postgres@", "unknown@", 1)} {
		if err := openAsIs(t, bad).Probe(t.Context()); !errors.Is(err, doc.ErrUnavailable) {
			t.Errorf("%s: got %v, want ErrUnavailable", bad, err)
		}
	}
}
