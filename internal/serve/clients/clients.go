// Package clients shares a server between its clients: Listener limits their
// connections, Failures delays the answers to wrong tokens.
//
// A client is an IPv4 address or the /64 network of an IPv6 address, because
// one machine usually owns a whole /64. Requests of many clients may come
// through one trusted proxy; Proxies reads the client from X-Forwarded-For.
//
// Memory is bounded by the configured limits, whatever clients send and however
// many there are.
package clients

import (
	"net"
	"net/netip"
	"strings"
)

// Of returns the client that an address belongs to. It returns the zero Prefix
// for the zero Addr, which in-process calls have.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	client, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return client
}

// Proxies are the networks of trusted proxies. X-Forwarded-For is ignored in
// requests from other addresses.
type Proxies []netip.Prefix

// Contains reports whether addr is the address of a trusted proxy.
func (p Proxies) Contains(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// Client returns the client of a request from its remote address and the values
// of X-Forwarded-For. Each proxy appends the address that called it, so the
// client is the last address that is not a trusted proxy. Addresses before that
// one may be forged.
func (p Proxies) Client(remote string, forwarded []string) netip.Prefix {
	addr := parse(remote)
	if !p.Contains(addr) {
		return Of(addr)
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0 && p.Contains(addr); i-- {
		hop := parse(strings.TrimSpace(hops[i]))
		if !hop.IsValid() {
			break
		}
		addr = hop
	}
	return Of(addr)
}

// parse reads an address with or without a port. It returns the zero Addr for
// anything else.
func parse(s string) netip.Addr {
	if host, _, err := net.SplitHostPort(s); err == nil {
		s = host
	}
	addr, err := netip.ParseAddr(strings.Trim(s, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return addr
}
