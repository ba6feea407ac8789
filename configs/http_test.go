package configs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// secret is a token of the right length, with the canary in it.
const secret = canary + "-0123456789"

// withHTTP is minimal with an http section in front.
func withHTTP(section string) string { return "http:\n" + section + minimal }

func TestTokens(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "sales")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := mustParse(t, withHTTP("  tokens:\n    ops: {token: 0123456789abcdef, admin: true}\n    sales: {token_file: "+file+"}\n"))
	ops, sales := c.HTTP.Tokens[0], c.HTTP.Tokens[1]
	if ops.Name != "ops" || ops.Secret != "0123456789abcdef" || !ops.Admin {
		t.Errorf("ops: got %+v %q admin %t", ops, ops.Secret, ops.Admin)
	}
	if sales.Secret != secret || sales.Admin || len(sales.Groups) != 0 {
		t.Errorf("sales: got %q admin %t groups %v, want the file's line and no rights", sales.Secret, sales.Admin, sales.Groups)
	}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{fmt.Sprintf("%v", c.HTTP), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c.HTTP.Tokens), string(asJSON)} {
		if strings.Contains(got, canary) || !strings.Contains(got, "sales") {
			t.Errorf("got %s, want the token's name and not the token", got)
		}
	}
}

func TestTokenFileIsItsOwnersAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	got := parseFault(t, withHTTP("  tokens: {ops: {token_file: "+file+", admin: true}}\n"))
	if want := "http.tokens.ops.token_file: others than its owner can read it"; !strings.Contains(got, want) || strings.Contains(got, canary) {
		t.Errorf("got %s, want %s", got, want)
	}
}

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

func TestTLS(t *testing.T) {
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
		"everyone may":             {cert, key, 0o644, "http.tls.key_file: others than its owner and group can read it"},
		"another key":              {cert, other, 0o600, "http.tls.cert_file: no pair with key_file (private key does not match public key)"},
		"the wrong way round":      {key, cert, 0o600, "http.tls.cert_file: no pair with key_file"},
		"no such key":              {cert, key + "s", 0, "http.tls.key_file: can't be read: no such file or directory"},
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

// Who asks a daemon, or reads the databases, need not know the tokens.
func TestAskersNeedNoTokens(t *testing.T) {
	const section = "  tokens: {ops: {token: \"${NOT_SET}\", admin: true}, sales: {token_file: /no/such/file}}\n" +
		"  tls: {cert_file: \"${NOT_SET}/cert.pem\", key_file: /no/such/key}\n"
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(withHTTP(section)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, environment); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Fatalf("Load: got %v, want 3 faults", err)
	}
	c, err := LoadWithoutTokens(file, environment)
	if err != nil || c.Sources[0].DSN == "" {
		t.Errorf("LoadWithoutTokens: got %v, want no fault and the DSN", err)
	}
	if c, err = LoadWithoutSecrets(file, environment); err != nil || c.Sources[0].DSN != "" {
		t.Errorf("LoadWithoutSecrets: got %v, want no fault and no DSN", err)
	}
	if err := os.WriteFile(file, []byte(withHTTP("  listen: 0.0.0.0:7700\n"+section)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadWithoutSecrets(file, environment); err != nil {
		t.Errorf("another address, with tokens and TLS: got %v, want no fault", err)
	}
	if err := os.WriteFile(file, []byte(withHTTP("  tokens: {ops: {token: "+secret+", admin: true}}\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err = LoadWithoutSecrets(file, environment); err != nil || c.HTTP.Tokens[0].Secret != "" {
		t.Errorf("a token that is there: got %v, want it left out", err)
	}
}

func TestTrustedProxies(t *testing.T) {
	c := mustParse(t, withHTTP("  trusted_proxies: [10.0.0.7, 10.1.2.3/16, \"2001:db8::1\", \"::ffff:10.0.0.9\"]\n"))
	if got, want := fmt.Sprint(c.HTTP.TrustedProxies), "[10.0.0.7/32 10.1.0.0/16 2001:db8::1/128 10.0.0.9/32]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
