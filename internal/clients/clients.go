// Package clients shares a server between the addresses that use it: its
// connections (Listener), and the delays of answers to wrong tokens
// (Failures).
//
// A client is an IPv4 address or the /64 network of an IPv6 address, because
// one machine usually owns a whole /64. A trusted proxy speaks for many
// clients: Proxies finds the client in its X-Forwarded-For.
//
// Invariant: memory is bounded by the limits that are given, whatever clients
// send and however many there are.
package clients

import (
	"net"
	"net/netip"
	"strings"
)

// Of returns the client of an address; the zero Prefix where it is no IP
// address, as for calls in process.
func Of(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	client, err := addr.Prefix(bits)
	if err != nil { // the zero Addr
		return netip.Prefix{}
	}
	return client
}

// Proxies are the networks whose X-Forwarded-For is believed.
type Proxies []netip.Prefix

// Contains reports whether an address is a trusted proxy's.
func (p Proxies) Contains(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, network := range p {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}

// Client returns the client of a request by its remote address and the values
// of X-Forwarded-For. Each proxy appends the address that it was called from,
// so the client is the last one that is no trusted proxy: what stands before
// it can be made up.
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

// parse reads an address with or without a port.
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
