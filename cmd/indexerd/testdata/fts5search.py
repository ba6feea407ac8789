"""Searches in SQLite's FTS5, for BenchmarkSearch: python3 fts5search.py DIR ROUNDS

Standard input has a line of queries, then a line [text, kind] for each row.
"""

import json
import os
import sqlite3
import sys
import time

directory, rounds = sys.argv[1], int(sys.argv[2])
queries = json.loads(sys.stdin.readline())
db = sqlite3.connect(os.path.join(directory, "fts5.db"))
db.executescript("""
    PRAGMA journal_mode = WAL;
    PRAGMA cache_size = -200000;
    CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '_'");
    CREATE TABLE meta (id INTEGER PRIMARY KEY, kind TEXT);
""")
for i, line in enumerate(sys.stdin, 1):
    text, kind = json.loads(line)
    db.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (i, text))
    db.execute("INSERT INTO meta VALUES (?, ?)", (i, kind))
db.execute("CREATE INDEX kind ON meta (kind, id)")
db.execute("INSERT INTO words (words) VALUES ('optimize')")
db.commit()


def run(q):
    """Return the scores of ten hits, and the number of all."""
    if not q["fts5"]:
        hits = [0.0 for _ in db.execute("SELECT id FROM meta WHERE kind = ? ORDER BY id LIMIT 10", [q["kind"]])]
        return hits, db.execute("SELECT count(*) FROM meta WHERE kind = ?", [q["kind"]]).fetchone()[0]
    source, values = "words WHERE words MATCH ?", [q["fts5"]]
    if q["kind"]:
        source, values = "words CROSS JOIN meta ON meta.id = words.rowid WHERE words MATCH ? AND kind = ?", [q["fts5"], q["kind"]]
    hits = [-s for s, in db.execute("SELECT bm25(words) AS s FROM " + source + " ORDER BY s, words.rowid LIMIT 10", values)]
    return hits, db.execute("SELECT count(*) FROM " + source, values).fetchone()[0]


found = []
for q in queries:
    took = []
    end, used = time.monotonic() + 10, time.process_time()
    while len(took) < rounds and (not took or time.monotonic() < end):
        began = time.monotonic()
        scores, total = run(q)
        took.append(1000 * (time.monotonic() - began))
    took.sort()
    found.append({"p50_ms": took[len(took) // 2], "p99_ms": took[-1], "cpu_ms": 1000 * (time.process_time() - used) / len(took), "total": total, "scores": scores})
print(json.dumps(found))
