#!/bin/sh
# Builds dist/indexerd, a static binary, and from it dist/*.deb and dist/*.rpm, for
# this machine's architecture or GOARCH. GO names the go command. VERSION is
# the release. Default: the version in the source.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
ARCH=$("$go" env GOARCH)
VERSION=${VERSION:-$(sed -n 's/^var Version = "\(.*\)"$/\1/p' internal/base/release/release.go)}
: "${VERSION:?no version in internal/base/release/release.go: set VERSION}"
export ARCH VERSION

mkdir -p dist
CGO_ENABLED=0 "$go" build -trimpath -ldflags "-s -w $(packaging/ldflags.sh) -X indexerd/internal/base/release.Version=$VERSION" -o dist/indexerd ./cmd/indexerd
for format in deb rpm; do
	# The tool runs on this machine, for any architecture of the packages.
	GOARCH= "$go" run github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4 package --config packaging/nfpm.yaml --packager "$format" --target dist/
done
