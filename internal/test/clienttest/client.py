"""Tests opensearch-py against indexerd. It prints a line for each test."""

import os
import sys

from opensearchpy import A, OpenSearch, Q, Search, helpers
from opensearchpy.exceptions import AuthenticationException, NotFoundError, RequestError, TransportError

url, token = os.environ["OPENSEARCH_URL"], os.environ["TOKEN"]
client = OpenSearch(url, http_auth=("any", token))
failed = False


def check(name, test):
    global failed
    try:
        test()
        print("ok", name)
    except Exception as e:  # each test is reported
        failed = True
        print("not ok %s: %s: %s" % (name, type(e).__name__, e))


def equal(got, want):
    assert got == want, "got %r, want %r" % (got, want)


def raises(kind, status, what, call):
    try:
        call()
    except kind as e:
        equal(e.status_code, status)
        assert what in str(e.error) or what in str(e.info), "got %s" % e
        return
    raise AssertionError("no error")


def total(answer):
    return answer["hits"]["total"]["value"]


def info():
    equal(client.ping(), True)
    equal(client.info()["version"]["distribution"], "opensearch")


def search():
    a = client.search(index="film", body={"query": {"match": {"title": "shark"}}, "_source": ["title"]})
    equal(total(a), 25)
    equal(len(a["hits"]["hits"]), 10)
    equal(a["hits"]["hits"][0]["_source"], {"title": "Shark 10"})


def page():
    seen = []
    for start in range(0, 125, 50):
        a = client.search(index="film", body={"sort": ["id_text"], "from": start, "size": 50})
        seen += [h["_id"] for h in a["hits"]["hits"]]
    equal((len(seen), len(set(seen))), (125, 125))


def search_after():
    seen, after = [], None
    while True:
        body = {"size": 40, "sort": [{"year": "desc"}, {"_id": "asc"}]}
        if after:
            body["search_after"] = after
        hits = client.search(index="film", body=body)["hits"]["hits"]
        if not hits:
            break
        seen += [h["_id"] for h in hits]
        after = hits[-1]["sort"]
    equal((len(seen), len(set(seen))), (125, 125))


def scan():
    ids = [h["_id"] for h in helpers.scan(client, index="film", query={"query": {"match": {"title": "drama"}}}, size=17)]
    equal((len(ids), len(set(ids))), (100, 100))


def scroll():
    a = client.search(index="film", scroll="1m", body={"size": 100})
    b = client.scroll(body={"scroll_id": a["_scroll_id"], "scroll": "1m"})
    equal(len(b["hits"]["hits"]), 25)
    equal(client.clear_scroll(body={"scroll_id": [a["_scroll_id"]]})["num_freed"], 1)
    raises(NotFoundError, 404, "search_context_missing_exception", lambda: client.scroll(scroll_id=a["_scroll_id"]))


def point():
    pit = client.create_pit(index="film", params={"keep_alive": "1m"})["pit_id"]
    a = client.search(body={"size": 100, "pit": {"id": pit, "keep_alive": "1m"}, "sort": ["_shard_doc"]})
    b = client.search(body={"size": 100, "pit": {"id": pit}, "sort": ["_shard_doc"], "search_after": a["hits"]["hits"][-1]["sort"]})
    equal(len(b["hits"]["hits"]), 25)
    equal(client.delete_pit(body={"pit_id": [pit]})["pits"][0]["successful"], True)


def msearch():
    a = client.msearch(body=[{"index": "film"}, {"size": 0}, {"index": "book"}, {}, {"index": "film"}, {"query": {"match": {"title": "shark"}}}])["responses"]
    equal((total(a[0]), a[1]["status"], total(a[2])), (125, 404, 25))


def documents():
    equal(client.get(index="film", id="10")["_source"]["title"], "Shark 10")
    equal(client.get_source(index="film", id="10")["year"], 2000)
    equal((client.exists(index="film", id="10"), client.exists(index="film", id="11")), (True, False))
    equal([d["found"] for d in client.mget(index="film", body={"ids": ["10", "11"]})["docs"]], [True, False])
    raises(NotFoundError, 404, "", lambda: client.get(index="film", id="11"))


def count():
    equal(client.count(index="film", body={"query": {"term": {"rating": "PG"}}})["count"], 42)


def indices():
    equal((client.indices.exists(index="film"), client.indices.exists(index="book")), (True, False))
    equal(client.indices.exists_alias(name="films"), False)
    equal(client.indices.get_mapping(index="film")["film"]["mappings"]["properties"]["rating"]["type"], "keyword")
    equal(client.indices.get_settings(index="film")["film"]["settings"]["index"]["number_of_shards"], "1")
    equal(client.indices.get(index="film")["film"]["aliases"], {})
    equal(client.indices.stats(index="film", metric="docs")["_all"]["primaries"]["docs"]["count"], 125)
    equal([t["token"] for t in client.indices.analyze(index="film", body={"field": "title", "text": "The Shark"})["tokens"]], ["the", "shark"])
    equal(client.indices.validate_query(index="film", body={"query": {"match_all": {}}})["valid"], True)
    equal(client.indices.resolve_index(name="*")["indices"][0]["name"], "film")


def field_caps():
    caps = client.field_caps(index="film", fields="*")["fields"]
    equal((caps["year"]["double"]["aggregatable"], "grp" in caps), (True, False))


def cat():
    equal(client.cat.count(index="film", params={"h": "count"}).strip(), "125")
    equal(client.cat.indices(params={"format": "json"})[0]["docs.count"], "125")
    equal(client.cat.health(params={"h": "status"}).strip(), "green")
    equal(client.cluster.health()["status"], "green")


def highlight():
    a = client.search(index="film", body={"query": {"match": {"plot": "submarine"}}, "highlight": {"pre_tags": ["<b>"], "post_tags": ["</b>"], "fields": {"plot": {}}}})
    assert "<b>submarine</b>" in a["hits"]["hits"][0]["highlight"]["plot"][0]


def suggest():
    a = client.search(index="film", body={"size": 0, "suggest": {"s": {"text": "shaqk", "term": {"field": "title"}}}})
    equal(a["suggest"]["s"][0]["options"][0]["text"], "shark")


def explain():
    a = client.explain(index="film", id="10", body={"query": {"match": {"title": "shark"}}})
    equal(a["matched"], True)
    assert a["explanation"]["value"] > 0


def fields():
    h = client.search(index="film", body={"size": 1, "sort": ["_doc"], "fields": ["released"], "docvalue_fields": ["year"], "_source": False})["hits"]["hits"][0]
    equal(h["fields"], {"released": ["2020-01-03T00:00:00.000Z"], "year": [2002]})


def url_query():
    equal(total(client.search(index="film", params={"q": "title:shark", "size": 0})), 25)


def filter_path():
    equal(client.search(index="film", params={"filter_path": "hits.total.value"}), {"hits": {"total": {"value": 125}}})


def hidden():
    equal(total(client.search(index="film", body={"query": {"match": {"title": "secret"}}})), 0)
    equal(client.count(index="film")["count"], 125)


def refused():
    raises(RequestError, 400, "parsing_exception", lambda: client.search(index="film", body={"query": {"geo_shape": {}}}))
    raises(NotFoundError, 404, "index_not_found_exception", lambda: client.search(index="book"))
    raises(TransportError, 405, "read-only", lambda: client.index(index="film", id="1", body={}))
    raises(TransportError, 405, "read-only", lambda: client.indices.create(index="book"))
    raises(TransportError, 405, "read-only", lambda: helpers.bulk(client, [{"_index": "film", "title": "x"}]))
    raises(AuthenticationException, 401, "", lambda: OpenSearch(url, http_auth=("any", "wrong")).info())


def sniff():
    sniffing = OpenSearch(url, http_auth=("any", token), sniff_on_start=True)
    equal(total(sniffing.search(index="film")), 125)


def dsl():
    s = Search(using=client, index="film").query("match", title="shark").filter("range", year={"gte": 2000}).highlight("title").sort("-year")[0:5]
    answer = s.execute()
    equal((answer.hits.total.value, len(answer)), (25, 5))
    assert "<em>Shark</em>" in answer[0].meta.highlight.title[0]
    equal(Search(using=client, index="film").query(Q("match", title="shark") & ~Q("term", rating="PG")).count(), 16)


def dsl_scan():
    equal(len(list(Search(using=client, index="film").query("match", title="shark").params(size=7).scan())), 25)


def aggregations():
    s = Search(using=client, index="film").extra(size=0)
    s.aggs.bucket("ratings", A("terms", field="rating")).metric("newest", "max", field="year")
    buckets = s.execute().aggregations.ratings.buckets
    equal([(b.key, b.doc_count, b.newest.value) for b in buckets], [("PG", 42, 2008.0), ("R", 42, 2008.0), ("G", 41, 2008.0)])


for name, test in [(n, t) for n, t in list(globals().items()) if callable(t) and getattr(t, "__module__", "") == "__main__" and n not in ("check", "equal", "raises", "total")]:
    check(name, test)
sys.exit(failed)
