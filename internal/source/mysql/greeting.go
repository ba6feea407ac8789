package mysql

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// greetingTimeout is how long a server may be silent after a connection is made. MySQL
// and MariaDB speak first, at once.
const greetingTimeout = 5 * time.Second

// errSilent is the error of a server that does not speak first, as PostgreSQL's.
var errSilent = errors.New("the server does not speak first, as MySQL and MariaDB do")

// dial connects to a server and waits until it greets. The greeting is still to be read.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if err := greets(conn); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func greets(conn net.Conn) error {
	raw, err := conn.(syscall.Conn).SyscallConn() // a *net.TCPConn or *net.UnixConn
	if err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(greetingTimeout)); err != nil {
		return err
	}
	var first [1]byte
	err = raw.Read(func(fd uintptr) bool {
		_, _, err := syscall.Recvfrom(int(fd), first[:], syscall.MSG_PEEK)
		return !errors.Is(err, syscall.EAGAIN)
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSilent
	}
	return errors.Join(err, conn.SetReadDeadline(time.Time{}))
}
