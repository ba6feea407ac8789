#!/bin/sh
# Prints the linker's flags with what `indexerd version` prints of the source: its last
# commit, with -dirty where files differ from it, and the time of that commit, so that a
# build can be repeated. COMMIT and DATE are taken instead, where there is no git.
set -eu
cd "$(dirname "$0")/.."
commit=${COMMIT:-$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)}
date=${DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || true)}
echo "-X main.commitHash=$commit -X main.commitDate=$date"
