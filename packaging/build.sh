#!/bin/sh
# Builds dist/indexerd, a static binary, and from it for this machine's architecture, or
# GOARCH:
#
#   indexerd_VERSION_ARCH.deb, indexerd-VERSION-1.ARCH.rpm
#   indexerd-VERSION-linux-ARCH.tar.gz      the same files, to unpack anywhere
#   indexerd-VERSION-linux-ARCH.cdx.json    what is in the binary: a CycloneDX list
#   SHA256SUMS                              of these four
#
# The same source gives the same bytes, wherever and whenever it is built: times are that
# of the last commit. With AGAIN=DIR everything is built twice, the second time from a copy
# of the source below DIR, or in place if DIR is a dot, and compared.
#
# GO names the go command. VERSION is the release; default: the version in the source.
# COMMIT and DATE are those of ldflags.sh. SBOM_FLAGS are more flags for the list.
set -eu
umask 022
cd "$(dirname "$0")/.."
go=${GO:-go}
ARCH=$("$go" env GOARCH)
VERSION=${VERSION:-$(sed -n 's/^var Version = "\(.*\)"$/\1/p' internal/base/release/release.go)}
: "${VERSION:?no version in internal/base/release/release.go: set VERSION}"
DATE=${DATE:-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || echo 2000-01-01T00:00:00Z)}
COMMIT=${COMMIT:-$(git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || true)}
SOURCE_DATE_EPOCH=$(date -u -d "$DATE" +%s)
export ARCH VERSION DATE COMMIT SOURCE_DATE_EPOCH

# The tools run on this machine, for any architecture of the packages.
tool() { GOARCH='' GOFLAGS=-trimpath "$go" run "$@"; }

name=indexerd-$VERSION-linux-$ARCH
mkdir -p dist
rm -rf dist/*.deb dist/*.rpm dist/*.tar.gz dist/*.cdx.json dist/SHA256SUMS "dist/$name"
CGO_ENABLED=0 "$go" build -trimpath -buildvcs=false -ldflags "-s -w $(packaging/ldflags.sh) -X indexerd/internal/base/release.Version=$VERSION" -o dist/indexerd ./cmd/indexerd
for format in deb rpm; do
	tool github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4 package --config packaging/nfpm.yaml --packager "$format" --target dist/
done

mkdir "dist/$name" "dist/$name/configs"
cp dist/indexerd LICENSE README.md CHANGELOG.md ARCHITECTURE.md packaging/indexerd.1 "dist/$name"
cp -R packaging/completions docs "dist/$name"
cp -R configs/pagila.yaml configs/service configs/monitoring packaging/sysusers.conf packaging/tmpfiles.conf "dist/$name/configs"
chmod -R u=rwX,go=rX "dist/$name"
tar --create --directory dist --sort=name --format=ustar --owner=root:0 --group=root:0 --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -n >"dist/$name.tar.gz"
rm -rf "dist/${name:?}"

tool github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0 bin -json -noserial -notimestamp -std ${SBOM_FLAGS--licenses} -version "$VERSION" \
	-output "dist/$name.cdx.json" dist/indexerd
(cd dist && sha256sum -- *.deb *.rpm *.tar.gz *.cdx.json >SHA256SUMS && sha256sum --check --quiet SHA256SUMS)

if [ -n "${AGAIN:-}" ]; then
	first=$(mktemp)
	cp dist/SHA256SUMS "$first"
	place=.
	if [ "$AGAIN" != . ]; then
		place=$(mktemp -d "$AGAIN/indexerd-again-XXXXXX")
		git ls-files -z | tar --create --null --files-from=- | tar --extract --touch --directory "$place"
	fi
	AGAIN='' TZ=Asia/Kolkata "$place/packaging/build.sh"
	diff "$first" "$place/dist/SHA256SUMS" || { echo 'package: the second build differs MISS'; exit 1; }
	rm -rf "$first" "${place#.}"
fi
echo "package: version=$VERSION arch=$ARCH files=$(wc -l <dist/SHA256SUMS) binary_mb=$(($(wc -c <dist/indexerd) / 1000000))${AGAIN:+ reproducible=yes} ok"
