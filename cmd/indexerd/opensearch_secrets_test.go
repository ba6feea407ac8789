package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/tool/inspect"
)

// A guardedCluster is a real node behind a TLS server that asks for credentials, as the
// security plugin does.
type guardedCluster struct {
	*clustered
	tls     *httptest.Server
	accepts atomic.Value // the Authorization header that is accepted, a string
	answer  atomic.Value // what is answered to everything: a func(http.ResponseWriter, *http.Request), nil for the node's answers
	refused atomic.Int64 // requests
}

const clusterUser = "indexer"

func newGuardedCluster(t *testing.T) *guardedCluster {
	t.Helper()
	g := &guardedCluster{clustered: newClustered(t)}
	g.accepts.Store("Basic " + base64.StdEncoding.EncodeToString([]byte(clusterUser+":"+canary)))
	g.answers(nil)
	to, err := url.Parse(g.node)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	g.tls = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if instead := g.answer.Load().(func(http.ResponseWriter, *http.Request)); instead != nil {
			instead(w, r)
			return
		}
		if r.Header.Get("Authorization") != g.accepts.Load() {
			g.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"type":"security_exception","reason":"unable to authenticate %s"}}`, r.Header.Get("Authorization"))
			return
		}
		r.Header.Del("Authorization") // the node has no plugin
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(g.tls.Close)
	g.url = g.tls.URL
	return g
}

// answers makes the cluster answer to everything in place of the node; nil: no more.
func (g *guardedCluster) answers(f func(http.ResponseWriter, *http.Request)) { g.answer.Store(f) }

// secured is a configuration with more keys of index.
func (g *guardedCluster) secured(t *testing.T, keys string) string {
	t.Helper()
	file := g.configure(t, "data", "metadata: {kind: keyword}, ")
	rewrite(t, file, "replicas: 0}", "replicas: 0"+keys+"}")
	return file
}

// own writes a file that only its owner can read.
func (g *guardedCluster) own(t *testing.T, name, content string) string {
	t.Helper()
	file := filepath.Join(g.dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ca is the certificate of a server, as a file.
func (g *guardedCluster) ca(t *testing.T, of *httptest.Server) string {
	t.Helper()
	return g.own(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: of.Certificate().Raw})))
}

// clusterFindings returns what check says of the cluster.
func clusterFindings(t *testing.T, file string) string {
	t.Helper()
	out, stderr, _ := ask(t, "check", "--json", "-c", file)
	var report inspect.Findings
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("check: %v: %s%s", err, out, stderr)
	}
	var all []string
	for _, f := range report.Findings {
		if strings.HasPrefix(f.Path, "index.url") || strings.HasPrefix(f.Path, "index.user") {
			all = append(all, f.Code+": "+f.What)
		}
	}
	return strings.Join(all, "; ")
}

// otherCA is a certificate that signs no server.
func otherCA(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// check connects only to a server that the CA has signed, with the right credentials, and
// follows no redirect.
func TestOpenSearchCredentials(t *testing.T) {
	t.Parallel()
	g := newGuardedCluster(t)
	right := ", ca_file: " + g.ca(t, g.tls)
	password := g.own(t, "password", canary+"\n")
	basic := ", user: " + clusterUser + ", password_file: " + password
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	key := base64.StdEncoding.EncodeToString([]byte("id:" + canary))
	toOther := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}
	for _, test := range []struct {
		name, keys, accepts string
		answer              func(http.ResponseWriter, *http.Request)
		want                string
	}{
		{"the right CA and password", right + basic, "", nil, "index: OpenSearch "},
		{"the right CA and API key", right + ", api_key_file: " + g.own(t, "key", key), "ApiKey " + key, nil, "index: OpenSearch "},
		{"no CA", basic, "", nil, "index_unreachable: "},
		{"another CA", ", ca_file: " + g.own(t, "other.pem", otherCA(t)) + basic, "", nil, "certificate"},
		{"a wrong password", right + ", user: " + clusterUser + ", password_file: " + g.own(t, "wrong", "not it"), "", nil, "status 401 security_exception"},
		{"a wrong API key", right + ", api_key_file: " + g.own(t, "wrongkey", "bm90Oml0"), "", nil, "status 401 security_exception"},
		{"no credentials", right, "", nil, "status 401 security_exception"},
		{"a redirect", right + basic, "", toOther, "redirects"},
	} {
		file := g.secured(t, test.keys)
		accepted := g.accepts.Load()
		if test.accepts != "" {
			g.accepts.Store(test.accepts)
		}
		g.answers(test.answer)
		got := clusterFindings(t, file)
		if !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if strings.Contains(got, canary) || strings.Contains(got, key) {
			t.Errorf("%s: check shows the secret", test.name)
		}
		g.accepts.Store(accepted)
	}
	if elsewhere.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// No credential of the cluster is in any output of a daemon, whose cluster answers, is away,
// refuses the user, forbids everything and redirects.
func TestNoSecretOfTheClusterIsPutOut(t *testing.T) {
	t.Parallel()
	g := newGuardedCluster(t)
	key := base64.StdEncoding.EncodeToString([]byte("id:" + canary))
	encoded := base64.StdEncoding.EncodeToString([]byte(clusterUser + ":" + canary))
	ca := ", ca_file: " + g.ca(t, g.tls)
	mishaps := map[string]func(http.ResponseWriter, *http.Request){
		"is away":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"refuses":      func(w http.ResponseWriter, r *http.Request) { echo(w, r, http.StatusUnauthorized) },
		"forbids":      func(w http.ResponseWriter, r *http.Request) { echo(w, r, http.StatusForbidden) },
		"has an error": func(w http.ResponseWriter, r *http.Request) { echo(w, r, http.StatusInternalServerError) },
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+canary+"@127.0.0.1:1/", http.StatusTemporaryRedirect)
		},
	}
	for name, access := range map[string]struct {
		keys, header, secret string
		suffers              []string
	}{
		"password": {", user: " + clusterUser + ", password_file: " + g.own(t, "password", canary), "Basic " + encoded, encoded, slices.Sorted(maps.Keys(mishaps))},
		"API key":  {", api_key_file: " + g.own(t, "key", key), "ApiKey " + key, key, []string{"refuses"}},
	} {
		m := &miner{t: t, secrets: []string{access.secret}}
		g.accepts.Store(access.header)
		g.answers(nil)
		g.file = g.secured(t, ca+access.keys)
		p := g.loaded(t, "--take-over")
		m.ofItems(p, g.file)
		for _, what := range access.suffers {
			g.answers(mishaps[what])
			g.exec(t, `UPDATE item SET title = 'again', u = unixepoch() WHERE id = 8`) // no word7: the next daemon may find it at once
			p.waitFor(t, name+": the cluster "+what, func(s httpapi.TableStatus) bool { return s.LastError != nil })
			m.asks("status", "-c", g.file)
			m.asks("check", "--json", "-c", g.file)
			m.gets(p, "/metrics", "/api/v1/status", "/api/v1/tables/item/search?q=word7")
		}
		g.answers(nil)
		p.stop(t)
		m.files(filepath.Join(g.dir, "data"))
		m.looks(name+": the log", []byte(p.log.String()))
		if !strings.Contains(p.log.String(), "level=WARN") && !strings.Contains(p.log.String(), "level=ERROR") {
			t.Errorf("%s: nothing failed:\n%s", name, p.log)
		}
	}
}

// echo answers with what a careless proxy may show.
func echo(w http.ResponseWriter, r *http.Request, status int) {
	w.Header().Set("Warning", r.Header.Get("Authorization"))
	w.WriteHeader(status)
	secret := r.Header.Get("Authorization")
	fmt.Fprintf(w, `{"error":{"type":%q,"reason":%q},"status":%d}`, secret+canary, secret, status)
}

// ofItems asks and reads all of the table item.
func (m *miner) ofItems(p *proc, file string) {
	m.t.Helper()
	for _, c := range [][]string{{"status"}, {"status", "--json"}, {"check"}, {"search", "item", "word7"}, {"verify", "--wait", "1s"}, {"explain", "item", "7"}} {
		m.asks(append(c, "-c", file)...)
	}
	m.gets(p, "/healthz", "/readyz", "/metrics", "/api/v1/status", "/api/v1/tables/item/search?q=word7", "/api/v1/tables/item/quarantine",
		"/api/v1/tables/item/history", "/api/v1/tables/item/docs/7", "/api/v1/tables/item/explain/7", "/api/v1/runs/1")
}
