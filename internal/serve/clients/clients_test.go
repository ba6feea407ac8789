package clients

import (
	"net/netip"
	"testing"
)

func TestClientReadsForwardedForOfTrustedProxiesOnly(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:1::1/128")}
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		want         string
	}{
		{"IPv4", "192.0.2.1:1234", nil, "192.0.2.1/32"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.1]:1234", nil, "192.0.2.1/32"},
		{"IPv6", "[2001:db8::1:2:3:4]:1234", nil, "2001:db8::/64"},
		{"IPv6 with a zone", "[fe80::1%eth0]:1234", nil, "fe80::/64"},
		{"untrusted proxy", "192.0.2.1:1", []string{"198.51.100.7"}, "192.0.2.1/32"},
		{"trusted proxy", "10.0.0.7:1", []string{"198.51.100.7"}, "198.51.100.7/32"},
		{"trusted IPv6 proxy", "[2001:db8:1::1]:1", []string{"2001:db8:5:6::7"}, "2001:db8:5:6::/64"},
		{"forged first address", "10.0.0.7:1", []string{"203.0.113.9, 198.51.100.7"}, "198.51.100.7/32"},
		{"forged first header", "10.0.0.7:1", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7/32"},
		{"two proxies", "10.0.0.7:1", []string{"198.51.100.7, 10.0.0.8"}, "198.51.100.7/32"},
		{"only proxies", "10.0.0.7:1", []string{"10.0.0.9, 10.0.0.8"}, "10.0.0.9/32"},
		{"no header", "10.0.0.7:1", nil, "10.0.0.7/32"},
		{"not an address", "10.0.0.7:1", []string{"198.51.100.7, unknown"}, "10.0.0.7/32"},
		{"with a port", "10.0.0.7:1", []string{"198.51.100.7:80"}, "198.51.100.7/32"},
		{"in-process call", "", nil, "invalid Prefix"},
	} {
		if got := proxies.Client(c.remote, c.forwarded).String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
