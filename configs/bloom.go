package configs

import (
	"cmp"
	"net/url"
)

// The engines of a Bloom filter.
const (
	Local = "local"
	Redis = "redis"
)

// Bloom configures the filter before pages on other machines.
type Bloom struct {
	Engine   string // Local or Redis; what follows is for the latter
	URL      string // redis://host:port/database, without a password
	Password string `json:"-"` // content of password_file
	Key      string // the beginning of the keys in Redis

	passwordFile string
}

// String returns the engine, so that a log line never shows a secret.
func (x Bloom) String() string { return x.Engine }

// GoString does the same as String, for %#v.
func (x Bloom) GoString() string { return x.Engine }

// Address returns the URL with the password.
func (x Bloom) Address() string {
	u, err := url.Parse(x.URL)
	if err != nil || x.Password == "" {
		return x.URL
	}
	u.User = url.UserPassword(u.User.Username(), x.Password)
	return u.String()
}

func bloomKeys(x *Bloom) []key {
	return []key{
		{
			"engine", false, "write local or redis", Local,
			"`local` keeps the filter in memory, and lists all pages at each start. `redis` keeps it in Redis, where it outlives the daemon.",
			choice{&x.Engine, "engine", []string{Local, Redis}, nil},
		},
		{"url", false, "write redis://host:6379/0, with password_file beside it", "", "The address of a standalone Redis, without a password.", text{&x.URL}},
		{
			"password_file", false, "name a file that holds the password and that only its owner can read", "",
			"A file of one line with the password, readable by its owner only, or a systemd credential.", text{&x.passwordFile},
		},
		{
			"key", false, "write a name for this data directory alone, such as shop", "indexerd",
			"The beginning of the keys in Redis, one for each configuration: the filter of the table film is KEY:film.", text{&x.Key},
		},
	}
}

func (r *reader) checkBloom() {
	x, given := &r.config.Bloom, r.config.given
	if x.Engine == "" && given("bloom.engine") {
		return // already reported
	}
	if given("bloom") && !r.config.PageStore.Remote() {
		r.wrong("bloom", "no effect on pages in filemap, which are looked up in memory", "remove it, or keep the pages in bigtable or hbase")
		return
	}
	if cmp.Or(x.Engine, Local) == Local {
		r.noEffect("bloom", bloomKeys(x), "on a filter in memory", "remove it, or write engine: redis")
		return
	}
	u, err := url.Parse(x.URL)
	switch {
	case x.URL == "":
		r.wrong("bloom", "url is missing", "write redis://host:6379/0")
	case err != nil || u.Scheme != "redis" && u.Scheme != "rediss" && u.Scheme != "unix":
		r.wrong("bloom.url", "not an address of Redis", "write redis://host:6379/0, with password_file beside it")
	case hasPassword(u):
		r.wrong("bloom.url", "the address has a password", "write it into a password_file")
	}
	r.readSecret("bloom.password", x.passwordFile, &x.Password)
}

func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	return has
}
