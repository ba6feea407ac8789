package datadir

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"indexerd/configs"
)

// A Holder is the daemon that has a data directory open, as it describes itself
// in the lock file.
type Holder struct {
	PID  string
	Base string // the URL where this machine reaches it
	pin  string // the hash of the certificate that it shows, with pinPrefix; "" without TLS
}

// NewHolder describes this process, which answers at a URL and shows a certificate, or none.
func NewHolder(base string, shows *tls.Certificate) Holder {
	return Holder{strconv.Itoa(os.Getpid()), base, pinOf(shows)}
}

// ErrOtherCertificate is the error of a connection to a server that is not the
// holder.
var ErrOtherCertificate = errors.New("it shows another certificate than its lock file names")

const pinPrefix = "sha256 "

// FindHolder reads the lock file. A process that has the directory and does not
// serve, such as a restore, is an error.
func FindHolder(cfg *configs.Config) (Holder, error) {
	content, err := os.ReadFile(LockFile(cfg))
	if err != nil {
		return Holder{}, fmt.Errorf("find the daemon: %w", err)
	}
	h, ok := parseHolder(string(content))
	if !ok {
		return Holder{}, fmt.Errorf("%s is in use by a process that does not answer requests: try again", cfg.Data)
	}
	return h, nil
}

// TLS accepts the certificate that the lock file names and no other. Names and
// signatures of the certificate do not matter.
func (h Holder) TLS() *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, // of names and authorities; VerifyConnection compares the certificate
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || pinOf(&tls.Certificate{Certificate: [][]byte{s.PeerCertificates[0].Raw}}) != h.pin {
				return ErrOtherCertificate
			}
			return nil
		},
	}
}

// String is the content of the lock file.
func (h Holder) String() string {
	return strings.TrimRight(fmt.Sprintf("%s %s\n%s", h.PID, h.Base, h.pin), "\n") + "\n"
}

func parseHolder(content string) (h Holder, ok bool) {
	first, second, _ := strings.Cut(strings.TrimSpace(content), "\n")
	h.PID, h.Base, ok = strings.Cut(first, " ")
	if strings.HasPrefix(second, pinPrefix) {
		h.pin = second
	}
	return h, ok
}

// pinOf returns the hash of a certificate; "" without one.
func pinOf(pair *tls.Certificate) string {
	if pair == nil {
		return ""
	}
	return fmt.Sprintf("%s%x", pinPrefix, sha256.Sum256(pair.Certificate[0]))
}
