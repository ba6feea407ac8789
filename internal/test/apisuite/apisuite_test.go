package apisuite

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/test/nodetest"
)

func TestMain(m *testing.M) { os.Exit(nodetest.Main(m)) }

// folders are those whose tests read.
var folders = []string{"search", "search.aggregation", "search.highlight", "search.inner_hits", "search_shards", "count", "mget", "msearch", "scroll", "explain", "get", "get_source", "exists", "field_caps",
	"suggest", "indices.validate_query", "indices.analyze", "indices.get_mapping", "cat.count", "cat.indices", "cat.aliases", "info", "ping", "mlt", "pit", "range"}

// differences are tests that fail for a known reason, by name. docs/opensearch-api.md has
// the reasons.
var differences = map[string]string{
	"field_caps/10_basic.yml: Get prefix field caps":                                                numbersAreDoubles,
	"field_caps/20_meta.yml: Merge metadata across multiple indices":                                numbersAreDoubles,
	"field_caps/30_filter.yml: Field caps with index filter":                                        numbersAreDoubles,
	"search.aggregation/80_typed_keys.yml: Test typed keys parameter for terms aggregation":         numbersAreDoubles,
	"scroll/10_basic.yml: Basic scroll":                                                             noSnapshot,
	"scroll/10_basic.yml: Basic scroll with 1 shard":                                                noSnapshot,
	"scroll/10_basic.yml: Body params override query string":                                        noSnapshot,
	"search/120_batch_reduce_size.yml: batched_reduce_size 2 with 5 shards":                         "an index has one shard",
	"search/330_fetch_fields.yml: Test disable _source loading":                                     "nothing is stored but _source",
	"indices.get_mapping/60_empty.yml: Check empty mapping when getting all mappings via /_mapping": "a table has columns",
}

const (
	numbersAreDoubles = "numbers are of type double"
	noSnapshot        = "a scroll is no snapshot: rows that are written later are found"
)

// The tests of DIR pass that only read.
func TestSuite(t *testing.T) {
	dir := os.Getenv("APISUITE")
	if dir == "" {
		t.Skip("the tests are not part of the project: make api-suite fetches and runs them")
	}
	var real *node
	if os.Getenv("OPENSEARCH") != "" || os.Getenv("OPENSEARCH_URL") != "" {
		real = &node{nodetest.URL(t)}
	}
	numbers, names := map[string]int{}, map[string]int{}
	each := func(name string, o outcome) {
		if why := differences[name]; why != "" && o.kind == "failed" {
			o = outcome{"listed", why}
		}
		if numbers[o.kind]++; o.kind == "failed" {
			t.Errorf("%s: %s", name, o.why)
		} else if o.kind != "passed" {
			names[o.kind+": "+o.why]++
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "api")); err != nil {
		tell(t, dir, real, each)
	} else {
		runAll(t, dir, real, each)
	}
	for _, name := range slices.SortedFunc(keys(names), func(a, b string) int { return cmp.Or(names[b]-names[a], strings.Compare(a, b)) }) {
		fmt.Printf("%6d  %s\n", names[name], name)
	}
	all := 0
	for _, n := range numbers {
		all += n
	}
	if all == 0 {
		t.Fatalf("%s has no tests", dir)
	}
	fmt.Printf("api-suite: tests=%d passed=%d failed=%d unsupported=%d listed=%d not-reading=%d other-release=%d\n",
		all, numbers["passed"], numbers["failed"], numbers["unsupported"], numbers["listed"], numbers["not reading"], numbers["other release"])
}

func keys(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// runAll runs the tests of a directory with the folders api and test.
func runAll(t *testing.T, dir string, real *node, each func(string, outcome)) {
	t.Helper()
	calls, err := apis(filepath.Join(dir, "api"))
	if err != nil || len(calls) == 0 {
		t.Fatalf("%s has no descriptions of calls: %v", dir, err)
	}
	for _, s := range tests(t, filepath.Join(dir, "test")) {
		each(s.name, judge(t, calls, s, real))
	}
}

// tests reads the tests of the folders.
func tests(t *testing.T, dir string) (all []suite) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".yml" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if !slices.Contains(folders, filepath.Dir(name)) {
			return nil
		}
		some, err := load(path, name)
		all = append(all, some...)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%s has no tests: %v", dir, err)
	}
	slices.SortFunc(all, func(a, b suite) int { return strings.Compare(a.name, b.name) })
	return all
}

// judge runs a test on the node, if there is one, and then on the API.
func judge(t *testing.T, calls map[string]api, s suite, real *node) (o outcome) {
	t.Helper()
	if why := cmp.Or(skipped(s.setup), skipped(s.steps)); why != "" {
		return outcome{"other release", why}
	}
	t.Run(s.name, func(t *testing.T) {
		o = run(t, calls, s, &embedded{written: written{}})
		if real == nil || o.kind == "not reading" || o.kind == "unsupported" {
			return
		}
		real.clean(t)
		if there := run(t, calls, s, real); there.kind != "passed" {
			o = outcome{"other release", "the node does not pass it"}
		}
		real.clean(t)
	})
	return o
}

// clean deletes all indices of the node.
func (n *node) clean(t *testing.T) {
	t.Helper()
	if r, _ := n.do(t, "indices.delete", nil, message{"DELETE", "/*", ""}); r.status != http.StatusOK {
		t.Fatalf("delete all indices: %d %s", r.status, r.text)
	}
}
