#!/bin/sh
# unpack.sh NAME: the newest mysql or mariadb of Debian's unstable suite, unpacked with all
# that it needs into the user's cache. Nothing is installed in the system, and it needs no
# root. Prints the directory. An unpacked server stays until the cache is removed.
#
# The packages come from the mirror of the system's own sources, or from MIRROR.
set -eu
case ${1-} in
mysql) packages=mysql-server-core ;;
mariadb) packages=mariadb-server-core; alone=mariadb-server ;; # the latter for its SQL only
*) echo 'usage: unpack.sh mysql|mariadb' >&2; exit 2 ;;
esac

cache=${XDG_CACHE_HOME:-$HOME/.cache}/indexerd/$1-unstable
if test -e "$cache/root"; then echo "$cache/root"; exit; fi
mkdir -p "$cache/lists/partial" "$cache/archives/partial"
exec 9>"$cache/lock"
flock 9
if test -e "$cache/root"; then echo "$cache/root"; exit; fi

mirror=${MIRROR:-$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
	awk 'tolower($1) == "uris:" {print $2; exit} $1 == "deb" {for (i = 2; i <= NF; i++) if ($i ~ "://") {print $i; exit}}')}
test -n "$mirror" || { echo "no mirror of Debian in /etc/apt: name one in MIRROR" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$cache/sources.list"
options="-o Dir::Etc::sourcelist=$cache/sources.list -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists=$cache/lists
	-o Dir::Cache=$cache -o Dir::State::status=/dev/null -o APT::Sandbox::User=root -o Acquire::Retries=3"
apt-get $options -q update >&2

# Packages that only set up a system are left out.
apt-cache $options depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$packages" | grep '^[a-z0-9]' |
	grep -vE '^(debconf|cdebconf|dpkg|perl|mysql-common|mariadb-common|.?awk|mawk|adduser|passwd|systemd|rsync|psmisc|procps|lsof|galera|login|libpam)' |
	sort -u >"$cache/packages"
(cd "$cache/archives" && rm -f ./*.deb && apt-get $options -q download $(cat "$cache/packages") ${alone-} >&2)
rm -rf "$cache/unpacked"
for file in "$cache"/archives/*.deb; do dpkg -x "$file" "$cache/unpacked"; done
rm -rf "$cache/archives" "$cache/lists"
mv "$cache/unpacked" "$cache/root"
echo "$cache/root"
