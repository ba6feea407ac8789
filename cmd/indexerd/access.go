package main

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"

	"indexerd/configs"
	"indexerd/internal/httpapi"
	"indexerd/internal/search"
)

// access is whom a configuration has the daemon answer.
func access(h configs.HTTP, address, own string) httpapi.Access {
	a := httpapi.Access{Listen: address, Proxies: h.TrustedProxies}
	if h.TLS.Pair != nil {
		a.Certificate = h.TLS.Pair.Leaf
	}
	for _, t := range h.Tokens {
		a.Tokens = append(a.Tokens, httpapi.Token{Secret: t.Secret, Caller: search.Caller{Admin: t.Admin, Groups: t.Groups}})
	}
	if a.Tokens != nil {
		a.Tokens = append(a.Tokens, httpapi.Token{Secret: own, Caller: search.Caller{Admin: true}})
	}
	return a
}

// warnOpen says that groups restrict nobody, where a configuration looks as if
// they did.
func warnOpen(cfg *configs.Config, log *slog.Logger) {
	guarded := slices.ContainsFunc(cfg.Tables, func(t configs.Table) bool { return t.ACL != "" })
	if guarded && len(cfg.HTTP.Tokens) == 0 {
		log.Warn("indexerd shows every document to every user of this machine", "why", "tables have an acl, and nobody needs a token",
			"do", "describe who may ask in http.tokens")
	}
}

// baseURL is where this machine reaches an address that is listened on.
func baseURL(address string, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if host, port, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return scheme + address
}

// A pin is the hash of the certificate that a daemon shows. The daemon writes it
// into its lock file, where commands find the address too: so they know it
// whatever names the certificate has and whoever vouches for it.
type pin string

const pinPrefix = "sha256 "

// pinOf is the pin of a certificate; empty without one.
func pinOf(pair *tls.Certificate) pin {
	if pair == nil {
		return ""
	}
	return pin(fmt.Sprintf("%s%x", pinPrefix, sha256.Sum256(pair.Certificate[0])))
}

var errOtherCertificate = errors.New("it shows another certificate than its lock file names")

// config accepts the certificate of the pin and no other.
func (p pin) config() *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, // of names and authorities; VerifyConnection says what counts
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || pinOf(&tls.Certificate{Certificate: [][]byte{s.PeerCertificates[0].Raw}}) != p {
				return errOtherCertificate
			}
			return nil
		},
	}
}

// holder is what a lock file says of the daemon that holds it.
func holder(pid int, base string, p pin) string {
	return strings.TrimRight(fmt.Sprintf("%d %s\n%s", pid, base, p), "\n") + "\n"
}

// parseHolder reads what holder wrote.
func parseHolder(content string) (pid, base string, p pin, ok bool) {
	first, second, _ := strings.Cut(strings.TrimSpace(content), "\n")
	pid, base, ok = strings.Cut(first, " ")
	if strings.HasPrefix(second, pinPrefix) {
		p = pin(second)
	}
	return pid, base, p, ok
}
