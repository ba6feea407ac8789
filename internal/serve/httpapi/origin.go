package httpapi

import (
	"net"
	"net/http"
	"net/url"
)

// checkOrigin rejects requests that a page of another site made a browser send.
// It checks three headers: Host, against names that an attacker resolves to this
// server, Origin and Sec-Fetch-Site. Calls in process have none of them. Pages of some
// other sites may search, see admitsPage.
func (a Access) checkOrigin(mux *http.ServeMux, searching map[string]bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Listen != "" && !a.AnyHost && !a.isOwn(r) {
			writeError(w, &Error{http.StatusForbidden, "forbidden", "this server is not " + r.Host, "use the address that the daemon prints, or a name of its certificate"})
			return
		}
		if a.admitsPage(r, mux, searching) {
			if !admit(w, r) {
				next.ServeHTTP(w, r)
			}
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			writeError(w, &Error{http.StatusForbidden, "forbidden", "requests from " + origin + " are not allowed", "use this server's own pages, or no browser"})
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); fromOtherSite(site) && !opensDashboard(r) {
			writeError(w, &Error{http.StatusForbidden, "forbidden", "requests from pages of other sites are not allowed", "use this server's own pages, or no browser"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromOtherSite reports whether a request with this Sec-Fetch-Site comes from a
// page of another server. same-site is one of those: another port or another
// subdomain. none means that a user typed the address. Clients other than
// browsers do not send the header.
func fromOtherSite(site string) bool { return site != "" && site != "same-origin" && site != "none" }

// opensDashboard reports whether a request follows a link to the dashboard. The
// page shows nothing until its own requests are answered.
func opensDashboard(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOwn reports whether Host is this server: its listen address, the address of
// the connection, a loopback address or "localhost" with the listen port, or a
// name of the certificate with any port. An attacker who resolves a name of the
// certificate to another server can't present the certificate.
func (a Access) isOwn(r *http.Request) bool {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = r.Host, "80"
		if r.TLS != nil {
			port = "443"
		}
	}
	if a.Certificate != nil && a.Certificate.VerifyHostname(name) == nil {
		return true
	}
	host := net.JoinHostPort(name, port)
	if to, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && host == to.String() || host == a.Listen {
		return true
	}
	_, listenPort, err := net.SplitHostPort(a.Listen)
	ip := net.ParseIP(name)
	return err == nil && port == listenPort && (name == "localhost" || ip != nil && ip.IsLoopback())
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host
}
