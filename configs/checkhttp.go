package configs

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// minSecret is the least number of characters of a token. Fewer random
// characters could be guessed.
const minSecret = 16

func (r *reader) checkHTTP() {
	r.checkTLS()
	r.checkListen("http.listen", r.config.HTTP.Listen)
	r.checkListen("opensearch_api.listen", r.config.OpenSearch)
	r.checkPorts()
	r.checkProxies()
	seen := map[string]string{}
	for i := range r.config.HTTP.Tokens {
		r.checkToken(&r.config.HTTP.Tokens[i], seen)
	}
	for i := range r.config.HTTP.Signed {
		r.checkSigningKey(&r.config.HTTP.Signed[i])
	}
	r.checkOrigins()
}

// checkPorts checks that the two APIs have different ports. The port tells them
// apart.
func (r *reader) checkPorts() {
	_, port, _ := net.SplitHostPort(cmp.Or(r.config.HTTP.Listen, defaultListen))
	_, other, _ := net.SplitHostPort(r.config.OpenSearch)
	if other != "" && other == port && port != "0" {
		r.wrong("opensearch_api.listen", "port "+port+" is that of http.listen", "write another port, such as 9200")
	}
}

// checkListen checks an address to listen on.
func (r *reader) checkListen(path, listen string) {
	if listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	_, portErr := strconv.ParseUint(port, 10, 16)
	isHost := regexp.MustCompile(`^[0-9A-Za-z.:%_-]*$`).MatchString(host)
	if err != nil || portErr != nil || !isHost {
		r.wrong(path, "not a host and a port", "write host:port such as 127.0.0.1:7700, an IPv6 host in [ ]")
		return
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return
	}
	const open = "other machines can reach this address"
	if !r.config.given("http.tokens") {
		r.wrong(path, open+", and there are no tokens", "add http.tokens, or listen on 127.0.0.1")
	}
	if !r.config.given("http.tls") {
		r.wrong(path, open+", and there is no certificate", "add http.tls (behind a proxy that has one: {ended_by_proxy: true}), or listen on 127.0.0.1")
	}
}

// checkProxies reads the addresses and networks of trusted proxies. It rejects
// the network of all addresses, since any caller could then claim any client
// address.
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
			r.wrong("http.trusted_proxies", s+" is the network of all addresses", do)
		default:
			h.TrustedProxies = append(h.TrustedProxies, network.Masked())
		}
	}
}

// checkTLS reads the certificate and its key.
func (r *reader) checkTLS() {
	t := &r.config.HTTP.TLS
	t.EndedByProxy = t.endedByProxy != nil && *t.endedByProxy
	switch {
	case !r.config.given("http.tls"):
		return
	case t.EndedByProxy && !r.config.given("http.tokens"):
		r.wrong("http.tls.ended_by_proxy", "everyone who reaches the proxy reaches this server, and there are no tokens", "add http.tokens")
	case !t.EndedByProxy && t.endedByProxy != nil:
		r.wrong("http.tls.ended_by_proxy", "there is no certificate", "write true, or name cert_file and key_file in its place")
	case !t.EndedByProxy && !r.config.given("http.tls.key_file"):
		r.wrong("http.tls.key_file", "missing", "name the PEM file of the certificate's key")
	}
	if t.CertFile == "" || t.KeyFile == "" {
		return // of a proxy, or already reported
	}
	cert, err := os.ReadFile(t.CertFile)
	if err != nil {
		r.wrong("http.tls.cert_file", "file can't be read: "+reason(err), "name a PEM file that indexerd can read")
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
		// The library's error shows nothing of the key.
		r.wrong("http.tls.cert_file", "certificate does not match key_file ("+strings.TrimPrefix(err.Error(), "tls: ")+")", "name a certificate and its own key, both in PEM")
		return
	}
	t.Pair = &pair
}

// readKey returns the content of a key_file, or what is wrong with it. Unlike
// the files of other secrets, it may be readable by its group: keys often belong
// to root and a group of services.
func (r *reader) readKey(file string) (key []byte, wrong string) {
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm()&0o007 != 0 && !r.isCredential(file) {
		return nil, "file is readable by users other than its owner and group"
	}
	if key, err = os.ReadFile(file); err != nil {
		return nil, "file can't be read: " + reason(err)
	}
	return key, ""
}

// checkToken checks one token. seen holds the names of the tokens checked
// before, by their secrets.
func (r *reader) checkToken(t *Token, seen map[string]string) {
	path := join("http.tokens", t.Name)
	r.checkGroups(path, t)
	path = r.readSecret(join(path, "token"), t.file, &t.Secret)
	const random = "write 16 random characters or more, such as the output of openssl rand -hex 24"
	switch {
	case t.Secret == "": // already reported
	case !regexp.MustCompile(`^[!-~]+$`).MatchString(t.Secret):
		r.wrong(path, "contains spaces, or characters that are not printable ASCII", random)
	case len(t.Secret) < minSecret:
		r.wrong(path, fmt.Sprintf("shorter than %d characters", minSecret), random)
	case seen[t.Secret] != "":
		r.wrong(path, "same secret as token "+seen[t.Secret], "give each token a different secret")
	default:
		seen[t.Secret] = t.Name
	}
}

// checkGroups reports groups that have no effect, and tokens that can find
// nothing.
func (r *reader) checkGroups(path string, t *Token) {
	withACL := func(t Table) bool { return t.ACL != "" }
	tables := r.config.Tables
	groups := join(path, "groups")
	admin := t.admin != nil && *t.admin
	switch {
	case admin && r.config.given(groups):
		r.wrong(groups, "not allowed together with admin: true", "remove groups, since an admin finds everything; or remove admin")
	case r.config.given(groups) && !slices.ContainsFunc(tables, withACL):
		r.wrong(groups, "no effect, since no table has an acl", "add acl to a table, or remove groups: without acl every token finds every document")
	case !admin && !r.config.given(groups) && len(tables) > 0 && !slices.ContainsFunc(tables, func(t Table) bool { return !withACL(t) }):
		r.wrong(path, "token can find nothing, since every table has an acl", "add groups, or admin: true")
	}
}

// checkACL checks that acl names a keyword field: groups are compared exactly.
func (r *reader) checkACL(path string, t *Table) {
	if t.ACL == "" {
		return
	}
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
		r.wrong(path, "unknown field"+didYouMean(t.ACL, keywords),
			fmt.Sprintf("if the SQL returns %[1]s, add it to metadata: {%[1]s: keyword}; otherwise name a keyword field of metadata, children or extra that holds the groups", t.ACL))
	default:
		r.wrong(path, "field is of type "+types[t.ACL]+", not keyword", fmt.Sprintf("write %s: keyword there, or name a keyword field of metadata, children or extra that holds the groups", t.ACL))
	}
}

// valueFields returns the metadata fields: those of metadata, children and
// extra.
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

// checkSigningKey checks one key.
func (r *reader) checkSigningKey(k *SigningKey) {
	path := join("http.signed_tokens", k.Name)
	if !r.config.given("http.tokens") {
		r.wrong(path, "without http.tokens every caller is an admin", "add http.tokens")
	}
	if text, err := os.ReadFile(k.file); k.file != "" && err == nil && bytes.Contains(text, []byte("-----BEGIN ")) {
		block, _ := pem.Decode(text)
		if block == nil {
			block = &pem.Block{}
		}
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		public, ok := key.(ed25519.PublicKey)
		if err != nil || !ok {
			r.wrong(join(path, "key_file"), "no Ed25519 public key", "write the output of openssl pkey -pubout of a key of openssl genpkey -algorithm ed25519")
		}
		k.Public = public
		return
	}
	path = r.readSecret(join(path, "key"), k.file, &k.Secret)
	if k.Secret != "" && len(k.Secret) < minSigning {
		r.wrong(path, fmt.Sprintf("shorter than %d characters", minSigning), "write the output of openssl rand -hex 32")
	}
}

// checkOrigins reports what is no origin of a web page.
func (r *reader) checkOrigins() {
	for _, origin := range r.config.HTTP.Origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Path+u.RawQuery+u.Fragment != "" || u.User != nil || strings.Contains(origin, "*") {
			r.wrong("http.origins", fmt.Sprintf("%q is not the origin of a web page", origin), "write https://shop.example, without a path")
		}
	}
	if len(r.config.HTTP.Origins) > 0 && !r.config.given("http.tokens") {
		r.wrong("http.origins", "without http.tokens any page of these sites is an admin", "add http.tokens")
	}
}
