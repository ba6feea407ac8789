package httpapi

import (
	"net"
	"net/http"
	"net/url"
)

// checkOrigin refuses requests that a web page made a browser send: those with
// a Host that is not this server's (a name that was made to resolve here), and
// those with the Origin of another page. host is empty for calls in process,
// which have neither.
func checkOrigin(host string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host != "" && !knownHost(r.Host, host) {
			fail(w, &Error{http.StatusForbidden, "forbidden", "this server is not " + r.Host, "use the address it prints"})
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" && !sameOrigin(origin, r.Host) {
			fail(w, &Error{http.StatusForbidden, "forbidden", "requests from the page " + origin + " are not answered", "ask without a browser, or from this server's own pages"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost accepts the address listened on, and every loopback address or
// "localhost" with its port.
func knownHost(got, listen string) bool {
	if got == listen {
		return true
	}
	name, port, err := net.SplitHostPort(got)
	if err != nil {
		name, port = got, "80"
	}
	_, listenPort, err := net.SplitHostPort(listen)
	if err != nil || port != listenPort {
		return false
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host == host
}
