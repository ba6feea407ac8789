# The two that matter: make demo, make test. Every target that needs a server
# starts a private one on a free port and ends it.

GO       ?= go
TESTDATA ?= $(abspath ../shared/data)
INSTALL   = $(if $(filter 0,$(shell id -u)),,sudo) apt-get
WITHPG    = $(GO) run ./internal/pgtest/withpg
export TESTDATA

.PHONY: demo build test lint race bench bench-store stress servers

demo: build
	./indexerd demo

build:
	$(GO) build -o indexerd ./cmd/indexerd

# Everything, on real servers.
test: servers
	$(WITHPG) $(GO) test ./...

race: servers
	$(WITHPG) $(GO) test -race -short ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# Ratios, side by side in one run. The last line is the verdict.
bench: servers
	$(WITHPG) $(GO) test -run '^$$' -bench 'Load' -benchtime 1x -timeout 30m ./cmd/indexerd

# N pages in the store, beside other embedded stores.
bench-store:
	cd store/bench && $(GO) run . $(if $(N),-n $(N))

servers:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq postgresql; }
	@command -v redis-server >/dev/null || \
		{ $(INSTALL) update -qq && DEBIAN_FRONTEND=noninteractive $(INSTALL) install -y -qq redis-server; }

# Writers that commit late, for a minute each way of finding them.
stress: servers
	STRESS_SECONDS=$(or $(SECONDS),60) $(WITHPG) $(GO) test -run '^TestStress$$' -v -timeout 30m ./cmd/indexerd
