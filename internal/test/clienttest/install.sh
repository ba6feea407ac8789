#!/bin/sh
# Installs the clients of clienttest in CLIENTS_DIR, by default in the user's cache,
# each once: those that are named, by default all.
set -e
dir=${CLIENTS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/indexerd-clients}
here=$(cd "$(dirname "$0")" && pwd)
log=$dir/log
failed=0
mkdir -p "$dir"

# install NAME: runs the function NAME in DIR/NAME, unless it has succeeded before.
install() {
	test -e "$dir/$1/installed" && return
	rm -rf "${dir:?}/$1"
	mkdir -p "$dir/$1"
	if (cd "$dir/$1" && set -e && "$1") >"$log.$1" 2>&1; then
		touch "$dir/$1/installed"
		echo "installed: $1"
	else
		echo "not installed: $1; see $log.$1"
		failed=1
	fi
}

python() {
	python3 -m venv .
	bin/pip install -q opensearch-py==3.2.0 django-opensearch-dsl==0.8.0 'Django>=5.2,<5.3'
}

javascript() {
	npm init -y
	npm install --no-audit --no-fund @opensearch-project/opensearch@3.9.0
}

page() {
	npm init -y
	npm install --no-audit --no-fund searchkit@4.16.0 @searchkit/instantsearch-client@4.15.0 react-instantsearch@7.50.1 react@19.3.1 react-dom@19.3.1 esbuild@0.28.2
	node_modules/.bin/esbuild --version
}

agent() {
	python3 -m venv .
	bin/pip install -q opensearch-mcp-server-py==0.12.0 mcp==2.3.0
}

go() { command go build -C "$here/go" -o "$dir/go/client" .; }

java() {
	cp "$here/pom.xml" .
	mvn -q -B dependency:copy-dependencies -DoutputDirectory=lib
}

for client in ${*:-python javascript page agent go java}; do install "$client"; done
exit $failed
