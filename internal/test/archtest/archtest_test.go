// Package archtest tests the structure of the module: which wing and package may
// import which, which package owns a third-party module, and how long files are. It
// parses the files itself: the test cache would not notice a new import if it ran
// go list. It takes less than a second.
package archtest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "indexerd"

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
		"base/schedule": {"base/recovered"},
	}},
	"configs": {imports: []string{"base"}, extra: map[string][]string{
		"/configs": {"index/query"}, // the names and types of fields
	}},
	"source": {imports: []string{"base"}, inside: map[string][]string{
		"source/stdsql":    {"source", "source/horizon"},
		"source/postgres":  {"source", "source/horizon", "source/changes"},
		"source/mysql":     {"source", "source/horizon", "source/changes", "source/stdsql"},
		"source/sqlite":    {"source", "source/changes", "source/stdsql"},
		"source/oracle":    {"source", "source/horizon", "source/stdsql"},
		"source/sqlserver": {"source", "source/horizon", "source/stdsql"},
	}},
	"index": {imports: []string{"base"}, inside: map[string][]string{
		"index/aggregate": {"index/query"},
		"index/search":    {"index/aggregate", "index/query"},
		// The layers of the embedded engine, the lowest first.
		"index/fulltext/segment":  {"index/analysis"},
		"index/fulltext/schema":   {"index/analysis", "index/query"},
		"index/fulltext/words":    {"index/analysis", "index/fulltext/schema", "index/query"},
		"index/fulltext/compiled": {"index/fulltext/schema", "index/query"},
		"index/fulltext/plan":     {"index/fulltext/compiled", "index/fulltext/schema", "index/fulltext/segment", "index/fulltext/words", "index/query"},
		"index/fulltext/order":    {"index/fulltext/compiled", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/stored", "index/query"},
		"index/fulltext/aggs":     {"index/aggregate", "index/fulltext/compiled", "index/fulltext/order", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/query"},
		"index/fulltext/hits":     {"index/fulltext/aggs", "index/fulltext/compiled", "index/fulltext/order", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/query"},
		"index/fulltext":          {"index/fulltext/compiled", "index/fulltext/hits", "index/fulltext/plan", "index/fulltext/schema", "index/fulltext/segment", "index/fulltext/stored", "index/fulltext/words", "index/query"},
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
		"tool/inspect": {"index/fulltext/schema"}, // what a column is indexed as
	}},
	"serve": {imports: []string{"base", "configs", "source", "index", "pages", "state", "sync", "tool"}, inside: map[string][]string{
		"serve/httpapi": {"serve/clients"},
		"serve/leader":  {"serve/database", "serve/datadir", "serve/httpapi"},
		"serve/stored":  {"serve/database", "serve/datadir", "serve/httpapi", "serve/leader"},
		"serve/moves":   {"serve/datadir", "serve/httpapi", "serve/leader", "serve/stored"},
		"serve/runs":    {"serve/httpapi"},
		"serve/tables":  {"serve/database", "serve/httpapi", "serve/runs", "serve/stored"},
		"serve/front":   {"serve/clients", "serve/datadir", "serve/httpapi", "serve/osapi"},
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
	"github.com/go-co-op/gocron":               "internal/base/schedule",
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

// Every package is in a wing, and imports only what the wing may import.
func TestWings(t *testing.T) {
	for _, f := range files(t) {
		from := wingOf(f.pkg)
		if from == "" {
			t.Errorf("%s: package %s is in no wing: move it into one of %s", f.name, f.pkg, strings.Join(slices.Sorted(maps.Keys(wings)), ", "))
			continue
		}
		for _, imported := range f.imports {
			to, ours := strings.CutPrefix(imported, module+"/")
			switch {
			case !ours || f.isTest() || from == "test":
			case wingOf(to) == "test":
				t.Errorf("%s imports %s, which is for tests", f.name, to)
			case !allowed(f.pkg, to):
				t.Errorf("%s: %s (wing %s) must not import %s (wing %s)", f.name, f.pkg, from, to, wingOf(to))
			}
		}
	}
}

// A wing imports only wings that do not import it, directly or through others.
func TestWingsHaveNoCircle(t *testing.T) {
	imports := map[string]map[string]bool{}
	for name := range wings {
		imports[name] = map[string]bool{}
	}
	for _, f := range files(t) {
		from := wingOf(f.pkg)
		for _, imported := range f.imports {
			if to, ours := strings.CutPrefix(imported, module+"/"); ours && !f.isTest() && from != "test" && from != "" && wingOf(to) != from {
				imports[from][wingOf(to)] = true
			}
		}
	}
	for range wings { // at each step those go that import none of the rest
		for name, to := range imports {
			if !slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(t string) bool { return imports[t] != nil }) {
				delete(imports, name)
			}
		}
	}
	if len(imports) > 0 {
		t.Errorf("these wings import each other: %s", strings.Join(slices.Sorted(maps.Keys(imports)), ", "))
	}
}

// internal/ has the wings and nothing else, and each has a doc.go of at most ten lines.
func TestInternalHasWingsOnly(t *testing.T) {
	root := filepath.Join(moduleRoot(t), "internal")
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if wingOf("internal/"+e.Name()) == "" {
			t.Errorf("internal/%s is not a wing", e.Name())
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, e.Name(), "doc.go"))
		if lines := bytes.Count(text, []byte("\n")); err != nil || lines > 10 {
			t.Errorf("internal/%s/doc.go has %d lines, want 1 to 10: %v", e.Name(), lines, err)
		}
	}
}

func TestEachModuleHasOneOwner(t *testing.T) {
	for _, f := range files(t) {
		if f.isTest() || wingOf(f.pkg) == "test" {
			continue
		}
		for _, imported := range f.imports {
			if !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") || hasPrefix(shared, imported) {
				continue // the standard library, this module, or a shared module
			}
			if owner := ownerOf(imported); !within(f.pkg, owner) {
				t.Errorf("%s: %s imports %s, whose owner is %q", f.name, f.pkg, imported, owner)
			}
		}
	}
}

// Every package with property tests imports nofailfile, so that a failure leaves
// no file in the tree.
func TestPropertyTestsImportNofailfile(t *testing.T) {
	const nofailfile = module + "/internal/test/nofailfile"
	properties, safe := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		properties[f.pkg] = properties[f.pkg] || slices.Contains(f.imports, "pgregory.net/rapid")
		safe[f.pkg] = safe[f.pkg] || f.pkg == "internal/test/nofailfile" || slices.Contains(f.imports, nofailfile)
	}
	for pkg, ok := range properties {
		if ok && !safe[pkg] {
			t.Errorf("%s uses rapid: one of its test files must import _ %q", pkg, nofailfile)
		}
	}
	if !properties["store"] {
		t.Error("no test of store imports rapid: the test does not read imports")
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	commented := map[string]bool{}
	for _, f := range files(t) {
		commented[f.pkg] = commented[f.pkg] || f.commented
	}
	for pkg, ok := range commented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	const most = 400
	for _, f := range files(t) {
		if f.lines > most {
			t.Errorf("%s has %d lines, more than %d: split it", f.name, f.lines, most)
		}
	}
}

// A file is a Go file of the module.
type file struct {
	pkg, name string // relative to the root
	imports   []string
	lines     int
	commented bool // has a package comment
}

func (f file) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

// files returns every Go file of the module.
func files(t *testing.T) (all []file) {
	t.Helper()
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(name)):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		f := file{pkg: filepath.ToSlash(filepath.Dir(rel)), name: filepath.ToSlash(rel), lines: bytes.Count(text, []byte("\n")), commented: parsed.Doc.Text() != ""}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		all = append(all, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("found only %d Go files below %s: the walk is broken", len(all), root)
	}
	return all
}

// isModule reports whether a directory has a go.mod.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !isModule(dir) {
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// ownerOf returns the owner of the longest prefix.
func ownerOf(imported string) (owner string) {
	longest := ""
	for prefix, o := range owners {
		if hasPrefix([]string{prefix}, imported) && len(prefix) > len(longest) {
			longest, owner = prefix, o
		}
	}
	return owner
}

// within reports whether a package is its owner, or below it.
func within(pkg, owner string) bool { return owner != "" && hasPrefix([]string{owner}, pkg) }

func hasPrefix(prefixes []string, s string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return s == p || strings.HasPrefix(s, p+"/") })
}
