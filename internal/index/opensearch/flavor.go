package opensearch

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// A Flavor is the product that a cluster runs. What differs between products is in this
// file alone: how they are recognized, and how they name privileges. indexerd uses no
// request whose form differs: it lists documents by search_after without a point in time.
type Flavor struct {
	Product string // OpenSearch or Elasticsearch
	Version string
	Tested  bool // indexerd's tests have run on this product and major version
}

const (
	openSearch    = "OpenSearch"
	elasticsearch = "Elasticsearch"
)

// String returns product and version.
func (f Flavor) String() string { return f.Product + " " + f.Version }

// A root is the answer of a cluster to GET /.
type root struct {
	Version struct {
		Number       string
		Distribution string // of OpenSearch
		BuildFlavor  string `json:"build_flavor"` // of Elasticsearch
	}
}

// Flavor asks a cluster what it runs. The error names a product that can't hold an index.
func (c Config) Flavor(ctx context.Context) (Flavor, error) {
	var answer root
	watched, w := c.watched()
	if err := newWire(watched).ask(ctx, http.MethodGet, "/", nil, &answer); err != nil {
		return Flavor{}, err
	}
	return answer.flavor(w.product)
}

// flavor recognizes a product. Elasticsearch names itself in a header, since 7.14.
func (r root) flavor(header string) (Flavor, error) {
	v := r.Version
	digits, _, _ := strings.Cut(v.Number, ".")
	major, _ := strconv.Atoi(digits) // 0 is not supported
	switch {
	case v.Distribution == "opensearch" && major >= 1:
		return Flavor{openSearch, v.Number, major == 2 || major == 3}, nil
	case v.Distribution == "" && header == elasticsearch && v.BuildFlavor == "serverless":
		return Flavor{}, fmt.Errorf("the server is %s Serverless, which has no shards, replicas and health of an index: use a cluster", elasticsearch)
	case v.Distribution == "" && header == elasticsearch && major >= 8:
		return Flavor{elasticsearch, v.Number, false}, nil
	case v.Distribution == "" && header == elasticsearch:
		return Flavor{}, fmt.Errorf("the server is %s %s: update it to 8 or later", elasticsearch, v.Number)
	}
	return Flavor{}, fmt.Errorf("the server is neither OpenSearch nor Elasticsearch, but %s version %s", strings.TrimSpace(v.Distribution+" (unknown product)"), v.Number)
}

// A right is what a user needs for one kind of request.
type right struct {
	action  string // as OpenSearch names it, and its privilege
	cluster bool   // granted for the cluster, not for indexes
	elastic string // the privilege of Elasticsearch
}

// rights are all that indexerd needs.
var rights = []right{
	{"cluster:monitor/main", true, "monitor"},
	{"cluster:monitor/health", true, "monitor"},
	{"indices:data/write/bulk", true, ""},
	{"indices:data/read/mget", true, ""},
	{"indices:admin/create", false, "manage"},
	{"indices:admin/delete", false, "manage"},
	{"indices:admin/get", false, "manage"},
	{"indices:admin/aliases", false, "manage"},
	{"indices:admin/aliases/get", false, "manage"},
	{"indices:admin/mapping/put", false, "manage"},
	{"indices:admin/refresh*", false, "manage"},
	{"indices:admin/settings/update", false, "manage"},
	{"indices:monitor/stats", false, "manage"},
	{"indices:data/read/mget*", false, "read"},
	{"indices:data/read/search*", false, "read"},
	{"indices:data/write/bulk*", false, "write"},
	{"indices:data/write/index", false, "write"},
	{"indices:data/write/delete", false, "write"},
}

// Rights returns the privileges that a user of the cluster needs: for the cluster, and on
// the indexes and aliases of the prefix.
func (f Flavor) Rights() (cluster, index []string) {
	for _, r := range rights {
		name := r.action
		if f.Product == elasticsearch {
			name = r.elastic
		}
		to := &index
		if r.cluster {
			to = &cluster
		}
		if name != "" && (len(*to) == 0 || (*to)[len(*to)-1] != name) {
			*to = append(*to, name)
		}
	}
	return cluster, index
}

// privileges returns what a user needs for an action, such as indices:admin/get.
func (f Flavor) privileges(action string) string {
	var all []string
	for _, r := range rights {
		if strings.TrimSuffix(r.action, "*") != action && !(action == bulkAction && strings.HasPrefix(r.action, "indices:data/write/")) {
			continue
		}
		name := r.action
		if f.Product == elasticsearch {
			name = r.elastic
		}
		if name != "" && (len(all) == 0 || all[len(all)-1] != name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, ", ")
}

// bulkAction is that of a bulk, which needs the privileges of its items too.
const bulkAction = "indices:data/write/bulk"

// actionOf returns the action of a request.
func actionOf(method, path string) string {
	last := path[strings.LastIndex(path, "/")+1:]
	switch {
	case path == "/":
		return "cluster:monitor/main"
	case strings.HasPrefix(path, "/_cluster/health"):
		return "cluster:monitor/health"
	case strings.HasPrefix(path, "/_alias/"):
		return "indices:admin/aliases/get"
	case strings.Contains(path, "/_stats"):
		return "indices:monitor/stats"
	case strings.HasPrefix(last, "_"):
		return map[string]string{
			"_aliases": "indices:admin/aliases", "_bulk": bulkAction, "_mget": "indices:data/read/mget", "_search": "indices:data/read/search",
			"_refresh": "indices:admin/refresh", "_mapping": "indices:admin/mapping/put", "_settings": "indices:admin/settings/update",
		}[last]
	}
	return map[string]string{http.MethodPut: "indices:admin/create", http.MethodGet: "indices:admin/get", http.MethodDelete: "indices:admin/delete"}[method]
}

// A watcher notes what a cluster answers. Requests are sent one after the other.
type watcher struct {
	http.RoundTripper
	product string // X-Elastic-Product of the last answer
	refused string // action of the last request, if it was refused with 403
}

// watched returns a configuration whose requests are watched.
func (c Config) watched() (Config, *watcher) {
	client := http.Client{}
	if c.HTTP != nil {
		client = *c.HTTP
	}
	w := &watcher{RoundTripper: client.Transport}
	if w.RoundTripper == nil {
		w.RoundTripper = http.DefaultTransport
	}
	client.Transport = w
	c.HTTP = &client
	return c, w
}

// RoundTrip implements http.RoundTripper.
func (w *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	w.product, w.refused = answer.Header.Get("X-Elastic-Product"), ""
	if answer.StatusCode == http.StatusForbidden {
		w.refused = actionOf(r.Method, r.URL.Path)
	}
	return answer, nil
}
