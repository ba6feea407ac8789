package configs

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/index/query"
)

// The engines of an index.
const (
	Embedded   = "embedded"
	OpenSearch = "opensearch"
)

// Index configures where the indexes of all tables are.
type Index struct {
	Engine   string   // Embedded or OpenSearch; what follows is for the latter
	URLs     []string // of the nodes
	User     string
	Password string `json:"-"` // content of password_file
	APIKey   string `json:"-"` // content of api_key_file
	CA       []byte `json:"-"` // content of ca_file; nil for the system's
	Prefix   string // of the names of indexes
	Shards   int
	Replicas int
	Source   bool // whether documents have the columns as JSON

	passwordFile, apiKeyFile, caFile string
	source                           *bool // as written; nil if missing
}

// String returns the engine, so that a log line never shows a secret.
func (x Index) String() string { return x.Engine }

// GoString does the same as String, for %#v.
func (x Index) GoString() string { return x.Engine }

func indexKeys(x *Index) []key {
	return []key{
		{
			"engine", false, "write embedded, or opensearch for OpenSearch and Elasticsearch", Embedded,
			"`embedded` keeps the indexes below `data`, `opensearch` in a cluster of OpenSearch, or of Elasticsearch 8 or later: docs/engines.md.",
			choice{&x.Engine, "engine", []string{Embedded, OpenSearch}, nil},
		},
		{
			"url", false, "list the nodes: [\"https://search-1:9200\"]", "",
			"The addresses of nodes, without user, password and path.", names{&x.URLs, true},
		},
		{"user", false, "write the name of the cluster's user", "", "The user, with `password_file`.", text{&x.User}},
		{
			"password_file", false, "name a file that holds the password and that only its owner can read", "",
			"A file of one line with the password, readable by its owner only, or a systemd credential.", text{&x.passwordFile},
		},
		{
			"api_key_file", false, "name a file that holds the API key and that only its owner can read", "",
			"A file of one line with an API key, instead of `user`.", text{&x.apiKeyFile},
		},
		{
			"ca_file", false, "name a PEM file", "the system's certificates",
			"A PEM file of the authorities that sign the nodes' certificates.", text{&x.caFile},
		},
		{
			"prefix", false, "write lower-case letters, digits, _ and -, beginning with a letter, such as shop-", "",
			"The beginning of the names of indexes, one for each configuration: the alias of the table film is PREFIXfilm.", text{&x.Prefix},
		},
		{"shards", false, "write 1 to 1000", "1", "The number of shards of a new index.", number{&x.Shards, 1, 1000}},
		{
			"replicas", false, "write 0 to 100", "1",
			"How many further copies of a shard a new index has. With 0, a lost disk loses a part of the index.", number{&x.Replicas, 0, 100},
		},
		{
			"source", false, "write true or false", "true",
			"Whether documents have the row as JSON, for clients of the cluster. A change needs `indexerd reindex`.", boolean{&x.source},
		},
	}
}

func (c *Config) setIndexDefaults() {
	x := &c.Index
	x.Engine = cmp.Or(x.Engine, Embedded)
	x.Shards = cmp.Or(x.Shards, 1)
	if !c.given("index.replicas") {
		x.Replicas = 1
	}
	x.Source = x.source == nil || *x.source
	if x.Engine == OpenSearch {
		for i := range c.Tables {
			c.Tables[i].Relevance = string(query.Plain)
		}
	}
}

func (r *reader) checkIndex() {
	x := &r.config.Index
	if x.Engine == "" && r.config.given("index.engine") {
		return // already reported
	}
	if x.Engine != OpenSearch {
		r.noEffect("index", indexKeys(x), "on the embedded index", "remove it, or write engine: opensearch")
		return
	}
	if len(x.URLs) == 0 {
		r.wrong("index", "url is missing", "list the nodes: url: [\"https://search-1:9200\"]")
	}
	for i, u := range x.URLs {
		x.URLs[i] = strings.TrimSuffix(u, "/")
		if wrong := checkNode(u); wrong != "" {
			r.wrong("index.url", wrong, "write https://host:port, with user and password_file beside it")
		}
	}
	r.checkIndexAccess(x)
	if !regexp.MustCompile(`^([a-z][a-z0-9_-]{0,99})?$`).MatchString(x.Prefix) {
		r.wrong("index.prefix", "not a name of lower-case letters, digits, _ and -", "write a name such as shop-")
	}
	for i := range r.config.Tables {
		t := &r.config.Tables[i]
		if path := join(join("tables", t.Name), "relevance"); t.Relevance == string(query.Tuned) && r.config.given(path) {
			r.wrong(path, "tuned needs the embedded index", "write plain, or remove it")
		}
		r.checkIndexFields(t)
	}
}

// checkIndexFields reports a column with the name of indexerd's own fields.
func (r *reader) checkIndexFields(t *Table) {
	fields := slices.Clone(t.Content.Fields)
	for _, f := range t.valueFields() {
		fields = append(fields, f.Name)
	}
	if slices.Contains(fields, "ix") {
		r.wrong(join("tables", t.Name), "field ix has the name of a field that indexerd adds in OpenSearch", "rename it in the SQL with AS")
	}
}

// checkIndexAccess reads the secrets.
func (r *reader) checkIndexAccess(x *Index) {
	r.readSecret("index.password", x.passwordFile, &x.Password)
	r.readSecret("index.api_key", x.apiKeyFile, &x.APIKey)
	if x.User != "" && x.apiKeyFile != "" {
		r.wrong("index.api_key_file", "not allowed together with user", "keep one of them")
	} else {
		r.checkUser("index", x.User, x.passwordFile)
	}
	x.CA = r.readCA("index", x.caFile)
}

// checkNode returns what is wrong with the address of a node. The text does not show
// it, since it may have a password.
func checkNode(node string) string {
	u, err := url.Parse(node)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return "not an address of a node"
	case u.User != nil:
		return "the address has a user or a password"
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return "the address has a path"
	}
	return ""
}
