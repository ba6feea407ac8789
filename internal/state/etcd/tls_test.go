package etcd

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"indexerd/internal/test/etcdtest"
)

// encrypted returns the address of a listener that speaks TLS for a server, and the
// certificates that trust it.
func encrypted(t *testing.T, server string) (string, *x509.CertPool) {
	t.Helper()
	keys := httptest.NewTLSServer(nil) // it has a certificate for example.com
	defer keys.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(keys.Certificate())
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: keys.TLS.Certificates, NextProtos: []string{"h2"}, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go pass(client, server)
		}
	}()
	return l.Addr().String(), trusted
}

// pass copies both ways until one side ends.
func pass(client net.Conn, server string) {
	defer client.Close()
	upstream, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer upstream.Close()
	go func() {
		defer upstream.Close()
		_, _ = io.Copy(upstream, client)
	}()
	_, _ = io.Copy(client, upstream)
}

func TestTLS(t *testing.T) {
	t.Parallel()
	address, trusted := encrypted(t, etcdtest.Shared(t))
	config := Config{Endpoints: []string{"https://" + address}, Prefix: prefix(t), TTL: time.Minute, TLS: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}
	c, err := config.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	term := campaign(t, c, "a")
	write(t, term, "mark", "1")
	wantMark(t, c, "1")
	config.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if c, err := config.Open(t.Context()); err == nil {
		_ = c.Close()
		t.Error("an unknown certificate: got no error, want one")
	}
}
