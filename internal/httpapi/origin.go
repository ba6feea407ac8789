package httpapi

import (
	"net"
	"net/http"
	"net/url"
)

// checkOrigin refuses requests that a web page made a browser send: those with
// a Host that is not this server's (a name that was made to resolve here), and
// those with the Origin of another page. Calls in process have neither.
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
		next.ServeHTTP(w, r)
	})
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
