package h2test

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// TestFailingValue has a value that the driver can't convert, before the end of the
// answer: the connection stays in step.
func TestFailingValue(t *testing.T) {
	odd := errors.New("no such value")
	db := New(t, Vendor{
		Mode: "Oracle", Rewrite: func(sql string) string { return sql },
		Type: func(kind string, _, scale int) (string, int) { return kind, scale },
		Value: func(_ string, text []byte) (driver.Value, error) {
			if string(text) == "2" {
				return nil, odd
			}
			return string(text), nil
		},
		Fault: func(code int, text string) error { return fmt.Errorf("%s (%d)", text, code) },
	})
	pool := sql.OpenDB(db.Connector())
	defer pool.Close()
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	rows, err := conn.QueryContext(t.Context(), "SELECT X, 7 FROM SYSTEM_RANGE(1, 3)")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		n++
	}
	if err := rows.Err(); n != 1 || !errors.Is(err, odd) {
		t.Errorf("got %d rows, %v, want one and the value's error", n, err)
	}
	var got string
	if err := conn.QueryRowContext(t.Context(), "SELECT 'next'").Scan(&got); err != nil || got != "next" {
		t.Errorf("got %q, %v after it, want the answer to the next statement", got, err)
	}
}
