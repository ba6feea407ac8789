#!/bin/sh
# fetch.sh DIR: the schemas of applications, as Debian packages them for PostgreSQL and for
# MySQL, into DIR/NAME.pgsql and DIR/NAME.mysql. Nothing is installed. A package that the
# mirror does not have is left out.
set -eu
test $# = 1 || { echo 'usage: fetch.sh DIR' >&2; exit 2; }
mkdir -p "$1" && dir=$(cd "$1" && pwd)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
cd "$unpacked"
for package in pdns-backend-pgsql pdns-backend-mysql kea-admin freeradius-config gammu-smsd bacula-director-pgsql bacula-director-mysql tt-rss \
	kamailio-postgres-modules kamailio-mysql-modules icinga2-ido-pgsql icinga2-ido-mysql rsyslog-pgsql rsyslog-mysql jabberd2 libpreludedb-dev zoneminder; do
	apt-get download -q "$package" >/dev/null 2>&1 && dpkg -x "$package"_*.deb . || echo "without $package" >&2
done
take() { # NAME FILE...
	name=$1
	shift
	for file in "$@"; do
		test -e "$file" || return 0
		case $file in *.gz) zcat "$file" ;; *) cat "$file" ;; esac
		echo
	done >"$dir/$name"
}
install=usr/share/dbconfig-common/data
for kind in pgsql mysql; do
	long=$(echo $kind | sed s/pgsql/postgresql/)
	take powerdns.$kind usr/share/pdns-backend-$kind/schema/schema.$kind.sql
	take kea.$kind usr/share/kea/scripts/$kind/dhcpdb_create.$kind
	take freeradius.$kind etc/freeradius/3.0/mods-config/sql/main/$long/schema.sql
	take gammu.$kind usr/share/doc/gammu-smsd/examples/$kind.sql
	take bacula.$kind $install/bacula-director-$kind/install/$kind
	take tt-rss.$kind $install/tt-rss/install/$kind
	take icinga-ido.$kind usr/share/icinga2-ido-$kind/schema/$kind.sql
	take rsyslog.$kind $install/rsyslog-$kind/install/$kind
	take jabberd2.$kind usr/share/doc/jabberd2/db-setup.$kind.gz
	modules=$(echo usr/share/kamailio/$kind | sed s/pgsql/postgres/)
	take kamailio.$kind $modules/standard-create.sql $(ls $modules/*-create.sql | grep -v standard)
done
take zoneminder.mysql usr/share/zoneminder/db/zm_create.sql
ls "$dir"
