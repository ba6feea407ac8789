package stdsql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"

	"indexerd/internal/doc"
	"indexerd/internal/horizon"
	"indexerd/internal/sqlsource"
)

// Fault converts an error by classify, unless it is nil, the context's, or converted
// already.
func Fault(err error, classify func(error) error) error {
	switch {
	case err == nil, errors.As(err, new(*sqlsource.Fault)), errors.Is(err, doc.ErrChangedResult),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return classify(err)
}

// Unreachable returns the fault of an error of the connection. The text has no address
// and no user.
func Unreachable(err error) *sqlsource.Fault {
	f := &sqlsource.Fault{Subject: sqlsource.AboutServer, Text: sqlsource.OneLine(err.Error())}
	var op *net.OpError
	switch {
	case errors.As(err, new(*net.DNSError)):
		f.Text = "no such host"
	case errors.As(err, &op) && op.Timeout():
		f.Text = "the server did not answer in time"
	case errors.As(err, &op):
		f.Text = sqlsource.OneLine(op.Err.Error())
	case errors.Is(err, driver.ErrBadConn):
		f.Text = "the connection was lost"
	}
	return f
}

// ConnectFault returns the error of a failed connect to an address, by the fault
// that explain makes of it.
func ConnectFault(ctx context.Context, address string, err error, explain func(error) *sqlsource.Fault) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return fmt.Errorf("connect to %s: %w", address, explain(err))
}

// Refusal returns horizon.Refused for a fault with one of these codes, whose texts
// are the reasons; every other error stays as it is.
func Refusal(err error, reasons map[string]string) error {
	var f *sqlsource.Fault
	if errors.As(err, &f) && reasons[f.Code] != "" {
		return horizon.Refused(reasons[f.Code])
	}
	return err
}
