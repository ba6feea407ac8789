#!/bin/bash
# Makes DIR/sqlite.tar.gz with BINARY, an indexerd of an early build: early.sh BINARY DIR
set -euo pipefail
binary=$(realpath "$1") dir=$(realpath "$2") work=$(mktemp -d) port=7791
cd "$work"
sqlite3 db.sqlite <<'SQL'
PRAGMA journal_mode=WAL;
CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, kind TEXT, price REAL, updated TEXT NOT NULL);
CREATE INDEX note_updated ON note (updated);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<40)
INSERT INTO note SELECT i, 'note '||i||' of the catalogue, größe '||(i%7), 'kind'||(i%3), i+0.25, printf('2025-03-01T10:%02d:00.000Z', i) FROM n;
SQL
cat >config.yaml <<YAML
data: $work/data
http: {listen: 127.0.0.1:$port}
sources:
  db: {driver: sqlite, dsn: "$work/db.sqlite"}
tables:
  note:
    source: db
    sql: SELECT id, updated, title, kind, price FROM note
    key: id
    updated: updated
    content: {fields: [title]}
    metadata: {kind: keyword, price: number}
YAML
"$binary" run -c config.yaml &
until curl -sf 127.0.0.1:$port/readyz >/dev/null; do sleep 0.2; done
sqlite3 db.sqlite "UPDATE note SET title='note 7 was changed', updated=strftime('%Y-%m-%dT%H:%M:%fZ','now') WHERE id=7;
INSERT INTO note VALUES (41,'note 41 came late','kind1',41,strftime('%Y-%m-%dT%H:%M:%fZ','now'));"
until curl -s "127.0.0.1:$port/api/v1/tables/note/search?q=late" | grep -q '"total":1'; do sleep 0.2; done
sleep 3 # S passes the change
kill %1
wait %1
sqlite3 db.sqlite 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
rm -f db.sqlite-wal db.sqlite-shm
tar -c --sort=name --owner=0 --group=0 --numeric-owner data db.sqlite | gzip -9n >"$dir/sqlite.tar.gz"
rm -rf "$work"
