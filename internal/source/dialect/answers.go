package dialect

import (
	"bytes"
	"context"
	"net"
	"time"
)

// answerWithin bounds each step of Answers.
const answerWithin = time.Second

// sslRequest is PostgreSQL's question whether there is TLS, which is answered by one
// letter. See "Message Formats" in PostgreSQL's documentation.
var sslRequest = []byte{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f}

// Answers says what answers at host:port: the article and name of a kind of server; "" if
// nothing does, or it is not known. A person who mistook one database for another then
// sees it. It takes up to 3 s.
func Answers(ctx context.Context, address string) string {
	dialer := net.Dialer{Timeout: answerWithin}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return ""
	}
	defer conn.Close()
	greeting := make([]byte, 8)
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	switch n, _ := conn.Read(greeting); {
	case n > 4 && greeting[3] == 0 && (greeting[4] == 10 || greeting[4] == 0xff): // packet 0: protocol 10, or an error
		return "a MySQL or MariaDB server"
	case bytes.HasPrefix(greeting, []byte("SSH-")):
		return "an SSH server"
	case n > 0:
		return ""
	}
	_ = conn.SetDeadline(time.Now().Add(answerWithin))
	if _, err := conn.Write(sslRequest); err != nil {
		return ""
	}
	if n, _ := conn.Read(greeting[:1]); n == 1 && (greeting[0] == 'S' || greeting[0] == 'N') {
		return "a PostgreSQL server"
	}
	return ""
}
