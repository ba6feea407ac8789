package httpapi

import (
	"net"
	"net/http"
	"net/url"
)

// checkOrigin refuses requests that a web page made a browser send: those with
// a Host that is not this server's (a name that was made to resolve here),
// those with the Origin of another page, and those that the browser says another
// site began. Calls in process have none of the three.
func (a Access) checkOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Listen != "" && !a.isOwn(r) {
			fail(w, &Error{http.StatusForbidden, "forbidden", "this server is not " + r.Host, "use the address it prints, or a name of its certificate"})
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			fail(w, &Error{http.StatusForbidden, "forbidden", "requests from the page " + origin + " are not answered", "ask without a browser, or from this server's own pages"})
			return
		}
		if site := r.Header.Get("Sec-Fetch-Site"); fromOtherSite(site) && !opensDashboard(r) {
			fail(w, &Error{http.StatusForbidden, "forbidden", "requests that a page of another site begins are not answered", "ask without a browser, or from this server's own pages"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// fromOtherSite reports whether Sec-Fetch-Site names another page than this
// server's own. same-site is another port or a neighbouring name, which is
// another server. none is what a person typed; other clients than browsers send
// no such header.
func fromOtherSite(site string) bool { return site != "" && site != "same-origin" && site != "none" }

// opensDashboard reports whether a request follows a link to the dashboard,
// which then asks by itself, from its own page.
func opensDashboard(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isOwn accepts as Host the address listened on, the one that the connection
// came to, every loopback address or "localhost" with the port listened on,
// and every name of the certificate: whoever leads such a name elsewhere can't
// show the certificate. A port in front of this one may be another.
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
