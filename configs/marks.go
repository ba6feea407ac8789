package configs

import (
	"cmp"
	"net/url"
	"regexp"
)

// The engines of marks.
const (
	File = "file"
	Etcd = "etcd"
)

// Marks configures where marks and quarantine are.
type Marks struct {
	Engine    string   // File or Etcd; what follows is for the latter
	Endpoints []string // URLs
	Prefix    string   // of the keys
	User      string
	Password  string `json:"-"` // content of password_file
	CA        []byte // content of ca_file; nil: the system's certificates

	passwordFile, caFile string
}

// String returns the engine, so that a log line never shows a secret.
func (x Marks) String() string { return x.Engine }

// GoString does the same as String, for %#v.
func (x Marks) GoString() string { return x.Engine }

// Shared reports whether several daemons use the marks, of which one leads.
func (x Marks) Shared() bool { return x.Engine == Etcd }

func marksKeys(x *Marks) []key {
	return []key{
		{
			"engine", false, "write file or etcd", File,
			"`file` keeps marks and quarantine below `data`, `etcd` in etcd, where a second daemon finds them: docs/standby.md. It needs `index` in opensearch, and `pages` in bigtable or hbase.",
			choice{&x.Engine, "engine", []string{File, Etcd}, nil},
		},
		{
			"endpoints", false, "list the members of etcd: [\"https://etcd-1:2379\"]", "",
			"The addresses of members of etcd, without user, password and path.", names{&x.Endpoints, true},
		},
		{
			"prefix", false, "write a path for the daemons of this configuration alone, such as /indexerd/shop", "",
			"The beginning of the keys in etcd: the same for all daemons of one index, and for no others.", text{&x.Prefix},
		},
		{"user", false, "write the name of etcd's user", "", "The user of etcd, with `password_file`.", text{&x.User}},
		{
			"password_file", false, "name a file that holds the password and that only its owner can read", "",
			"A file of one line with the password, readable by its owner only, or a systemd credential.", text{&x.passwordFile},
		},
		{
			"ca_file", false, "name a PEM file", "the system's certificates",
			"A PEM file of the authorities that sign the members' certificates.", text{&x.caFile},
		},
	}
}

// marksPrefix is the prefix of keys in etcd.
var marksPrefix = regexp.MustCompile(`^(/[A-Za-z0-9_.-]{1,100}){1,10}$`)

func (r *reader) checkMarks() {
	x, given := &r.config.Marks, r.config.given
	if x.Engine == "" && given("marks.engine") {
		return // already reported
	}
	if cmp.Or(x.Engine, File) == File {
		r.noEffect("marks", marksKeys(x), "on marks in a file", "remove it, or write engine: etcd")
		return
	}
	if r.config.Index.Engine != OpenSearch {
		r.wrong("marks", "no other daemon finds an index below data", "keep the index in opensearch, or the marks in file")
	}
	if !r.config.PageStore.Remote() {
		r.wrong("marks", "no other daemon finds pages below data", "keep the pages in bigtable or hbase, or the marks in file")
	}
	if len(x.Endpoints) == 0 {
		r.wrong("marks", "endpoints is missing", "list the members: endpoints: [\"https://etcd-1:2379\"]")
	}
	secure := 0
	for _, endpoint := range x.Endpoints {
		if wrong := checkNode(endpoint); wrong != "" {
			r.wrong("marks.endpoints", wrong, "write https://host:port, with user and password_file beside it")
		} else if u, _ := url.Parse(endpoint); u.Scheme == "https" {
			secure++
		}
	}
	if secure > 0 && secure < len(x.Endpoints) {
		r.wrong("marks.endpoints", "some addresses are https and some are not", "write https:// for all of them")
	}
	if !marksPrefix.MatchString(x.Prefix) {
		r.wrong("marks.prefix", "not a path that begins with /", "write a prefix such as /indexerd/shop")
	}
	r.readSecret("marks.password", x.passwordFile, &x.Password)
	r.checkUser("marks", x.User, x.passwordFile)
	x.CA = r.readCA("marks", x.caFile)
}
