package configs

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withHTTP is minimal with an http section in front.
func withHTTP(section string) string { return "http:\n" + section + minimal }

// writePair writes a certificate and its key.
func writePair(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"search.example"}}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestCertificateMustMatchItsPrivateKey(t *testing.T) {
	dir := t.TempDir()
	cert, key := writePair(t, dir, "a")
	_, other := writePair(t, dir, "b")
	open := filepath.Join(dir, "open.key")
	if err := os.Link(other, open); err != nil {
		t.Fatal(err)
	}
	section := func(cert, key string) string {
		return withHTTP("  listen: 0.0.0.0:7700\n  tokens: {ops: {token: " + secret + ", admin: true}}\n  tls: {cert_file: " + cert + ", key_file: " + key + "}\n")
	}
	c := mustParse(t, section(cert, key))
	if c.HTTP.TLS.Pair == nil || c.HTTP.TLS.Pair.Leaf.DNSNames[0] != "search.example" {
		t.Errorf("got %+v, want the certificate of %s", c.HTTP.TLS.Pair, cert)
	}
	for name, test := range map[string]struct {
		cert, key string
		mode      os.FileMode
		want      string // "" for none
	}{
		"a group may read the key": {cert, key, 0o640, ""},
		"other users may read it":  {cert, key, 0o644, "http.tls.key_file: file is readable by users other than its owner and group"},
		"another key":              {cert, other, 0o600, "http.tls.cert_file: certificate does not match key_file (private key does not match public key)"},
		"exchanged":                {key, cert, 0o600, "http.tls.cert_file: certificate does not match key_file"},
		"no such key":              {cert, key + "s", 0, "http.tls.key_file: file can't be read: no such file or directory"},
	} {
		if test.mode != 0 {
			if err := os.Chmod(test.key, test.mode); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Parse("x.yaml", []byte(section(test.cert, test.key)), environment)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// An address that other machines reach needs a certificate, or a proxy that has one.
func TestProxyEndsTLS(t *testing.T) {
	c := mustParse(t, withHTTP("  listen: 0.0.0.0:7700\n  tokens: {ops: {token: "+secret+", admin: true}}\n  tls: {ended_by_proxy: true}\n"))
	if !c.HTTP.TLS.EndedByProxy || c.HTTP.TLS.Pair != nil {
		t.Errorf("got %+v, want TLS that a proxy ends", c.HTTP.TLS)
	}
}

// A key of signed tokens is a secret, or a public key in PEM.
func TestSigningKeys(t *testing.T) {
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "public.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	const long = "0123456789abcdef0123456789abcdef"
	c := mustParse(t, withHTTP("  tokens: {ops: {token: "+secret+", admin: true}}\n  origins: [https://shop.example, \"http://localhost:3000\"]\n  signed_tokens: {shop: {key: "+long+"}, app: {key_file: "+file+"}}\n"))
	if k := c.HTTP.Signed; len(k) != 2 || k[0].Secret != long || !k[1].Public.Equal(public) || strings.Contains(fmt.Sprintf("%v %#v", k, k), long) {
		t.Errorf("got %v, want the secret and the public key, and none of them printed", k)
	}
	cert, _ := writePair(t, t.TempDir(), "a")
	_, err = Parse("x.yaml", []byte(withHTTP("  tokens: {ops: {token: "+secret+", admin: true}}\n  signed_tokens: {app: {key_file: "+cert+"}}\n")), environment)
	if err == nil || !strings.Contains(err.Error(), "http.signed_tokens.app.key_file: no Ed25519 public key") {
		t.Errorf("a certificate: got %v, want an error", err)
	}
}

func TestTrustedProxiesAreAddressesOrNetworks(t *testing.T) {
	c := mustParse(t, withHTTP("  trusted_proxies: [10.0.0.7, 10.1.2.3/16, \"2001:db8::1\", \"::ffff:10.0.0.9\"]\n"))
	if got, want := fmt.Sprint(c.HTTP.TrustedProxies), "[10.0.0.7/32 10.1.0.0/16 2001:db8::1/128 10.0.0.9/32]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
