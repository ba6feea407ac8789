package configs

import (
	"crypto/ed25519"
	"crypto/tls"
	"net/netip"
)

// HTTP configures the daemon's HTTP server.
type HTTP struct {
	Listen string
	TLS    TLS
	Tokens []Token // none: every caller is an admin, and Listen is a loopback address

	Signed  []SigningKey // none: no signed tokens are valid
	Origins []string     // of web pages of other sites that may search

	// TrustedProxies are the networks whose X-Forwarded-For header is used.
	TrustedProxies []netip.Prefix

	proxies []string // as written
}

// TLS is the server's certificate, or says that a proxy has one.
type TLS struct {
	CertFile     string
	KeyFile      string
	EndedByProxy bool             // requests come without TLS, from a proxy that clients reach by TLS
	Pair         *tls.Certificate `json:"-"` // content of the files when Load read them; nil without TLS

	endedByProxy *bool // as written
}

// A Token is a secret that callers send, and the rights it gives: everything
// (Admin), or search in the documents that one of Groups may find.
type Token struct {
	Name   string
	Secret string `json:"-"` // from token, or the content of token_file
	Admin  bool
	Groups []string

	file  string
	admin *bool // as written
}

// String returns the token's name, so that a log line never shows the secret.
func (t Token) String() string { return t.Name }

// GoString does the same as String, for %#v.
func (t Token) GoString() string { return t.Name }

// tokenName is the pattern of token names. They are shorter than minSecret, so
// that a secret in the place of a name is rejected and not shown.
const tokenName = `^[A-Za-z][A-Za-z0-9_-]{0,14}$`

func httpKeys(h *HTTP) []key {
	return []key{
		{
			"listen", false, "write host:port", "127.0.0.1:7700",
			"The address of the dashboard and the API. If other machines can reach it, `tokens` and `tls` are required.", text{&h.Listen},
		},
		{
			"tls", false, "name a certificate and its key: {cert_file: /etc/indexerd/cert.pem, key_file: /etc/indexerd/key.pem}", "",
			"The server's certificate, for HTTPS only. The files are read at the start. Behind an ingress or another proxy that has the certificate: `{ended_by_proxy: true}`.",
			either{mapping{tlsKeys(&h.TLS)}, "cert_file", "ended_by_proxy"},
		},
		{
			"tokens", false, "give each token a name, with token or token_file, and admin or groups", "",
			"The tokens that callers send, each under a name. Without tokens, every caller on this machine may do everything.",
			named{
				tokenName, "write a name of up to 15 letters, digits, _ and -, beginning with a letter", true,
				func(name string) value {
					h.Tokens = append(h.Tokens, Token{Name: name})
					return either{mapping{tokenKeys(&h.Tokens[len(h.Tokens)-1])}, "token", "token_file"}
				},
			},
		},
		{
			"signed_tokens", false, "give each key a name, with key or key_file", "",
			"Keys by which an application signs a token for each of its users (JWT), which says what the user may search: see [signed tokens](recipes.md#signed-tokens). They change without a restart.",
			named{
				tokenName, "write a name of up to 15 letters, digits, _ and -, beginning with a letter", true,
				func(name string) value {
					h.Signed = append(h.Signed, SigningKey{Name: name})
					return either{mapping{signingKeys(&h.Signed[len(h.Signed)-1])}, "key", "key_file"}
				},
			},
		},
		{
			"origins", false, "list origins: [https://shop.example]", "",
			"Sites whose web pages may search, with a token (CORS). Only routes that search are open to them.",
			names{&h.Origins, false},
		},
		{
			"trusted_proxies", false, "list addresses or networks: [10.0.0.7, 10.1.0.0/16]", "",
			"Addresses of reverse proxies, and of applications that search for many users. Limits count the client of their `X-Forwarded-For` header, and they may open all connections, any other address a quarter of them.",
			names{&h.proxies, false},
		},
	}
}

func tlsKeys(t *TLS) []key {
	return []key{
		{
			"cert_file", false, "name the PEM file of the certificate", "",
			"A PEM file of the certificate and the intermediate certificates. Required without `ended_by_proxy`.", text{&t.CertFile},
		},
		{
			"key_file", false, "name the PEM file of the certificate's key", "",
			"A PEM file of the private key, readable by its owner and group only. Required without `ended_by_proxy`.", text{&t.KeyFile},
		},
		{
			"ended_by_proxy", false, "write true, or name cert_file and key_file", "false",
			"Whether a proxy ends TLS, as an ingress does. Requests then come without TLS, and may have any `Host`: everyone on the network between both can read tokens and documents.",
			boolean{&t.endedByProxy},
		},
	}
}

func tokenKeys(t *Token) []key {
	return []key{
		{
			"token", false, "write '${NAME}' to take it from the environment, or name a token_file", "",
			"The secret that callers send, 16 characters or more. Required without `token_file`.", text{&t.Secret},
		},
		{
			"token_file", false, "name a file that holds the token and that only its owner can read", "",
			"A file of one line with the secret, readable by its owner only, or a systemd credential. Instead of `token`.",
			text{&t.file},
		},
		{
			"admin", false, "write true, or omit it for a token that only searches", "false",
			"Whether the caller may do everything. Without it the token may only search.", boolean{&t.admin},
		},
		{
			"groups", false, "list the groups whose documents the caller finds: [sales]", "",
			"The groups whose documents the token finds in a table with `acl`; without `groups` none. In a table without `acl` every token finds every document.",
			names{&t.Groups, false},
		},
	}
}

// A SigningKey verifies the tokens that an application signs for its users: HS256 by
// Secret, or EdDSA by Public.
type SigningKey struct {
	Name   string
	Secret string            `json:"-"` // from key, or the content of key_file
	Public ed25519.PublicKey `json:"-"`

	file string
}

// String returns the key's name, so that a log line never shows the secret.
func (k SigningKey) String() string { return k.Name }

// GoString does the same as String, for %#v.
func (k SigningKey) GoString() string { return k.Name }

// minSigning is the least length of a secret of HS256, in bytes: that of its hash (RFC
// 7518, section 3.2).
const minSigning = 32

func signingKeys(k *SigningKey) []key {
	return []key{
		{
			"key", false, "write '${NAME}' to take it from the environment, or name a key_file", "",
			"The secret that the application shares, for HS256, 32 characters or more. Required without `key_file`.", text{&k.Secret},
		},
		{
			"key_file", false, "name a file with the secret, or with a public key", "",
			"A file of one line with the secret, readable by its owner only, or a PEM file of an Ed25519 public key, for EdDSA. Instead of `key`.",
			text{&k.file},
		},
	}
}
