// Package archtest tests the structure of the module: which package may import
// which, which package owns a third-party module, and how long files are. It
// parses the files itself: the test cache would not notice a new import if it ran
// go list. It takes less than a second.
package archtest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "indexerd"

// floors lists the floor of every package of the product. Packages import only
// lower floors, with the exceptions in allowed.
var floors = map[string]int{
	"internal/doc":              0,
	"internal/atomicfile":       0,
	"internal/query":            0,
	"internal/calendar":         0,
	"internal/aggregate":        0,
	"internal/nearest":          0,
	"internal/pace":             0,
	"internal/recovered":        0,
	"internal/timeunit":         0,
	"internal/terminal":         0,
	"configs":                   1,
	"timetrace":                 1,
	"store":                     1,
	"store/bloom":               1,
	"internal/sink":             1,
	"internal/refetch":          1,
	"internal/horizon":          1,
	"internal/changes":          1,
	"internal/analysis":         1,
	"internal/fulltext":         1,
	"internal/fulltext/segment": 1,
	"internal/opensearch":       1,
	"internal/pagetable":        1,
	"internal/etcd":             1,
	"internal/quarantine":       1,
	"internal/history":          1,
	"internal/stamps":           1,
	"internal/schedule":         1,
	"internal/clients":          1,
	"initial":                   2,
	"incremental":               2,
	"compensate":                2,
	"deletecheck":               2,
	"internal/bigtable":         2,
	"internal/hbase":            2,
	"internal/search":           2,
	"internal/tierplan":         2,
	"internal/backup":           2,
	"internal/reindex":          2,
	"internal/move":             2,
	"internal/passes":           3,
	"internal/httpapi":          3,
	"internal/inspect":          3,
	"internal/osapi":            4,
	"internal/demo":             4,
	"internal/database":         4,
	"internal/daemon":           5,
	"cmd/indexerd":              6,
	"internal/sqlsource":        1,
	"internal/sqlsource/stdsql": 2,
	"internal/sqlite":           3,
	"internal/postgres":         2,
	"internal/mysql":            3,
	"internal/oracle":           3,
	"internal/sqlserver":        3,
}

// helpers are packages for tests. Only test files and other helpers import them.
var helpers = []string{
	"internal/archtest",
	"internal/badconfigs",
	"internal/compare",
	"internal/democluster",
	"internal/etcd/etcdtest",
	"internal/fakedriver",
	"internal/fakeworld",
	"internal/fakeworld/machine",
	"internal/faultdisk",
	"internal/faultfs",
	"internal/fulltext/indextest",
	"internal/h2test",
	"internal/hbase/hbasetest",
	"internal/javatest",
	"internal/mariatest",
	"internal/nofailfile",
	"internal/opensearch/nodetest",
	"internal/osapi/apidiff",
	"internal/osapi/apisuite",
	"internal/osapi/apitest",
	"internal/osapi/clienttest",
	"internal/pagetable/pagestest",
	"internal/pgtest",
	"internal/pgtest/cluster",
	"internal/pgtest/films",
	"internal/pgtest/release",
	"internal/pgtest/withpg",
	"internal/relevance",
	"internal/sampletext",
	"internal/simtest",
	"internal/simtest/mutants",
	"internal/simtest/servers",
	"internal/sqlsource/sourcetest",
}

// allowed reports whether a package of the product may import another one.
func allowed(from, to string) bool {
	switch floors[from] {
	case 0:
		return from == "internal/query" && floors[to] == 0 || // queries name fields of documents, and suggest the nearest
			from == "internal/aggregate" && to == "internal/query" // the results of a request
	case 1:
		return floors[to] == 0 || from == "internal/stamps" && to == "store/bloom" ||
			within(from, "internal/fulltext") && (to == "internal/analysis" || to == "internal/fulltext/segment") ||
			from == "internal/opensearch" && to == "internal/fulltext" // one schema, so that both find the same
	case 2:
		// Passes use floor 1 only through interfaces that they declare, but for
		// refetch, the step that three passes share.
		return floors[to] == 0 || to == "timetrace" || to == "internal/refetch" || (from == "internal/bigtable" || from == "internal/hbase") && to == "internal/pagetable" || from == "internal/sqlsource/stdsql" && (to == "internal/sqlsource" || to == "internal/horizon") ||
			from == "internal/postgres" && (to == "internal/sqlsource" || to == "internal/horizon" || to == "internal/changes")
	}
	return floors[to] < floors[from]
}

// owners lists the one package that imports each third-party module. Packages
// below the owner may import it too.
var owners = map[string]string{
	"github.com/alecthomas/kong":               "cmd/indexerd",
	"github.com/lmittmann/tint":                "cmd/indexerd",
	"github.com/mattn/go-isatty":               "cmd/indexerd",
	"github.com/vbauerster/mpb":                "cmd/indexerd",
	"cloud.google.com/go/bigtable":             "internal/bigtable",
	"google.golang.org/api":                    "internal/bigtable",
	"google.golang.org/grpc":                   "internal/bigtable",
	"go.etcd.io/etcd":                          "internal/etcd",
	"go.uber.org/zap":                          "internal/etcd",
	"github.com/bits-and-blooms/bloom":         "store/bloom",
	"github.com/redis/go-redis":                "store/bloom",
	"github.com/gofrs/flock":                   "store",
	"github.com/blevesearch":                   "internal/fulltext",
	"github.com/blevesearch/bleve/v2/analysis": "internal/analysis",
	"github.com/golang/snappy":                 "internal/fulltext/segment",
	"github.com/RoaringBitmap/roaring":         "internal/fulltext/segment",
	"github.com/go-co-op/gocron":               "internal/schedule",
	"github.com/jackc/pgx":                     "internal/postgres",
	"modernc.org/sqlite":                       "internal/sqlite",
	"github.com/go-sql-driver/mysql":           "internal/mysql",
	"github.com/sijms/go-ora":                  "internal/oracle",
	"github.com/microsoft/go-mssqldb":          "internal/sqlserver",
	"github.com/magiconair/properties":         "timetrace",
	"go.yaml.in/yaml":                          "configs",
	"github.com/google/btree":                  "internal/stamps",
	"golang.org/x/time":                        "internal/pace",
	"github.com/coreos/go-systemd":             "internal/daemon",
	"github.com/prometheus/client_golang":      "internal/httpapi",
}

// shared are modules that any package may import: they do no I/O.
var shared = []string{"golang.org/x/sync", "golang.org/x/sys", "golang.org/x/text", "github.com/zeebo/xxh3", "github.com/klauspost/compress", "github.com/cenkalti/backoff"}

func TestImportsGoDown(t *testing.T) {
	for _, f := range files(t) {
		helper := slices.Contains(helpers, f.pkg)
		if _, known := floors[f.pkg]; !known && !helper {
			t.Errorf("%s: package %s has no floor: add it to floors", f.name, f.pkg)
			continue
		}
		for _, imported := range f.imports {
			to, inside := strings.CutPrefix(imported, module+"/")
			switch {
			case !inside || f.isTest() || helper:
			case slices.Contains(helpers, to):
				t.Errorf("%s imports %s, which is for tests", f.name, to)
			case !allowed(f.pkg, to):
				t.Errorf("%s: %s (floor %d) must not import %s (floor %d)", f.name, f.pkg, floors[f.pkg], to, floors[to])
			}
		}
	}
}

func TestEachModuleHasOneOwner(t *testing.T) {
	for _, f := range files(t) {
		if f.isTest() || slices.Contains(helpers, f.pkg) {
			continue
		}
		for _, imported := range f.imports {
			if !strings.Contains(strings.SplitN(imported, "/", 2)[0], ".") || hasPrefix(shared, imported) {
				continue // the standard library, this module, or a shared module
			}
			if floors[f.pkg] == 0 && f.pkg != "internal/pace" { // x/time/rate only computes delays
				t.Errorf("%s: %s (floor 0) imports %s, not the standard library only", f.name, f.pkg, imported)
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
	const nofailfile = module + "/internal/nofailfile"
	properties, safe := map[string]bool{}, map[string]bool{}
	for _, f := range files(t) {
		properties[f.pkg] = properties[f.pkg] || slices.Contains(f.imports, "pgregory.net/rapid")
		safe[f.pkg] = safe[f.pkg] || f.pkg == "internal/nofailfile" || slices.Contains(f.imports, nofailfile)
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
