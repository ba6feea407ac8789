package configs

import (
	"crypto/tls"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minSecret is how many characters a token has at least: as many as keep it
// from being guessed, if they are random.
const minSecret = 16

func (r *reader) checkHTTP() {
	r.checkTLS()
	r.checkListen()
	r.checkProxies()
	seen := map[string]string{}
	for i := range r.config.HTTP.Tokens {
		r.checkToken(&r.config.HTTP.Tokens[i], seen)
	}
}

func (r *reader) checkListen() {
	listen := r.config.HTTP.Listen
	if listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	_, portErr := strconv.ParseUint(port, 10, 16)
	isHost := regexp.MustCompile(`^[0-9A-Za-z.:%_-]*$`).MatchString(host)
	if err != nil || portErr != nil || !isHost {
		r.wrong("http.listen", "not a host and a port", "write host:port such as 127.0.0.1:7700, an IPv6 host in [ ]")
		return
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return
	}
	const reach = "others than this machine can reach it"
	if !r.config.given("http.tokens") {
		r.wrong("http.listen", reach+", and there are no tokens", "describe who may ask in http.tokens, or listen on 127.0.0.1")
	}
	if !r.config.given("http.tls") {
		r.wrong("http.listen", reach+", and there is no certificate", "name one in http.tls, or listen on 127.0.0.1")
	}
}

// checkProxies reads the addresses and networks of trusted proxies. All
// addresses would let any caller name any client.
func (r *reader) checkProxies() {
	h := &r.config.HTTP
	for _, s := range h.proxies {
		network, err := netip.ParsePrefix(s)
		if addr, addrErr := netip.ParseAddr(s); addrErr == nil && addr.Zone() == "" {
			addr = addr.Unmap()
			network, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		const do = "write addresses such as 10.0.0.7, or networks such as 10.1.0.0/16"
		switch {
		case err != nil:
			r.wrong("http.trusted_proxies", strconv.Quote(s)+" is neither an address nor a network", do)
		case network.Bits() == 0:
			r.wrong("http.trusted_proxies", s+" is every address", do)
		default:
			h.TrustedProxies = append(h.TrustedProxies, network.Masked())
		}
	}
}

// checkTLS reads the certificate and its key.
func (r *reader) checkTLS() {
	t := &r.config.HTTP.TLS
	if t.CertFile == "" || t.KeyFile == "" {
		return // not asked for, or already reported
	}
	cert, err := os.ReadFile(t.CertFile)
	if err != nil {
		r.wrong("http.tls.cert_file", "can't be read: "+reason(err), "name a PEM file that indexerd can read")
	}
	key, what := r.readKey(t.KeyFile)
	if what != "" {
		r.wrong("http.tls.key_file", what, "name a PEM file that only its owner and group can read (chmod 640)")
	}
	if err != nil || what != "" {
		return
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		// The library's words tell what is wrong and show nothing of the key.
		r.wrong("http.tls.cert_file", "no pair with key_file ("+strings.TrimPrefix(err.Error(), "tls: ")+")", "name a certificate and its own key, both in PEM")
		return
	}
	t.Pair = &pair
}

// readKey returns the content of a key_file, or what is wrong with it. Unlike
// other secrets it often belongs to root, and to a group of those who may use
// it.
func (r *reader) readKey(file string) (key []byte, wrong string) {
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&0o007 != 0 && !r.isCredential(file) {
		return nil, "others than its owner and group can read it"
	}
	if key, err = os.ReadFile(file); err != nil {
		return nil, "can't be read: " + reason(err)
	}
	return key, ""
}

// checkToken checks one token; seen names the one that has a secret.
func (r *reader) checkToken(t *Token, seen map[string]string) {
	path := join("http.tokens", t.Name)
	r.checkGroups(path, t)
	path = join(path, "token")
	if t.file != "" && t.Secret == "" {
		path += "_file"
		secret, wrong := r.readSecret(t.file)
		if wrong != "" {
			r.wrong(path, wrong, "name a file of one line that only its owner can read (chmod 600)")
			return
		}
		t.Secret = secret
	}
	const random = "write 16 random characters or more, such as openssl rand -hex 24 prints"
	switch {
	case t.Secret == "": // already reported
	case !regexp.MustCompile(`^[!-~]+$`).MatchString(t.Secret):
		r.wrong(path, "has characters that no request can carry", random)
	case len(t.Secret) < minSecret:
		r.wrong(path, "too short to be a secret", random)
	case seen[t.Secret] != "":
		r.wrong(path, "the same as that of "+seen[t.Secret], "give each caller a token of their own")
	default:
		seen[t.Secret] = t.Name
	}
}

// checkGroups finds what a token's owner can't have meant: groups that restrict
// nothing, or a caller who never finds anything.
func (r *reader) checkGroups(path string, t *Token) {
	withACL := func(t Table) bool { return t.ACL != "" }
	tables := r.config.Tables
	groups := join(path, "groups")
	admin := t.admin != nil && *t.admin
	switch {
	case admin && r.config.given(groups):
		r.wrong(groups, "given beside admin", "remove them, an admin sees everything; or remove admin")
	case r.config.given(groups) && !slices.ContainsFunc(tables, withACL):
		r.wrong(groups, "they restrict nothing, no table has an acl", "name the field of groups in a table's acl, or remove them: the token finds every document")
	case !admin && !r.config.given(groups) && len(tables) > 0 && !slices.ContainsFunc(tables, func(t Table) bool { return !withACL(t) }):
		r.wrong(path, "it finds nothing, every table has an acl", "list groups, or write admin: true")
	}
}

// checkACL: groups are compared as they are written, so they must be keywords.
func (r *reader) checkACL(path string, t *Table) {
	if t.ACL == "" {
		return
	}
	const do = "name a keyword of metadata or extra that holds the groups who may find the document"
	types := map[string]string{}
	var keywords []string
	for _, f := range t.valueFields() {
		types[f.Name] = f.Type
		if f.Type == "keyword" {
			keywords = append(keywords, f.Name)
		}
	}
	switch types[t.ACL] {
	case "keyword":
	case "":
		r.wrong(path, "no field of exact values"+didYouMean(t.ACL, keywords), do)
	default:
		r.wrong(path, "a field of type "+types[t.ACL]+", not keyword", do)
	}
}

// valueFields are the fields that are searched by value, whoever holds them.
func (t *Table) valueFields() []Meta {
	fields := slices.Clone(t.Metadata)
	for _, c := range t.Children {
		fields = append(fields, Meta{c.Name, c.Type})
	}
	for _, x := range t.Extra {
		fields = append(fields, Meta{x.Name, x.Type})
	}
	return fields
}
