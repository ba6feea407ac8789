"""Loads rows into SQLite's FTS5 and prints what it took, as one line of JSON.

python3 fts5.py ROWS DIRECTORY TOKENIZER DETAIL

ROWS is a file of JSON lines with oid, text, kind, n and t. The texts go into a
contentless FTS5 table, the metadata into a table with an index on each column:
WAL, synchronous=FULL, a commit every 2,000 rows, and all merges at the end.
"""
import json
import os
import sqlite3
import sys
import time

BATCH = 2000

rows, directory, tokenizer, detail = sys.argv[1:]
with open(rows, encoding="utf-8") as f:
    all_rows = [json.loads(line) for line in f]
texts = [(r["oid"], r["text"]) for r in all_rows]
metadata = [(r["oid"], r["kind"], r["n"], r["t"]) for r in all_rows]

db = sqlite3.connect(os.path.join(directory, "fts5.db"), isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
db.execute("PRAGMA synchronous=FULL")
db.execute(f"CREATE VIRTUAL TABLE body USING fts5(text, content='', tokenize='{tokenizer}', detail={detail})")
db.execute("CREATE TABLE metadata (oid INTEGER PRIMARY KEY, kind TEXT, n INTEGER, t INTEGER)")
for column in ("kind", "n", "t"):
    db.execute(f"CREATE INDEX metadata_{column} ON metadata ({column})")

began, before = time.monotonic(), time.process_time()
for i in range(0, len(texts), BATCH):
    db.execute("BEGIN")
    db.executemany("INSERT INTO body(rowid, text) VALUES (?, ?)", texts[i : i + BATCH])
    db.executemany("INSERT INTO metadata VALUES (?, ?, ?, ?)", metadata[i : i + BATCH])
    db.execute("COMMIT")
db.execute("INSERT INTO body(body, rank) VALUES ('merge', 500)")
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
print(json.dumps({"CPU": int(1e9 * (time.process_time() - before)), "Wall": int(1e9 * (time.monotonic() - began))}))
