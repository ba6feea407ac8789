package main

import "strings"

// A target is one of the Makefile, with the smallest size that still checks something.
type target struct {
	name    string
	vars    string   // of make, separated by blanks
	until   string   // it runs for ever: it is interrupted when it has printed this
	judges  bool     // it compares speeds: a MISS at this size says nothing
	refuse  string   // it fails and prints this, for what it needs is the user's
	without string   // why it is not run, or which part
	server  bool     // it starts a separate PostgreSQL; the others share one
	needs   []string // files or programs that it would have to fetch or build for minutes
}

// args are those of make. What the target needs is there.
func (t target) args() []string {
	args := []string{t.name}
	for _, needed := range []string{"servers", "java", "build"} {
		if needed != t.name {
			args = append(args, "-o", needed)
		}
	}
	return append(args, strings.Fields(t.vars)...)
}

// targets are in the order in which they begin: the longest first.
var targets = []target{
	{name: "silent", vars: "N=1000 SECONDS=1 TABLES=10"},
	{name: "package", vars: "AGAIN=. SBOM_FLAGS="},
	{name: "late", vars: "N=1 HINTS=1"},
	{name: "many", vars: "N=2 BROKEN=4 SECONDS=1", judges: true},
	{name: "opensearch-kill", vars: "N=1 NODES=1"},
	{name: "failover", vars: "N=1 PAUSE=1s"},
	{name: "api-diff", vars: "N=20 DOCS=50"},
	{name: "opensearch", vars: "N=100 RUN=^TestCollapseDifferential"},
	{name: "bench-search", vars: "ROWS=2000 SECONDS=0.05 TANTIVY=", judges: true, without: "tantivy, which it installs"},
	{name: "bench-store", vars: "N=1000 GETS=1000 ROUNDS=1", judges: true},
	{name: "schema", vars: "N=1"},
	{name: "chinook", vars: "N=1"},
	{name: "kth", vars: "KTH="},
	{name: "compare", vars: "OLD=./indexerd NEW=./indexerd N=1 ROWS=1000", judges: true},
	{name: "bench-follow", vars: "SECONDS=1 RATES=10"},
	{name: "bench-scale", vars: "ROWS=1000"},
	{name: "bench", vars: "BENCH=BenchmarkSweep$$ ROWS=1000 STAMPS=100000", judges: true, without: "Load, Backup, Memory, MariaDB and MySQL have no smaller size than minutes"},
	{name: "bench-pages", vars: "N=1000 KEYS=10000 HBASE="},
	{name: "standins", vars: "RUN=^TestStatements"},
	{name: "mutants", vars: "RULES=R2"},
	{name: "sim", vars: "N=1"},
	{name: "visible", vars: "N=1"},
	{name: "hostile", vars: "N=100"},
	{name: "typed", vars: "N=100 DOCS=500", judges: true},
	{name: "kill", vars: "N=1 TABLES=2"},
	{name: "kill", vars: "N=1 DRIVER=mysql SERVER=mysql"},
	{name: "power", vars: "N=1"},
	{name: "crash", vars: "N=1"},
	{name: "network", vars: "N=1"},
	{name: "disk", vars: "N=1"},
	{name: "cycles", vars: "N=1"},
	{name: "flip", vars: "N=1"},
	{name: "fresh", vars: "N=100"},
	{name: "deletes", vars: "N=1000 SECONDS=1"},
	{name: "strangers", vars: "DIR=cmd/indexerd/testdata/strangers"},
	{name: "abuse", vars: "SECONDS=1", judges: true},
	{name: "storm", vars: "N=100"},
	{name: "idle", vars: "IDLE_SECONDS=1", judges: true},
	{name: "stress", vars: "SECONDS=1"},
	{name: "pooler", vars: "RUN=^TestReadingsArePrepared", server: true},
	{name: "relevance", vars: "DIR=internal/test/relevance/testdata", judges: true},
	{name: "demo", until: "http://127.0.0.1:"},
	{name: "image"},
	{name: "grammars", needs: []string{"../shared/grammars", "$CACHE/indexerd-grammars/tsql"}},
	{name: "oracle", refuse: "write make oracle DSN=", without: "it needs an Oracle"},
	{name: "sqlserver", refuse: "write make sqlserver DSN=", without: "it needs a SQL Server"},
	{name: "extras"},
	{name: "java"},
	{name: "api-suite", without: "it fetches the REST tests, and takes minutes"},
	{name: "bench-peers", without: "it installs PGSync"},
	{name: "clients", without: "it installs clients of four languages, a bundler and a server of tools"},
	{name: "demo-cluster", without: "it fetches HBase"},
	{name: "hbase", without: "it fetches HBase"},
	{name: "versions", server: true, without: "it fetches two releases of PostgreSQL and one of MariaDB"},
}

// others are run by CI, or are part of those above.
var others = []string{"build", "lint", "test", "race", "race-packages", "race-binary", "servers", "smoke"}
