# The two that matter: make demo, make test. Every target that needs a server
# starts a private one on a free port and ends it.

GO       ?= go
TESTDATA ?= $(abspath ../shared/data)
INSTALL   = $(if $(filter 0,$(shell id -u)),,sudo) apt-get
WITHPG    = $(GO) run ./internal/test/pgtest/withpg
export TESTDATA

.PHONY: failover demo-cluster bench-peers bench-pages api-diff api-suite clients hbase relevance standins grammars oracle sqlserver opensearch opensearch-kill java deletes chinook versions pooler silent strangers abuse compare extras schema hostile typed visible sim mutants kill kth power crash network disk cycles flip fresh demo build test lint race race-packages race-binary smoke bench bench-search bench-scale bench-follow bench-store package image storm many idle stress late servers

demo: build
	./indexerd demo

# Two daemons beside PostgreSQL, OpenSearch, HBase, etcd and Redis, all on this machine,
# to try what happens when the leader is killed.
demo-cluster: build servers
	$(GO) run ./internal/test/democluster

build:
	$(GO) build -trimpath -ldflags "-s -w $$(packaging/ldflags.sh)" -o indexerd ./cmd/indexerd

# Everything, on real servers; make lint vets. Most tests wait for a daemon, a server or a
# clock, so more of them run at a time than there are processors: so many packages, and of
# each so many tests. Those that mount a faultdisk or judge how long a search takes run
# alone in their package. The last line names the tests that were skipped because TESTDATA
# lacks a file: they repeat others on data that are not part of the project.
TOGETHER = -p 3 -parallel 8
test: servers
	$(WITHPG) $(GO) test -vet=off $(TOGETHER) -timeout 30m ./...
	@$(MAKE) -s extras

extras:
	@skipped=$$(while read -r file tests; do test -e "$(TESTDATA)/$$file" || printf '; without %s: %s' "$$file" "$$tests"; done <internal/test/pgtest/extras.txt); \
		test -z "$$skipped" || echo "skipped, as $(TESTDATA) is incomplete$$skipped"

# With the race detector: the packages in which code or a test starts a goroutine,
# except three. internal/test/simtest runs one goroutine at a time. internal/source/sqlite runs
# SQLite itself, which is Go code, too slowly: the engine's goroutines are tested
# with PostgreSQL. cmd/indexerd tests the binary: here it is built with the
# detector, for the tests in RACE_BINARY, at the same time as the packages.
RACE_BINARY   = ^(TestPagila|TestBackupCycles|TestManyTables|TestReloadWhileRunning|TestHangUp)$$
RACE_PACKAGES = $(filter-out ./cmd/indexerd ./internal/test/simtest ./internal/source/sqlite ./internal/test/storebench,$(shell \
	grep -rl --include='*.go' -e '\<go func' -e '[.]Go\>' -e '^	*go [a-z]' . | xargs -n1 dirname | sort -u))
race: servers
	@$(MAKE) -j 2 -o servers race-packages race-binary
race-packages: servers
	$(WITHPG) $(GO) test -race -short -vet=off $(TOGETHER) -timeout 30m $(RACE_PACKAGES)
race-binary: servers
	$(WITHPG) $(GO) test -race -short -vet=off $(TOGETHER) -timeout 30m -run '$(RACE_BINARY)' ./cmd/indexerd

# The sources' tests on other releases of PostgreSQL, which Maven's client fetches
# once, and on the newest MariaDB, from Debian's unstable suite.
SOURCES  = ./internal/source/postgres
RELEASES = 14.19 18.6
versions: servers
	@command -v mvn >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq maven; }
	@for release in $(RELEASES); do echo "PostgreSQL $$release"; \
		$(WITHPG) -release $$release $(GO) test -count=1 -timeout 20m $(SOURCES) || exit 1; done
	@internal/test/mariatest/unpack.sh mariadb >/dev/null
	SERVER=mariadb $(WITHPG) $(GO) test -count=1 -timeout 20m ./internal/source/mysql

# The sources' tests through PgBouncer in transaction mode, except those of what
# PgBouncer answers itself: a refused login, and a role's settings that changed
# after its sessions had begun.
pooler: servers
	$(WITHPG) -pooler $(GO) test -count=1 -timeout 20m $(if $(RUN),-run '$(RUN)') -skip '^(TestRefusedLogin|TestServer)$$' $(SOURCES)

# All other targets, each with its smallest size: a line for each says ok, or why it is
# not run. ONLY="kill power" runs these.
smoke: servers
	$(WITHPG) $(GO) run ./internal/test/smoke $(ONLY)

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# Ratios, side by side in one run. The last line of each is its verdict.
# ROWS=10000000 sweeps and backs up ten million rows; STAMPS is how many stamps
# are spilled, and BENCH names some of the benchmarks of the daemon.
bench: servers
	$(if $(ROWS),INDEXERD_ROWS=$(ROWS)) $(WITHPG) $(GO) test -run '^$$' -bench '$(or $(BENCH),Load|Sweep|Backup|Memory|MariaDB|MySQL)' -benchtime 1x -timeout 60m ./cmd/indexerd
	INDEXERD_STAMPS=$(or $(STAMPS),10000000) $(GO) test -run '^$$' -bench 'Merge|Spill' -benchtime 1x ./internal/state/stamps
	@$(MAKE) -s extras

# What loading, searching, sweeping and verifying tables of ROWS rows costs, one after
# another: it can be left alone for hours. N=10000000 is ten million beside one million.
# A row takes about 3 KB of disk while its table is tested. PostgreSQL's files are on the
# disk too, as TMPDIR is set: in memory they would leave too little of it to the index.
bench-scale: servers
	TMPDIR=$${TMPDIR:-/tmp} SCALE_ROWS="$(or $(ROWS),$(if $(N),1000000 $(N)),100000 1000000 3000000 10000000)" $(WITHPG) $(GO) test -count=1 -run '^$$' -bench '^BenchmarkScale$$' -benchtime 1x -timeout 24h ./cmd/indexerd

# CPU, bytes written and syncs of the daemon for a row at 1, 10, 100 and 1,000 changed rows
# a second. strace counts the syncs. SECONDS is how long rows of a table of ROWS change at
# each of RATES.
bench-follow: servers
	FOLLOW_ROWS=$(ROWS) FOLLOW_SECONDS=$(SECONDS) FOLLOW_RATES="$(RATES)" $(WITHPG) $(GO) test -count=1 -run '^$$' -bench '^BenchmarkFollow$$' -benchtime 1x -timeout 30m ./cmd/indexerd

# Searches of a daemon over HTTP at 1,000,000 rows, beside tantivy and FTS5 with the same
# totals; tantivy is installed into a virtual environment of its own, and not run with
# TANTIVY=. Then those of 1, 8 and 64 clients, also beside slow searches, a load and merges.
# Then those of the index alone, beside FTS5 with the same totals and the same
# bm25 and PostgreSQL's GIN index with the same totals, and in the tuned order while 100
# rows a second change, at 100,000 and 1,000,000 rows. The last line of each names the
# targets that were missed, which are those of 1,000,000. Then ten requests of the
# OpenSearch API beside a real node, if it is installed; OPENSEARCH=3.8.0 needs a
# JAVA_HOME of Java 21. ROWS is the number of rows of all in place of these, and SECONDS
# how long each search is repeated at least. BENCH=SearchBeside runs this one only.
TANTIVY      = 0.27.0
TANTIVY_VENV = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/indexerd/tantivy-$(TANTIVY)
BENCH_SEARCH = OPENSEARCH_HEAP=1g SEARCH_SECONDS=$(SECONDS) TANTIVY=$(if $(TANTIVY),$(TANTIVY_VENV)/bin/python3) $(WITHPG) $(GO) test -run '^$$' -benchtime 1x -timeout 60m
bench-search: servers
	@test -z "$(TANTIVY)" || python3 -c 'import venv, ensurepip' 2>/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq python3-venv; } || true
	@test -z "$(TANTIVY)" || test -e $(TANTIVY_VENV)/complete || \
		{ rm -rf $(TANTIVY_VENV) && python3 -m venv $(TANTIVY_VENV) && $(TANTIVY_VENV)/bin/pip install -q tantivy==$(TANTIVY) && touch $(TANTIVY_VENV)/complete; } || true
ifneq ($(BENCH),)
	INDEXERD_ROWS=$(ROWS) $(BENCH_SEARCH) -bench '^Benchmark$(BENCH)$$' ./cmd/indexerd
else
	INDEXERD_ROWS=$(or $(ROWS),1000000) $(BENCH_SEARCH) -bench '^BenchmarkSearchBeside$$' ./cmd/indexerd
	INDEXERD_ROWS=$(ROWS) $(BENCH_SEARCH) -bench '^BenchmarkSearchMany$$' ./cmd/indexerd
	INDEXERD_ROWS=$(ROWS) $(BENCH_SEARCH) -bench '^BenchmarkSearch$$' ./cmd/indexerd
	INDEXERD_ROWS=$(or $(ROWS),1000000) $(BENCH_SEARCH) -bench '^BenchmarkSearch$$' ./cmd/indexerd
	INDEXERD_ROWS=$(or $(ROWS),1000000) $(BENCH_SEARCH) -bench '^BenchmarkSearchAPI$$' ./cmd/indexerd
endif

# Loads of the same rows into one OpenSearch node, beside PGSync, which is installed into a
# virtual environment of its own. The node compiles as a server does, and has 1 GB of heap.
PGSYNC      = 7.3.0
PGSYNC_VENV = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/indexerd/pgsync-$(PGSYNC)
bench-peers: servers
	@python3 -c 'import venv, ensurepip' 2>/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq python3-venv; }
	@test -e $(PGSYNC_VENV)/complete || \
		{ rm -rf $(PGSYNC_VENV) && python3 -m venv $(PGSYNC_VENV) && $(PGSYNC_VENV)/bin/pip install -q pgsync==$(PGSYNC) && touch $(PGSYNC_VENV)/complete; }
	OPENSEARCH_HEAP=1g _JAVA_OPTIONS=-XX:TieredStopAtLevel=4 PGSYNC=$(PGSYNC_VENV)/bin PEERS_N=$(N) $(WITHPG) $(GO) test -run '^$$' -bench '^BenchmarkPeers$$' -benchtime 1x -timeout 60m ./cmd/indexerd

# The order of hits, judged by the collections in DIR, such as cran.all, cran.qry and
# cran.rel, beside FTS5 and, with OPENSEARCH=URL, beside a server.
relevance:
	$(GO) run ./internal/test/relevance $(if $(OPENSEARCH),-opensearch $(OPENSEARCH)) $(DIR)

# CPU a row of commit OLD and commit NEW, by default the last one, or of binaries of
# these names: loads and sweeps of both databases, N times each. A round takes about two
# minutes of CPU.
compare: servers
	$(GO) run ./internal/test/compare -old $(OLD) -new $(or $(NEW),HEAD) -rounds $(or $(N),10) -rows $(or $(ROWS),100000)

# N pages in the store, beside other embedded stores, and GETS of them, in ROUNDS rounds.
bench-store:
	cd internal/test/storebench && $(GO) run . $(if $(N),-n $(N)) $(if $(GETS),-gets $(GETS)) $(if $(ROUNDS),-rounds $(ROUNDS))

# A .deb, an .rpm and a .tar.gz, with the list of what is in them and checksums. AGAIN=/tmp
# builds all of it twice, the second time from a copy of the source below /tmp, and compares
# every byte; AGAIN=. builds it again in place.
package:
	GO=$(GO) AGAIN='$(AGAIN)' packaging/build.sh

# A container image, without a container engine.
image:
	GO=$(GO) packaging/image.sh

servers:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq postgresql; }
	@command -v systemd-analyze >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq systemd; }
	@command -v chromium-headless-shell >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq chromium-headless-shell; }
	@command -v pgbouncer >/dev/null || test -x /usr/sbin/pgbouncer || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq pgbouncer; }
	@command -v mariadbd >/dev/null || test -x /usr/sbin/mariadbd || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq --no-install-recommends mariadb-server; }
	@internal/test/mariatest/unpack.sh mysql >/dev/null 2>&1 || \
		echo 'skipped, as MySQL can not be unpacked: the tests on MySQL'
	@command -v redis-server >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq redis-server; }
	@command -v etcd >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq --no-install-recommends etcd-server; }
	@command -v npm >/dev/null && internal/test/clienttest/install.sh page >/dev/null || \
		echo 'skipped, as npm is not installed: the search page in a browser'
	@$(MAKE) -s java && OPENSEARCH=2.19.1 $(GO) test -count=1 -run '^TestInstall$$' ./internal/test/nodetest >/dev/null || \
		echo 'skipped, as OpenSearch can not be installed: the tests on a real node'

# The dialects whose servers can't run here, on H2, a stand-in. UPDATE=1 asks H2 again
# for the answers that TestStatements plays.
STANDINS = $(wildcard ./internal/source/oracle ./internal/source/sqlserver)
standins: java
	@test -e ~/.m2/repository/com/h2database/h2/2.5.252/h2-2.5.252.jar || mvn -q -B dependency:get -Dtransitive=false -Dartifact=com.h2database:h2:2.5.252
	$(if $(UPDATE),$(foreach p,$(STANDINS),$(GO) test -count=1 -run '^TestStatements$$' $(p) -update;))
	STANDINS=1 $(GO) test -count=1 -timeout 20m $(if $(RUN),-run '$(RUN)') $(STANDINS)

# The suite and late commits on a server of yours: DSN=oracle://system@host:port/service
# with the password in ORACLE_PWD. Each test has an account of its own, which it drops.
# The line RESULT is worth reporting.
oracle:
	@test -n "$(DSN)" || { echo 'write make oracle DSN=oracle://system@host:port/service, with the password in ORACLE_PWD'; exit 1; }
	ORACLE_DSN='$(DSN)' $(GO) test -count=1 -v -parallel 2 -timeout 60m -run '^TestReal$$' ./internal/source/oracle

# The index engine on a real node, which Maven's client fetches once, and N random
# requests to DOCS documents. RELEASE=3.8.0 needs a JAVA_HOME of Java 21.
opensearch: java
	$(if $(DOCS),OPENSEARCH_HEAP=1g) INDEXERD_QUERIES=$(N) INDEXERD_DOCS=$(DOCS) INDEXERD_SEED=$(SEED) OPENSEARCH=$(or $(RELEASE),2.19.1) $(GO) test -count=1 $(if $(N),-v) -timeout 60m $(if $(RUN),-run '$(RUN)') ./internal/index/opensearch

# The OpenSearch API beside a real node with the same documents: N random requests.
api-diff: java
	OPENSEARCH=$(or $(RELEASE),2.19.1) APIDIFF_N=$(or $(N),5000) $(if $(DOCS),APIDIFF_DOCS=$(DOCS)) APIDIFF_SEED=$(or $(SEED),1) \
		$(GO) -C internal/test/apidiff test -count=1 -timeout 60m -run '^TestSameAsOpenSearch$$'

# The REST tests in DIR, which are not part of the project, against the OpenSearch API
# and a real node. By default DIR is those of Elasticsearch 7.10.2, from which OpenSearch
# is made; Maven's client fetches them once.
SUITE = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/indexerd/rest-tests-7.10.2
api-suite: java
	@test -n "$(DIR)" || test -e $(SUITE)/rest-api-spec || { mvn -q -B dependency:copy -Dartifact=org.elasticsearch:rest-api-spec:7.10.2 -DoutputDirectory=$(SUITE) && \
		cd $(SUITE) && jar xf rest-api-spec-7.10.2.jar rest-api-spec; }
	OPENSEARCH=$(or $(RELEASE),2.19.1) APISUITE=$(abspath $(or $(DIR),$(SUITE)/rest-api-spec)) $(GO) -C internal/test/apisuite test -count=1 -timeout 60m

# The pages on a real HBase, which Maven's client fetches once, and on Bigtable's emulator.
hbase: java servers
	HBASE=1 $(GO) test -count=1 -timeout 20m ./internal/pages/hbase ./internal/pages/bigtable ./internal/pages/pagetable ./internal/pages/move
	HBASE=1 $(WITHPG) $(GO) test -count=1 -timeout 20m -run '^(TestMove|TestMoveWhileTheDaemonRuns)$$' ./cmd/indexerd

# N pages in the file map, in Bigtable's emulator and in HBase, and a Bloom filter of KEYS
# keys. HBASE= leaves HBase out.
HBASE = 1
bench-pages: java
	BLOOM_KEYS=$(or $(KEYS),10000000) $(GO) test -run '^$$' -bench Rate -benchtime 1x ./store/bloom
	HBASE=$(HBASE) PAGES=$(or $(N),1000000) $(GO) test -run '^$$' -bench Pages -benchtime 1x -timeout 90m ./internal/test/pagestest

# Their statements, parsed by independent grammars, which are not part of the project.
grammars: java
	internal/test/grammars/parse.sh $(or $(GRAMMARS),$(abspath ../shared/grammars))

# The suite on a SQL Server of yours: DSN='sqlserver://sa@host?database=master' with the
# password in SQLCMDPASSWORD. Each behaviour has a database of its own, which it drops.
# The line RESULT is worth reporting.
sqlserver:
	@test -n "$(DSN)" || { echo "write make sqlserver DSN='sqlserver://sa@host?database=master', with the password in SQLCMDPASSWORD"; exit 1; }
	SQLSERVER_DSN='$(DSN)' $(GO) test -count=1 -v -parallel 2 -timeout 60m -run '^TestServer$$' ./internal/source/sqlserver

java:
	@command -v javac >/dev/null && command -v mvn >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq --no-install-recommends openjdk-17-jdk-headless maven; }

# Seeded worlds in which everything goes wrong, of one daemon and of two: SEED replays one
# of both, FROM goes on.
sim:
	SIM_N=$(or $(N),10000) SIM_FROM=$(FROM) SIM_SEED=$(SEED) $(GO) test -v -count=1 -timeout 180m -run '^TestSeeds$$' ./internal/test/simtest
	SIM_N=$(or $(N),1000) SIM_FROM=$(FROM) SIM_SEED=$(SEED) $(GO) test -v -count=1 -timeout 180m -run '^TestTwoDaemons$$' ./internal/serve/daemon

# 10,000 questions of callers who may not see every document, to 350 random indexes, or N.
visible:
	$(GO) test -v -count=1 -run '^TestVisible$$' ./internal/index/fulltext -rapid.checks=$(or $(N),350)
	$(GO) test -v -count=1 -run '^TestNothingHiddenShows$$' ./internal/serve/osapi -rapid.checks=$(or $(N),350)

# Clients of OpenSearch, as their projects publish them, against the daemon: they are
# installed in CLIENTS_DIR, by default in the user's cache, once.
clients: java
	@command -v node >/dev/null && command -v npm >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq --no-install-recommends nodejs npm; }
	@python3 -m venv --help >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq --no-install-recommends python3-venv; }
	-@internal/test/clienttest/install.sh # the test fails for each that is not installed
	@result=$$(mktemp); CLIENTS=all CLIENTS_RESULT=$$result $(GO) test -count=1 -timeout 20m ./internal/test/clienttest; code=$$?; cat $$result; rm $$result; exit $$code

# One rule broken at a time: the tests have to notice. RULES="R30 R6" breaks only these.
mutants: servers
	$(WITHPG) $(GO) run ./internal/test/simtest/mutants $(RULES)

# Harnesses on the real binary; N is how often, SEED replays. kill, fresh and storm
# take DRIVER=mysql, which is MariaDB, or MySQL with SERVER=mysql, and fresh takes
# ENGINE=opensearch; many tables are killed on PostgreSQL only.
# opensearch-kill takes NODES and RELEASE, failover PAGES=hbase and PAUSE=60s.
kill: servers
	SEED=$(SEED) KILL_N=$(or $(N),1000) DRIVER=$(DRIVER) $(WITHPG) $(GO) test -count=1 -run '^TestKill9$$' -v -timeout 120m ./cmd/indexerd
	$(if $(filter mysql,$(DRIVER)),,KILL_TABLES=$(or $(TABLES),100) KILL_N=$(or $(N),100) $(WITHPG) $(GO) test -count=1 -run '^TestKillTables$$' -v -timeout 60m ./cmd/indexerd)
# KTH=all has each step fail in each way, KTH=lost in one way; KTH= draws some.
KTH = all
kth: servers
	$(GO) test -count=1 -v -run '^TestKthFailure$$' ./store
	SEED=$(SEED) KTH=$(KTH) $(WITHPG) $(GO) test -run '^TestKthFailure$$' -v -timeout 240m ./cmd/indexerd
power: servers
	SEED=$(SEED) POWER_N=$(or $(N),500) $(WITHPG) $(GO) test -run '^TestPowerCut$$' -v -timeout 180m ./cmd/indexerd
crash: servers
	SEED=$(SEED) CRASH_N=$(or $(N),100) $(WITHPG) $(GO) test -run '^TestDatabaseCrash$$' -v -timeout 60m ./cmd/indexerd
network: servers
	SEED=$(SEED) NET_N=$(or $(N),500) $(WITHPG) $(GO) test -run '^TestNetwork$$' -v -timeout 120m ./cmd/indexerd
disk: servers
	SEED=$(SEED) DISK_N=$(or $(N),100) $(WITHPG) $(GO) test -run '^TestFullDisk$$' -v -timeout 60m ./cmd/indexerd
cycles: servers
	SEED=$(SEED) BACKUP_N=$(or $(N),100) $(WITHPG) $(GO) test -run '^TestBackupCycles$$' -v -timeout 60m ./cmd/indexerd
# One random bit of a data directory is flipped, N times: it is found, repaired or refused,
# and nothing is answered wrongly.
flip:
	SEED=$(SEED) FLIP_N=$(or $(N),300) $(GO) test -count=1 -run '^TestFlip$$' -v -timeout 120m ./cmd/indexerd
opensearch-kill: servers
	SEED=$(SEED) OPENSEARCH_KILL_N=$(or $(N),200) OPENSEARCH_KILL_NODES=$(or $(NODES),3) OPENSEARCH=$(or $(RELEASE),2.19.1) $(WITHPG) $(GO) test -count=1 -run '^TestOpenSearchKill$$' -v -timeout 180m ./cmd/indexerd
failover: servers $(if $(filter hbase,$(PAGES)),java)
	SEED=$(SEED) FAILOVER_N=$(or $(N),100) FAILOVER_PAUSE=$(or $(PAUSE),60s) FAILOVER_PAGES=$(PAGES) $(WITHPG) $(GO) test -count=1 -run '^TestFailover$$' -v -timeout 180m ./cmd/indexerd
fresh: servers
	SEED=$(SEED) JUDGE_N=$(or $(N),100000) DRIVER=$(DRIVER) ENGINE=$(ENGINE) $(WITHPG) $(GO) test -count=1 -run '^TestJudged$$' -v -timeout 90m ./cmd/indexerd

# Databases that init has never seen, a schema of this project and Chinook, in
# PostgreSQL and SQLite: N seconds of random changes in each.
chinook: servers
	SEED=$(SEED) CHINOOK_SECONDS=$(or $(N),300) $(WITHPG) $(GO) test -count=1 -run '^(TestLibrary|TestBlog|TestChinook|TestPagilaTables)$$' -v -timeout 60m ./cmd/indexerd
	@$(MAKE) -s extras

# DELETEs of single rows of a table of N rows, until no search finds them.
deletes: servers
	DELETES_N=$(or $(N),1000000) DELETES_SECONDS=$(or $(SECONDS),300) $(WITHPG) $(GO) test -count=1 -run '^TestDeletes$$' -v -timeout 60m ./cmd/indexerd

# Changes that leave updateTime alone in a table of N rows, in each database: alone, and for
# SECONDS beside a hundred changes a second that move it. For as long it measures what the
# daemon takes, also without comparisons. Then changes of TABLES small tables beside another
# database that commits all the time.
silent: servers
	SILENT_N=$(or $(N),100000) SILENT_SECONDS=$(or $(SECONDS),60) $(WITHPG) $(GO) test -count=1 -run '^TestSilent$$' -v -timeout 60m ./cmd/indexerd
	NEIGHBOUR_N=$(or $(TABLES),200) $(WITHPG) $(GO) test -count=1 -run '^TestBusyNeighbour$$' -v ./cmd/indexerd

# The schemas of applications, on each database that has a script of them: what a daemon
# makes of them, and when it finds changes. They are fetched once, from the packages of
# Debian, or are those in DIR.
STRANGERS = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/indexerd/strangers
strangers: servers
	@test -n "$(DIR)" || test -e $(STRANGERS)/complete || { cmd/indexerd/testdata/strangers/fetch.sh $(STRANGERS) && touch $(STRANGERS)/complete; }
	STRANGERS=$(abspath $(or $(DIR),$(STRANGERS))) $(WITHPG) $(GO) test -count=1 -run '^TestStrangers$$' -v -timeout 60m ./cmd/indexerd

# N random sequences of schema changes, in both databases, while rows change.
schema: servers
	SEED=$(SEED) SCHEMA_N=$(or $(N),300) $(WITHPG) $(GO) test -count=1 -run '^TestSchema$$' -v -timeout 180m ./cmd/indexerd

# N hostile searches, alone and then beside ordinary ones, in both APIs.
hostile:
	HOSTILE_N=$(or $(N),1000) $(GO) test -run '^TestHostile$$' -bench Hostile -benchtime 1x -v -count=1 -timeout 30m ./internal/serve/httpapi
	HOSTILE_N=$(or $(N),1000) $(GO) test -run '^TestHostile$$' -bench Hostile -benchtime 1x -v -count=1 -timeout 30m ./internal/test/apitest

# What people type and paste into a search box, N texts on DOCS documents: each is answered,
# within 200 ms.
typed:
	SEED=$(SEED) TYPED_N=$(or $(N),1000000) TYPED_DOCS=$(or $(DOCS),100000) $(GO) test -run '^TestTyped$$' -v -count=1 -timeout 12h ./internal/serve/httpapi

# SECONDS of slow clients, unread answers, half bodies, guessed tokens and
# malformed requests, against a daemon with 256 file handles and 512 MiB.
abuse: servers
	SEED=$(SEED) ABUSE_SECONDS=$(or $(SECONDS),60) $(WITHPG) $(GO) test -count=1 -run '^TestAbuse$$' -v -timeout 30m ./cmd/indexerd

# Changes of all kinds to films, actors, categories and languages, and then proof, page by page.
storm: servers
	STORM_CHANGES=$(or $(N),50000) DRIVER=$(DRIVER) $(WITHPG) $(GO) test -count=1 -run '^TestStorm$$' -v -timeout 30m ./cmd/indexerd

# Many tables, of which some are locked, broken or slow: the others go on. Then N
# tables of 200 rows: what a daemon takes to load and to follow them. BROKEN is the number
# of the former. SECONDS is how long the latter are idle, change, and are held up.
many: servers
	MANY_SECONDS=$(SECONDS) MANY_TABLES=$(or $(BROKEN),30) $(WITHPG) $(GO) test -count=1 -run '^TestManyTables$$' -v -timeout 30m ./cmd/indexerd
	MANY_SECONDS=$(SECONDS) MANY_TABLES=$(or $(N),36) $(WITHPG) $(GO) test -count=1 -run '^TestTables$$' -v -timeout 60m ./cmd/indexerd

# What a daemon takes that has nothing to do: judged where updateTime has an
# index, printed for children that are joined.
idle: servers
	IDLE_SECONDS=$(or $(IDLE_SECONDS),600) $(WITHPG) $(GO) test -count=1 -run '^TestIdle$$' -v -timeout 60m ./cmd/indexerd

# Writers that commit late, for a minute each way of finding them.
stress: servers
	STRESS_SECONDS=$(or $(SECONDS),60) $(WITHPG) $(GO) test -run '^TestStress$$' -v -timeout 30m ./internal/serve/daemon

# N late commits on MariaDB, or with SERVER=mysql on MySQL, while horizons are read, and then HINTS commits while hints
# are. Both are at least 1,000. Without SERVER, HINTS/10 pairs of readings of MySQL's update_time too.
late: servers
	LATE_N=$(or $(N),20000) HINTS_N=$(or $(HINTS),5000) $(GO) test -count=1 -run '^(TestLateCommits|TestHintsOfCommits|TestCountersOfBursts)$$' -v -timeout 30m ./internal/source/mysql
