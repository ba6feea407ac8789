"""Searches in SQLite's FTS5 or in tantivy, for benchmarks: python3 searchpeer.py fts5|tantivy DIR

Standard input has a line with the number of rows, a line [text, kind, n, at] for each
row, and then queries, a line each. The answer to a query is a line too: what it took in
many rounds, how many rows it finds, and the scores of the first ten, which are read with
their texts.
"""

import json
import os
import sys
import time


class FTS5:
    def __init__(self, directory, rows):
        import sqlite3

        self.db = sqlite3.connect(os.path.join(directory, "fts5.db"))
        self.db.executescript("""
            PRAGMA journal_mode = WAL;
            PRAGMA cache_size = -200000;
            CREATE VIRTUAL TABLE words USING fts5(body, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '_'");
            CREATE TABLE meta (id INTEGER PRIMARY KEY, kind TEXT, n INTEGER, at INTEGER);
            CREATE TABLE stored (id INTEGER PRIMARY KEY, body TEXT);
        """)
        for i, (text, kind, n, at) in enumerate(rows, 1):
            self.db.execute("INSERT INTO words (rowid, body) VALUES (?, ?)", (i, text))
            self.db.execute("INSERT INTO meta VALUES (?, ?, ?, ?)", (i, kind, n, at))
            self.db.execute("INSERT INTO stored VALUES (?, ?)", (i, text))
        self.db.execute("CREATE INDEX kind ON meta (kind, id)")
        self.db.execute("CREATE INDEX at ON meta (at)")
        self.db.execute("INSERT INTO words (words) VALUES ('optimize')")
        self.db.commit()

    def search(self, q):
        tables, where, values = [], [], []
        if q["fts5"]:
            tables.append("words")
            where.append("words MATCH ?")
            values.append(q["fts5"])
        if q["kind"]:
            where.append("kind = ?")
            values.append(q["kind"])
        if q["to"]:
            where.append("n BETWEEN ? AND ?")
            values += [q["from"], q["to"]]
        if q["kind"] or q["to"] or q["newest"] or not q["fts5"]:
            tables.append("meta")
        identity, score, order = "meta.id", "0.0", "meta.id"
        if q["fts5"]:
            identity, score, order = "words.rowid", "-bm25(words)", "bm25(words), words.rowid"
        if len(tables) > 1:
            where.append("meta.id = words.rowid")
        if q["newest"]:
            score, order = "0.0", "at DESC"
        source = " CROSS JOIN ".join(tables) + (" WHERE " + " AND ".join(where) if where else "")
        hits = self.db.execute(f"SELECT {identity}, {score} FROM {source} ORDER BY {order} LIMIT 10", values).fetchall()
        for row, _ in hits:
            self.db.execute("SELECT body FROM stored WHERE id = ?", [row]).fetchone()
        return [score for _, score in hits], self.db.execute(f"SELECT count(*) FROM {source}", values).fetchone()[0]


class Tantivy:
    def __init__(self, directory, rows):
        import tantivy

        self.all = tantivy.Query.all_query()
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("body", stored=True)
        schema.add_text_field("kind", stored=True, tokenizer_name="raw")
        for name in ("n", "at"):
            schema.add_integer_field(name, stored=True, indexed=True, fast=True)
        self.index = tantivy.Index(schema.build(), path=directory)
        writer = self.index.writer(200_000_000, 1)
        for text, kind, n, at in rows:
            writer.add_document(tantivy.Document(body=text, kind=kind, n=n, at=at))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()
        self.searcher = self.index.searcher()

    def search(self, q):
        text = q["tantivy"]
        if q["to"]:
            text = f"+({text}) +n:[{q['from']} TO {q['to']}]"
        query = self.index.parse_query(text, ["body"]) if text else self.all
        found = self.searcher.search(query, 10, count=True, order_by_field="at" if q["newest"] else None)
        for _, address in found.hits:
            self.searcher.doc(address)
        return [float(score) for score, _ in found.hits], found.count


def timed(engine, q):
    """Search for a number of rounds, or until the seconds have passed, at least once."""
    took = []
    end, used = time.monotonic() + q["seconds"], time.process_time()
    while len(took) < q["rounds"] and (not took or time.monotonic() < end):
        began = time.monotonic()
        scores, total = engine.search(q)
        took.append(1000 * (time.monotonic() - began))
    used = time.process_time() - used
    took.sort()
    return {"p50_ms": took[len(took) // 2], "p99_ms": took[len(took) * 99 // 100], "cpu_ms": 1000 * used / len(took), "total": total, "scores": scores}


rows = (json.loads(sys.stdin.readline()) for _ in range(int(sys.stdin.readline())))
engine = {"fts5": FTS5, "tantivy": Tantivy}[sys.argv[1]](sys.argv[2], rows)
for line in sys.stdin:
    print(json.dumps(timed(engine, json.loads(line))), flush=True)
