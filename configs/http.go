package configs

import (
	"crypto/tls"
	"net/netip"
)

// HTTP is where the daemon answers, and whom.
type HTTP struct {
	Listen string
	TLS    TLS
	Tokens []Token // none: whoever reaches the loopback address is an admin

	// TrustedProxies are the networks whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix

	proxies []string // as written
}

// TLS is the certificate that the daemon shows.
type TLS struct {
	CertFile string
	KeyFile  string
	Pair     *tls.Certificate `json:"-"` // what the files held when they were read; nil without TLS
}

// A Token is what a caller shows, and what it lets them do: everything, or
// search for what one of the groups may see.
type Token struct {
	Name   string
	Secret string `json:"-"` // its own, or the content of its token_file
	Admin  bool
	Groups []string // of a caller who only searches

	file  string
	admin *bool // as written
}

// String returns the token's name, so that no log shows the secret.
func (t Token) String() string { return t.Name }

// GoString is String, for %#v.
func (t Token) GoString() string { return t.Name }

// tokenName is shorter than any secret may be, so that a secret in the place of
// a name is found and not shown.
const tokenName = `^[A-Za-z][A-Za-z0-9_-]{0,14}$`

func httpKeys(h *HTTP) []key {
	return []key{
		{
			"listen", false, "write host:port", "127.0.0.1:7700",
			"The address of the dashboard and the API. One that other machines reach needs `tokens` and `tls`.", text{&h.Listen},
		},
		{
			"tls", false, "name a certificate and its key: {cert_file: /etc/indexerd/cert.pem, key_file: /etc/indexerd/key.pem}", "",
			"The certificate by which callers know the daemon: with it, it answers by HTTPS alone. The files are read at the start.",
			mapping{tlsKeys(&h.TLS)},
		},
		{
			"tokens", false, "describe each token under a name of its own, with its token or token_file, and admin or groups", "",
			"Who may ask, each under a name of your own. Without any, whoever reaches the loopback address may do everything.",
			named{
				tokenName, "write a name of up to 15 letters, digits, _ and -, beginning with a letter", true,
				func(name string) value {
					h.Tokens = append(h.Tokens, Token{Name: name})
					return either{mapping{tokenKeys(&h.Tokens[len(h.Tokens)-1])}, "token", "token_file"}
				},
			},
		},
		{
			"trusted_proxies", false, "list addresses or networks: [10.0.0.7, 10.1.0.0/16]", "",
			"The addresses of proxies, and of applications that ask for many users. Their `X-Forwarded-For` names the client, for its share of searches and for the delay of wrong tokens, and they may open as many connections as there are. Others are held to a quarter.",
			names{&h.proxies, false},
		},
	}
}

func tlsKeys(t *TLS) []key {
	return []key{
		{
			"cert_file", true, "name the PEM file of the certificate", "",
			"A file with the certificate, and those between it and its authority, in PEM.", text{&t.CertFile},
		},
		{
			"key_file", true, "name the PEM file of the certificate's key", "",
			"A file with the certificate's key in PEM, which others than its owner and group can't read.", text{&t.KeyFile},
		},
	}
}

func tokenKeys(t *Token) []key {
	return []key{
		{
			"token", false, "write '${NAME}' to take it from the environment, or name a token_file", "",
			"What the caller shows, 16 characters or more. Required where there is no `token_file`.", text{&t.Secret},
		},
		{
			"token_file", false, "name a file that holds the token and that only its owner can read", "",
			"A file of one line with the token, instead of `token`. It must be readable by its owner alone, or lie in systemd's credentials directory.",
			text{&t.file},
		},
		{
			"admin", false, "write true, or leave it out for a caller who only searches", "false",
			"Whether the caller may do everything: see every document, status and history, run passes, take backups.", boolean{&t.admin},
		},
		{
			"groups", false, "list the groups whose documents the caller finds: [sales]", "",
			"For a caller who only searches: in a table with `acl`, documents of one of these groups are found; without any, none. Tables without `acl` are open to every token.",
			names{&t.Groups, false},
		},
	}
}
