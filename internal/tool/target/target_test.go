package target

import (
	"testing"

	_ "indexerd/internal/test/nofailfile"
)

// A DSN that names where its password is, and has none, is written as it is.
func TestWithoutPassword(t *testing.T) {
	for _, dsn := range []string{
		"postgres://u@h/d", "postgres://u:@h:1/d", "postgres://h:5432/d", "host=h user=u passfile=/p", "${DSN}", "postgres://u:${PW}@h/d", "host=h password=${PW}", "/a/b:c@d.db", "file:/a/password.db",
	} {
		if hasPassword(dsn) {
			t.Errorf("%s: got a password", dsn)
		}
	}
}
