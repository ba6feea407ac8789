#!/bin/sh
# Builds dist/indexerd-VERSION-ARCH.oci.tar, an OCI image of a static binary, for this
# machine's architecture or GOARCH, without a container engine. The variables are those of
# build.sh. The same source gives the same bytes. An engine loads the file:
#
#   docker load -i FILE; podman load -i FILE; ctr images import FILE
#
# or crane and skopeo send it to a registry: skopeo copy oci-archive:FILE docker://...
# packaging/compose and packaging/kubernetes run the image.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
ARCH=$("$go" env GOARCH)
VERSION=${VERSION:-$(sed -n 's/^var Version = "\(.*\)"$/\1/p' internal/base/release/release.go)}
: "${VERSION:?no version in internal/base/release/release.go: set VERSION}"
COMMIT=${COMMIT:-$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)}
DATE=${DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || true)}
export COMMIT DATE

mkdir -p dist
dist=$PWD/dist
binary=$(mktemp "$dist/image-XXXXXX")
trap 'rm -f "$binary"' EXIT
CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags "-s -w $(packaging/ldflags.sh) -X indexerd/internal/base/release.Version=$VERSION" -o "$binary" ./cmd/indexerd
file=$dist/indexerd-$VERSION-$ARCH.oci.tar
# The tool runs on this machine, for any architecture of the image.
GOARCH='' "$go" -C packaging run ./image -binary "$binary" -arch "$ARCH" -version "$VERSION" -commit "$COMMIT" ${DATE:+-date "$DATE"} -o "$file"
echo "image: $file"
