package stdsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
)

func TestErrorsAreClassifiedOnce(t *testing.T) {
	known := fmt.Errorf("read: %w", &dialect.Fault{Text: "known"})
	for _, err := range []error{nil, known, doc.ErrChangedResult, context.Canceled, fmt.Errorf("read: %w", context.DeadlineExceeded)} {
		if got := Fault(err, func(error) error { return errors.New("classified") }); got != err {
			t.Errorf("got %v, want %v as it is", got, err)
		}
	}
	if got := Fault(driver.ErrBadConn, func(error) error { return known }); got != known {
		t.Errorf("got %v, want %v", got, known)
	}
}

// An error of the network names the database's host, which messages do not show.
func TestUnreachable(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 4711}, Err: &net.DNSError{Err: "no such host", Name: "secret"}}, "no such host"},
		{&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{Port: 4711}, Err: errors.New("connection\nrefused")}, "connection refused"},
		{&net.OpError{Op: "dial", Err: context.DeadlineExceeded}, "the server did not answer in time"},
		{fmt.Errorf("read: %w", driver.ErrBadConn), "the connection was lost"},
		{errors.New("x509: certificate has expired"), "x509: certificate has expired"},
	} {
		if f := (&Faults{Of: func(error) (n Numbered, ok bool) { return n, false }}).Classify(c.err); f.Text != c.want || f.Subject != dialect.AboutServer {
			t.Errorf("%v: got %+v, want %q about the server", c.err, f, c.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	reasons := map[string]string{"942": "GRANT it"}
	if got := Refusal(fmt.Errorf("look: %w", &dialect.Fault{Code: "942"}), reasons); got != horizon.Refused("GRANT it") {
		t.Errorf("got %v, want the reason", got)
	}
	for _, err := range []error{nil, &dialect.Fault{Code: "54"}, &dialect.Fault{}} {
		if got := Refusal(err, reasons); got != err {
			t.Errorf("got %v, want %v as it is", got, err)
		}
	}
}

func TestRawValues(t *testing.T) {
	buffer := []byte("ab")
	for _, c := range []struct {
		from   any
		binary bool
		want   any
	}{
		{nil, false, nil}, {int64(5), false, int64(5)}, {buffer, false, "ab"}, {buffer, true, []byte("ab")}, {float32(0.1), false, 0.1},
		{uint64(math.MaxInt64), false, int64(math.MaxInt64)}, {uint64(math.MaxUint64), false, "18446744073709551615"},
	} {
		var got any
		if err := Raw(&got, c.binary).Scan(c.from); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: got %#v, %v, want %#v", c.from, got, err, c.want)
		}
		if b, ok := got.([]byte); ok && &b[0] == &buffer[0] {
			t.Error("the bytes are the driver's, which writes others into them")
		}
	}
}
