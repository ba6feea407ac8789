package archtest

import (
	"slices"
	"strings"
)

// A wing is a part of the product: a folder of internal/, with top-level packages
// that belong to it.
type wing struct {
	imports []string            // the wings that its packages may import
	inside  map[string][]string // which of its packages import which others of it
	extra   map[string][]string // single packages of other wings, by importing package
}

// wings is the structure of the product. Names in inside and extra are paths below
// internal/, except those of top-level packages, which begin with a slash.
var wings = map[string]wing{
	"base": {inside: map[string][]string{
		"base/address":  {"base/nearest"},
		"base/schedule": {"base/recovered"},
		"base/scrub":    {"base/progress"},
	}},
	"configs": {imports: []string{"base"}, extra: map[string][]string{
		"/configs": {"index/analysis", "index/query", "index/title"}, // languages, the names and types of fields, and what names a row
	}},
	"source": {imports: []string{"base"}, inside: map[string][]string{
		"source":           {"source/dialect"}, // the engine knows no vendor
		"source/stdsql":    {"source/dialect", "source/horizon"},
		"source/postgres":  {"source/dialect", "source/horizon", "source/changes"},
		"source/mysql":     {"source/dialect", "source/horizon", "source/changes", "source/stdsql"},
		"source/sqlite":    {"source/dialect", "source/changes", "source/stdsql"},
		"source/oracle":    {"source/dialect", "source/horizon", "source/stdsql"},
		"source/sqlserver": {"source/dialect", "source/horizon", "source/stdsql"},
	}},
	"index": {imports: []string{"base"}, inside: map[string][]string{
		"index/aggregate":         {"index/query"},
		"index/analysis/language": {"index/analysis"},
		"index/search":            {"index/aggregate", "index/query", "index/title"},
		// The layers of the embedded engine, the lowest first.
		"index/fulltext/numbers":  {"index/fulltext/bitset"},
		"index/fulltext/segment":  {"index/analysis", "index/fulltext/bitset", "index/fulltext/numbers", "index/fulltext/segment/fst"},
		"index/fulltext/schema":   {"index/analysis", "index/query"},
		"index/fulltext/words":    {"index/analysis", "index/fulltext/schema", "index/query"},
		"index/fulltext/compiled": {"index/fulltext/schema", "index/query"},
		"index/fulltext/plan":     {"index/fulltext/compiled", "index/fulltext/numbers", "index/fulltext/schema", "index/fulltext/segment", "index/fulltext/words", "index/query"},
		"index/fulltext/order":    {"index/fulltext/compiled", "index/fulltext/numbers", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/fulltext/versions", "index/query"},
		"index/fulltext/aggs":     {"index/aggregate", "index/fulltext/compiled", "index/fulltext/numbers", "index/fulltext/order", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/query"},
		"index/fulltext/hits":     {"index/fulltext/aggs", "index/fulltext/compiled", "index/fulltext/numbers", "index/fulltext/order", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/query"},
		"index/fulltext":          {"index/fulltext/compiled", "index/fulltext/hits", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/fulltext/versions", "index/fulltext/words", "index/query"},
		"index/opensearch":        {"index/aggregate", "index/fulltext", "index/fulltext/compiled", "index/fulltext/schema", "index/query"},
	}, extra: map[string][]string{
		"index/reindex": {"/timetrace"}, // a reindex has a mark
	}},
	"pages": {imports: []string{"base"}, inside: map[string][]string{
		"pages/bigtable": {"pages/pagetable"},
		"pages/hbase":    {"pages/pagetable"},
	}},
	"state": {imports: []string{"base"}, inside: map[string][]string{
		"state/backup": {"/timetrace"},
	}, extra: map[string][]string{
		"state/stamps": {"/store/bloom"},
	}},
	// The passes use source, index and pages only through interfaces that they declare.
	"sync": {imports: []string{"base"}, inside: map[string][]string{
		"/incremental": {"sync/refetch"},
		"/compensate":  {"sync/refetch"},
		"/deletecheck": {"sync/refetch"},
		"sync/passes":  {"/initial", "/incremental", "/compensate", "sync/sink"},
	}, extra: map[string][]string{
		"/initial":     {"/timetrace"},
		"/incremental": {"/timetrace"},
		"/compensate":  {"/timetrace"},
		"/deletecheck": {"/timetrace"},
		"sync/passes":  {"/timetrace", "/configs", "state/stamps", "source/changes"},
	}},
	"tool": {imports: []string{"base", "configs", "source"}, extra: map[string][]string{
		"tool/inspect":  {"index/fulltext/schema"},                  // what a column is indexed as
		"tool/proposal": {"index/analysis/language", "index/title"}, // the language of a text, and what names a row
	}, inside: map[string][]string{
		"tool/proposal": {"tool/secret"},
	}},
	"serve": {imports: []string{"base", "configs", "source", "index", "pages", "state", "sync", "tool"}, inside: map[string][]string{
		"serve/httpapi": {"serve/clients", "serve/signed"},
		"serve/leader":  {"serve/database", "serve/datadir", "serve/httpapi"},
		"serve/stored":  {"serve/database", "serve/datadir", "serve/httpapi", "serve/leader"},
		"serve/moves":   {"serve/datadir", "serve/httpapi", "serve/leader", "serve/stored"},
		"serve/runs":    {"serve/httpapi"},
		"serve/tables":  {"serve/database", "serve/httpapi", "serve/runs", "serve/stored"},
		"serve/front":   {"serve/clients", "serve/datadir", "serve/httpapi", "serve/osapi", "serve/signed"},
		"serve/daemon": {
			"serve/clients", "serve/database", "serve/datadir", "serve/front", "serve/httpapi", "serve/leader", "serve/moves", "serve/osapi/mapping", "serve/runs", "serve/stored", "serve/tables",
		},
		// The wire, and below it what reads and prints the parts of a search.
		"serve/osapi":         {"serve/httpapi", "serve/osapi/aggs", "serve/osapi/dsl", "serve/osapi/format", "serve/osapi/hits", "serve/osapi/input", "serve/osapi/mapping", "serve/osapi/suggest"},
		"serve/osapi/hits":    {"serve/osapi/dsl", "serve/osapi/format", "serve/osapi/input", "serve/osapi/mapping"},
		"serve/osapi/aggs":    {"serve/osapi/dsl", "serve/osapi/format", "serve/osapi/input", "serve/osapi/mapping"},
		"serve/osapi/suggest": {"serve/osapi/format", "serve/osapi/input", "serve/osapi/mapping"},
		"serve/osapi/dsl":     {"serve/osapi/format", "serve/osapi/input", "serve/osapi/mapping"},
		"serve/osapi/format":  {"serve/osapi/input"},
		"serve/osapi/mapping": {"serve/osapi/input"},
		"serve/osapi/input":   {"serve/httpapi"},
	}},
	"cmd": {imports: []string{"base", "configs", "source", "index", "pages", "state", "sync", "tool", "serve"}},
}

// topLevel lists the wings of the packages beside internal/.
var topLevel = map[string]string{
	"cmd":         "cmd",
	"configs":     "configs",
	"store":       "pages",
	"timetrace":   "state",
	"initial":     "sync",
	"incremental": "sync",
	"compensate":  "sync",
	"deletecheck": "sync",
}

// wingOf returns the wing of a package, "" if it has none.
func wingOf(pkg string) string {
	first, rest, _ := strings.Cut(pkg, "/")
	if first != "internal" {
		return topLevel[first]
	}
	name, _, _ := strings.Cut(rest, "/")
	if _, known := wings[name]; known || name == "test" {
		return name
	}
	return ""
}

// short returns the name of a package as the table has it.
func short(pkg string) string {
	if rest, inside := strings.CutPrefix(pkg, "internal/"); inside {
		return rest
	}
	return "/" + pkg
}

// allowed reports whether a package of the product may import another one.
func allowed(from, to string) bool {
	w := wings[wingOf(from)]
	if wingOf(from) == wingOf(to) {
		return slices.Contains(w.inside[short(from)], short(to))
	}
	return slices.Contains(w.imports, wingOf(to)) || slices.Contains(w.extra[short(from)], short(to))
}

// owners lists the one package that imports each third-party module. Packages
// below the owner may import it too.
var owners = map[string]string{
	"github.com/alecthomas/kong":               "cmd/indexerd",
	"github.com/lmittmann/tint":                "cmd/indexerd",
	"github.com/mattn/go-isatty":               "cmd/indexerd",
	"github.com/vbauerster/mpb":                "cmd/indexerd",
	"cloud.google.com/go/bigtable":             "internal/pages/bigtable",
	"google.golang.org/api":                    "internal/pages/bigtable",
	"google.golang.org/grpc":                   "internal/pages/bigtable",
	"go.etcd.io/etcd":                          "internal/state/etcd",
	"go.uber.org/zap":                          "internal/state/etcd",
	"github.com/bits-and-blooms/bloom":         "store/bloom",
	"github.com/redis/go-redis":                "store/bloom",
	"github.com/gofrs/flock":                   "store",
	"github.com/blevesearch":                   "internal/index/fulltext",
	"github.com/blevesearch/bleve/v2/analysis": "internal/index/analysis",
	"github.com/golang/snappy":                 "internal/index/fulltext/segment",
	"github.com/RoaringBitmap/roaring":         "internal/index/fulltext/segment",
	"go.etcd.io/bbolt":                         "internal/index/fulltext",
	"github.com/go-co-op/gocron":               "internal/base/schedule",
	"github.com/golang-jwt/jwt":                "internal/serve/signed",
	"github.com/jackc/pgx":                     "internal/source/postgres",
	"modernc.org/sqlite":                       "internal/source/sqlite",
	"github.com/go-sql-driver/mysql":           "internal/source/mysql",
	"github.com/sijms/go-ora":                  "internal/source/oracle",
	"github.com/microsoft/go-mssqldb":          "internal/source/sqlserver",
	"github.com/magiconair/properties":         "timetrace",
	"go.yaml.in/yaml":                          "configs",
	"github.com/google/btree":                  "internal/state/stamps",
	"golang.org/x/time":                        "internal/base/pace",
	"github.com/coreos/go-systemd":             "internal/serve/daemon",
	"github.com/prometheus/client_golang":      "internal/serve/httpapi",
}

// shared are modules that any package may import: they do no I/O.
var shared = []string{"golang.org/x/sync", "golang.org/x/sys", "golang.org/x/text", "github.com/zeebo/xxh3", "github.com/klauspost/compress", "github.com/cenkalti/backoff"}
