package dialect

import (
	"io"
	"net"
	"testing"
)

// A server that speaks first is told by its greeting, PostgreSQL by its answer.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
		want  string
	}{
		{"MySQL", func(c net.Conn) { _, _ = c.Write([]byte("\x4a\x00\x00\x00\x0a8.0.36\x00")) }, "a MySQL or MariaDB server"},
		{"MariaDB that refuses the host", func(c net.Conn) { _, _ = c.Write([]byte("\x45\x00\x00\x00\xff\x6a\x04Host")) }, "a MySQL or MariaDB server"},
		{"SSH", func(c net.Conn) { _, _ = c.Write([]byte("SSH-2.0-OpenSSH_9.2\r\n")) }, "an SSH server"},
		{"PostgreSQL", func(c net.Conn) {
			if _, err := io.ReadFull(c, make([]byte, len(sslRequest))); err == nil {
				_, _ = c.Write([]byte("N"))
			}
		}, "a PostgreSQL server"},
		{"another that greets", func(c net.Conn) { _, _ = c.Write([]byte("220 mail ESMTP\r\n")) }, ""},
		{"another that waits", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, ""},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			if conn, err := l.Accept(); err == nil {
				defer conn.Close()
				c.serve(conn)
			}
		}()
		if got := Answers(t.Context(), l.Addr().String()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Answers(t.Context(), "127.0.0.1:1"); got != "" {
		t.Errorf("nobody: got %q, want none", got)
	}
}
