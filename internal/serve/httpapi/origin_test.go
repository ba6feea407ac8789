package httpapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRequestsOfOtherSitesAreRejected(t *testing.T) {
	const (
		find = "GET /api/v1/tables/film/search?q=x"
		post = "POST /api/v1/tables/film/search"
		page = "GET /"
	)
	for _, c := range []struct {
		name, request string
		header        []string
		status        int
	}{
		{"no browser", find, nil, 200},
		{"localhost", find, []string{"Host", "localhost:7700"}, 200},
		{"IPv6 loopback", find, []string{"Host", "[::1]:7700"}, 200},
		{"name that an attacker resolves to this server", find, []string{"Host", "evil.example:7700"}, 403},
		{"health by that name", "GET /healthz", []string{"Host", "evil.example:7700"}, 403},
		{"another port", find, []string{"Host", "127.0.0.1:80"}, 403},
		{"no port", find, []string{"Host", "localhost"}, 403},

		{"own origin", find, []string{"Origin", "http://127.0.0.1:7700"}, 200},
		{"other origin", find, []string{"Origin", "http://evil.example"}, 403},
		{"other port of this machine", find, []string{"Origin", "http://127.0.0.1:8080"}, 403},
		{"page without an origin", find, []string{"Origin", "null"}, 403},

		{"own page", find, fetch("same-origin", "cors", "empty"), 200},
		{"typed address", find, fetch("none", "navigate", "document"), 200},
		{"image of another site", find, fetch("cross-site", "no-cors", "image"), 403},
		{"script of another site", find, fetch("cross-site", "cors", "empty"), 403},
		{"link of another site", find, fetch("cross-site", "navigate", "document"), 403},
		{"form of another site", post, fetch("cross-site", "navigate", "document"), 403},
		{"image of another port", find, fetch("same-site", "no-cors", "image"), 403},
		{"unknown Sec-Fetch-Site", find, fetch("unknown", "", ""), 403},
		{"health from another site", "GET /healthz", fetch("cross-site", "no-cors", "image"), 403},
		{"link to the dashboard", page, fetch("cross-site", "navigate", "document"), 200},
		{"frame with the dashboard", page, fetch("cross-site", "navigate", "iframe"), 403},
		{"dashboard as an image", page, fetch("cross-site", "no-cors", "image"), 403},
		{"form to the dashboard", "POST /", fetch("cross-site", "navigate", "document"), 403},
		{"file of the dashboard", "GET /web/api.js", fetch("cross-site", "no-cors", "script"), 403},
	} {
		e := &fakeEngine{}
		method, target, _ := strings.Cut(c.request, " ")
		w := serve(e, method, target, "", c.header...)
		if searched, want := e.params.Size > 0, c.status == 200 && c.request == find; w.Code != c.status || searched != want {
			t.Errorf("%s: got %d, searched: %t, want %d and %t: %s", c.name, w.Code, searched, c.status, want, w.Body)
		}
		if c.status == 403 && !strings.HasPrefix(w.Body.String(), `{"error":{"code":"forbidden"`) {
			t.Errorf("%s: got %s, want an error object", c.name, w.Body)
		}
	}
}

// fetch returns the headers that a browser sends with a request.
func fetch(site, mode, dest string) []string {
	return []string{"Sec-Fetch-Site", site, "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest}
}

func TestHostMayBeANameOfTheCertificate(t *testing.T) {
	all := Access{Listen: "[::]:7700", Certificate: &x509.Certificate{
		DNSNames: []string{"search.example", "*.wild.example"}, IPAddresses: []net.IP{net.ParseIP("192.0.2.1"), net.ParseIP("2001:db8::1")},
	}}
	check := func(a Access, host string, want int) {
		t.Helper()
		r := httptest.NewRequest("GET", "/healthz", nil)
		to := &net.TCPAddr{IP: net.ParseIP("198.51.100.7"), Port: 7700}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(to)))
		r.Host, r.TLS = host, &tls.ConnectionState{}
		w := httptest.NewRecorder()
		Handler(&fakeEngine{}, a).ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("Host %q of %s: got %d, want %d: %s", host, a.Listen, w.Code, want, w.Body)
		}
	}
	for host, want := range map[string]int{
		"search.example:7700": 200, "search.example": 200, "SEARCH.example:8443": 200, "a.wild.example": 200, "192.0.2.1:7700": 200, "[2001:db8::1]:7700": 200,
		"[::]:7700": 200, "localhost:7700": 200, "127.0.0.1:7700": 200, "198.51.100.7:7700": 200,
		"evil.example:7700": 403, "search.example.evil.example": 403, "a.b.wild.example": 403, "192.0.2.2:7700": 403, "198.51.100.7:443": 403, "": 403,
		"localhost": 403, "localhost:443": 403,
	} {
		check(all, host, want)
	}
	check(Access{Listen: "[::]:443"}, "localhost", 200) // the port may be omitted
	check(Access{Listen: "[::]:7700", AnyHost: true}, "search.example", 200)
	check(Access{Listen: "[::]:7700"}, "search.example", 403)
}
