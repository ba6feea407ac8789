package mysql

import (
	"testing"

	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/sourcetest"
)

// TestOtherSettings runs the suite of all sources on a server whose sessions read SQL and
// show values otherwise than a new server's do. A quotation mark quotes names, a backslash
// escapes nothing, a CHAR is padded with blanks, NOT binds like !, all times are local, all
// names of tables are in lower case, and a table without a primary key gets an invisible one.
func TestOtherSettings(t *testing.T) {
	needsMySQL(t)
	t.Parallel()
	server := mariatest.New(t, "--sql-mode=ANSI,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,NO_UNSIGNED_SUBTRACTION", "--default-time-zone=+05:30",
		"--lower-case-table-names=1", "--sql-generate-invisible-primary-key=ON")
	h := harness("longtext COLLATE " + exactCollation())
	h.Open = func(t testing.TB) sourcetest.Database { return newTestDB(t, server.DB(t)) }
	sourcetest.Run(t, h)
}
