package front

import (
	"log/slog"
	"net"
	"slices"

	"indexerd/configs"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/signed"
)

// access returns which callers a configuration admits.
func access(h configs.HTTP, address, own string) httpapi.Access {
	a := httpapi.Access{Listen: address, Proxies: h.TrustedProxies, AnyHost: h.TLS.EndedByProxy}
	if h.TLS.Pair != nil {
		a.Certificate = h.TLS.Pair.Leaf
	}
	for _, t := range h.Tokens {
		a.Tokens = append(a.Tokens, httpapi.Token{Secret: t.Secret, Caller: search.Caller{Admin: t.Admin, Groups: t.Groups}})
	}
	if a.Tokens != nil {
		a.Tokens = append(a.Tokens, httpapi.Token{Secret: own, Caller: search.Caller{Admin: true}})
	}
	for _, k := range h.Signed {
		key := signed.Secret(k.Name, k.Secret)
		if k.Public != nil {
			key = signed.Public(k.Name, k.Public)
		}
		a.Keys = append(a.Keys, key)
	}
	a.Origins = h.Origins
	return a
}

// WarnOpen logs that groups restrict no caller, where a configuration has groups
// and no tokens.
func WarnOpen(cfg *configs.Config, log *slog.Logger) {
	guarded := slices.ContainsFunc(cfg.Tables, func(t configs.Table) bool { return t.ACL != "" })
	if guarded && len(cfg.HTTP.Tokens) == 0 {
		log.Warn("indexerd shows every document to every user of this machine", "why", "tables have an acl, and no token is required",
			"do", "describe who may ask in http.tokens")
	}
}

// URL is where this machine reaches an address that is listened on.
func URL(address string, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	if host, port, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).IsUnspecified() {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return scheme + address
}
