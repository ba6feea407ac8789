package dialect

import (
	"crypto/x509"
	"errors"
	"net"
)

// Unreachable returns what an error of the network or of TLS means, and what to do; "" if
// it is another error, or one that is no matter of the address.
func Unreachable(err error) (what, do string) {
	var op *net.OpError
	isOp := errors.As(err, &op)
	switch {
	case errors.As(err, new(*net.DNSError)):
		return "no such host", "correct the host of the address"
	case errors.As(err, new(x509.HostnameError)):
		return "the server's certificate has another name than the host", "write the host as the certificate has it"
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return "the authority of the server's certificate is not known", "name the file of its certificate"
	case errors.As(err, new(x509.CertificateInvalidError)):
		return "the server's certificate is not valid", "renew it"
	case isOp && op.Op == "dial" && op.Timeout():
		return "the server did not answer in time", "correct host and port, or let the firewall pass them"
	case isOp && op.Op == "dial":
		return OneLine(innermost(op).Error()), "start the database, or correct host and port"
	case isOp && op.Timeout():
		return "the server did not answer in time", "see whether the database is at this port, and how busy it is"
	}
	return "", ""
}

// innermost returns the error of the operating system, such as connection refused.
func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}
