package mysql

import (
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/mariatest"
)

// TestToken changes one value at a time, each to one that a shorter digest would take
// for the same.
func TestToken(t *testing.T) {
	dsn := mariatest.New(t).DB(t)
	mariatest.Exec(t, dsn, "SET GLOBAL max_allowed_packet = 1048576")
	mariatest.Exec(t, dsn, "CREATE TABLE doc (id INT PRIMARY KEY, u TIMESTAMP(6) NULL, f FLOAT, l VARCHAR(9) CHARACTER SET latin1, m VARCHAR(9), b VARBINARY(9), x LONGTEXT, y LONGTEXT)")
	mariatest.Exec(t, dsn, "INSERT INTO doc VALUES (1, '2024-01-01', 16777216, 'ä', 'ä', x'e4', NULL, '')")
	s := source.New(openDB(t, dsn, time.Second), pace.Limits{})
	table, err := s.Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u"})
	if err != nil {
		t.Fatal(err)
	}
	key, err := doc.NewOID(int64(1))
	if err != nil {
		t.Fatal(err)
	}
	token := func() doc.Token {
		t.Helper()
		stamps, err := table.StampsOf(t.Context(), []doc.OID{key})
		if err != nil || len(stamps) != 1 {
			t.Fatalf("got %v, %v, want a stamp", stamps, err)
		}
		return stamps[0].Token
	}
	last := token()
	if last.Digest == 0 || last != token() {
		t.Fatalf("got the token %v, want one that stays", last)
	}
	for _, change := range []string{"f = 16777218", "l = 'Ã¤'", "b = x'c3a4'", "m = 'Ä'", "x = ''", "y = NULL", "u = '2024-01-01 00:00:00.000001'"} {
		mariatest.Exec(t, dsn, "UPDATE doc SET "+change)
		if now := token(); now.Digest == 0 || now == last {
			t.Errorf("%s: got the token %v again, want another", change, now)
		} else {
			last = now
		}
	}
	// Longer than the server's limit of a value.
	for _, column := range []string{"x", "y"} {
		mariatest.Exec(t, dsn, "UPDATE doc SET "+column+" = '"+strings.Repeat("w", 600_000)+"'")
	}
	if got := token(); got.Digest != 0 {
		t.Errorf("got the token %v of a row that is too long, want an unknown one", got)
	}
	if sums, err := table.TokenSums(t.Context(), nil); sums != nil || err != nil {
		t.Errorf("got the sums %v, %v of a row that is too long, want none", sums, err)
	}
	// A child that is too long leaves the sum of all children unknown.
	mariatest.Exec(t, dsn, "CREATE TABLE part (id INT, n INT, x LONGTEXT, y LONGTEXT)")
	mariatest.Exec(t, dsn, "INSERT INTO part SELECT 1, 1, x, '' FROM doc UNION ALL SELECT 1, 2, '', y FROM doc")
	mariatest.Exec(t, dsn, "UPDATE doc SET x = ''")
	children := []source.ChildConfig{{Name: "parts", Path: "children.parts", SQL: "SELECT * FROM part", Key: []string{"id"}}}
	table, err = s.Table(t.Context(), source.TableConfig{Name: "doc", SQL: "SELECT * FROM doc", Key: []string{"id"}, Updated: "u", Children: children})
	if err != nil {
		t.Fatal(err)
	}
	if got := token(); got.Digest == 0 {
		t.Error("got an unknown token, want that of short rows")
	}
	mariatest.Exec(t, dsn, "UPDATE part SET x = REPEAT('w', 600000), y = x WHERE n = 2")
	if got := token(); got.Digest != 0 {
		t.Errorf("got the token %v with a child that is too long, want an unknown one", got)
	}
}
