#!/bin/sh
# fetch.sh DIR: the schemas of applications, as Debian packages them for PostgreSQL, MySQL
# and SQLite, into DIR/NAME.pgsql, DIR/NAME.mysql and DIR/NAME.sqlite. Nothing is
# installed. A package that the mirror does not have is left out.
set -eu
test $# = 1 || { echo 'usage: fetch.sh DIR' >&2; exit 2; }
mkdir -p "$1" && dir=$(cd "$1" && pwd)
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
cd "$unpacked"
for package in bacula-director-pgsql bacula-director-mysql bacula-director-sqlite3 freeradius-config gammu-smsd gerbera \
	icinga2-ido-pgsql icinga2-ido-mysql jabberd2 kamailio-postgres-modules kamailio-mysql-modules kamailio-sqlite-modules \
	kea-admin oar-server openqa pdns-backend-pgsql pdns-backend-mysql pdns-backend-sqlite3 phpmyadmin prelude-manager \
	rsyslog-pgsql rsyslog-mysql tt-rss ulogd2 zoneminder; do
	apt-get download -q "$package" >/dev/null 2>&1 && dpkg -x "$package"_*.deb . || echo "without $package" >&2
done
take() { # NAME FILE...
	name=$1
	shift
	for file in "$@"; do
		test -e "$file" || return 0
	done
	# What creates and chooses a database, or creates a language that is there, is left out.
	for file in "$@"; do
		zcat -f "$file"
		echo
	done | awk '/^(CREATE DATABASE|USE|CREATE (PROCEDURAL )?LANGUAGE) / { next }
		/^source / { while ((getline line < ("." $2)) > 0) print line; next }
		{ print }' >"$dir/$name"
}
install=usr/share/dbconfig-common/data
for kind in pgsql mysql sqlite; do
	long=$(echo $kind | sed 's/pgsql/postgresql/')
	numbered=$(echo $kind | sed 's/sqlite/sqlite3/')
	take bacula.$kind $install/bacula-director-$numbered/install/$numbered
	take freeradius.$kind etc/freeradius/3.0/mods-config/sql/main/$long/schema.sql
	take gammu.$kind usr/share/doc/gammu-smsd/examples/$kind.sql
	take gerbera.$kind usr/share/gerbera/$numbered.sql
	take icinga-ido.$kind usr/share/icinga2-ido-$kind/schema/$kind.sql
	take jabberd2.$kind usr/share/doc/jabberd2/db-setup.$kind.gz
	# The modules of ims are alternatives to others, and have the same tables.
	modules=usr/share/kamailio/$(echo $kind | sed 's/pgsql/postgres/; s/sqlite/db_sqlite/')
	take kamailio.$kind $modules/standard-create.sql $(ls $modules/*-create.sql | grep -v -e standard -e ims_)
	take kea.$kind usr/share/kea/scripts/$kind/dhcpdb_create.$kind
	take oar.$kind usr/lib/oar/database/$(echo $kind | sed 's/pgsql/pg/')_structure.sql
	take powerdns.$kind usr/share/pdns-backend-$numbered/schema/schema.$numbered.sql
	take prelude.$kind $install/prelude-manager/install/$kind
	take rsyslog.$kind $install/rsyslog-$kind/install/$kind
	take tt-rss.$kind $install/tt-rss/install/$kind
	take ulogd2.$kind usr/share/doc/ulogd2/$kind-ulogd2.sql.gz
done
take openqa.pgsql "$(ls -v usr/share/openqa/dbicdh/PostgreSQL/deploy/*/001-auto.sql | tail -1)"
take phpmyadmin.mysql usr/share/dbconfig-common/data/phpmyadmin/install/mysql
take zoneminder.mysql usr/share/zoneminder/db/zm_create.sql
