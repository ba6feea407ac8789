package configs

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// The engines of pages.
const (
	FileMap  = "filemap"
	Bigtable = "bigtable"
	HBase    = "hbase"
)

// PageStore configures where the pages of all tables are.
type PageStore struct {
	Engine          string // FileMap, Bigtable or HBase; what follows is for the latter two
	Table           string // of the store
	Project         string
	Instance        string
	CredentialsFile string
	REST            []string // URLs of gateways
	User            string
	Password        string `json:"-"` // content of password_file

	passwordFile string
}

// String returns the engine, so that a log line never shows a secret.
func (x PageStore) String() string { return x.Engine }

// GoString does the same as String, for %#v.
func (x PageStore) GoString() string { return x.Engine }

// Name names the store, as status and `indexerd move` show it.
func (x PageStore) Name() string {
	switch x.Engine {
	case Bigtable:
		return fmt.Sprintf("bigtable %s/%s/%s", x.Project, x.Instance, x.Table)
	case HBase:
		return "hbase " + x.Table
	}
	return FileMap
}

// Remote reports whether pages are on other machines.
func (x PageStore) Remote() bool { return x.Engine == Bigtable || x.Engine == HBase }

func pageStoreKeys(x *PageStore) []key {
	return []key{
		{
			"engine", false, "write filemap, bigtable or hbase", FileMap,
			"`filemap` keeps the pages below `data`, `bigtable` and `hbase` in a table of that store: docs/engines.md.",
			choice{&x.Engine, "engine", []string{FileMap, Bigtable, HBase}, nil},
		},
		{
			"table", false, "write the name of a table for this data directory alone, such as indexerd_pages", "",
			"The table of the store, one for each configuration. indexerd makes it.", text{&x.Table},
		},
		{"project", false, "write the id of the Google Cloud project", "", "The project of Bigtable.", text{&x.Project}},
		{"instance", false, "write the id of the Bigtable instance", "", "The instance of Bigtable.", text{&x.Instance}},
		{
			"credentials_file", false, "name the JSON file of a service account that only its owner can read", "the application default credentials",
			"The key of a service account for Bigtable.", text{&x.CredentialsFile},
		},
		{
			"rest", false, "list HBase's REST gateways: [\"http://hbase-1:8080\"]", "",
			"The addresses of HBase's REST gateways, without user, password and path.", names{&x.REST, true},
		},
		{"user", false, "write the name of the gateway's user", "", "The user of the REST gateway, with `password_file`.", text{&x.User}},
		{
			"password_file", false, "name a file that holds the password and that only its owner can read", "",
			"A file of one line with the password, readable by its owner only, or a systemd credential.", text{&x.passwordFile},
		},
	}
}

// storeKeys are the keys of each engine. Each has engine.
var storeKeys = map[string][]string{
	Bigtable: {"table", "project", "instance", "credentials_file"},
	HBase:    {"table", "rest", "user", "password_file"},
}

// tableOfStore is a name that Bigtable and HBase take.
var tableOfStore = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,49}$`)

func (r *reader) checkPageStore() {
	x := &r.config.PageStore
	if x.Engine == "" && r.config.given("pages.engine") {
		return // already reported
	}
	engine := cmp.Or(x.Engine, FileMap)
	r.noEffect("pages", pageStoreKeys(x), "on pages in "+engine, "remove it, or choose another engine", storeKeys[engine]...)
	if engine == FileMap {
		return
	}
	if !tableOfStore.MatchString(x.Table) {
		r.wrong("pages.table", "not a name of letters, digits, _, - and . that begins with a letter", "write a name such as indexerd_pages")
	}
	if engine == Bigtable {
		r.checkBigtable(x)
	} else {
		r.checkHBase(x)
	}
}

func (r *reader) checkBigtable(x *PageStore) {
	for _, id := range [][2]string{{"instance", x.Instance}, {"project", x.Project}} {
		if id[1] == "" {
			r.wrong("pages", id[0]+" is missing", "write the id of the "+id[0])
		}
	}
	if x.CredentialsFile == "" {
		return
	}
	if _, err := os.ReadFile(x.CredentialsFile); err != nil {
		r.wrong("pages.credentials_file", "file can't be read: "+reason(err), "name the JSON file of a service account that can be read")
	}
}

func (r *reader) checkHBase(x *PageStore) {
	if len(x.REST) == 0 {
		r.wrong("pages", "rest is missing", "list the gateways: rest: [\"http://hbase-1:8080\"]")
	}
	for i, u := range x.REST {
		x.REST[i] = strings.TrimSuffix(u, "/")
		if wrong := checkNode(u); wrong != "" {
			r.wrong("pages.rest", wrong, "write http://host:port, with user and password_file beside it")
		}
	}
	r.readSecret("pages.password", x.passwordFile, &x.Password)
	r.checkUser("pages", x.User, x.passwordFile)
}
