// Tests opensearch-java against indexerd. It prints a line for each test.

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hc.client5.http.auth.AuthScope;
import org.apache.hc.client5.http.auth.UsernamePasswordCredentials;
import org.apache.hc.client5.http.impl.auth.BasicCredentialsProvider;
import org.apache.hc.core5.http.HttpHost;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.FieldValue;
import org.opensearch.client.opensearch._types.HealthStatus;
import org.opensearch.client.opensearch._types.OpenSearchException;
import org.opensearch.client.opensearch._types.SortOptions;
import org.opensearch.client.opensearch._types.SortOrder;
import org.opensearch.client.opensearch._types.Time;
import org.opensearch.client.opensearch.core.SearchResponse;
import org.opensearch.client.opensearch.core.msearch.MultisearchBody;
import org.opensearch.client.opensearch.core.search.Hit;
import org.opensearch.client.opensearch.core.search.Pit;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

public class Client {
    public static class Film {
        public String id_text;
        public String title;
        public String plot;
        public String rating;
        public Integer year;
        public String released;
        public Integer id;
    }

    interface Test {
        void run() throws Exception;
    }

    static boolean failed;

    static void check(String name, Test test) {
        try {
            test.run();
            System.out.println("ok " + name);
        } catch (Throwable e) {
            failed = true;
            System.out.println("not ok " + name + ": " + String.valueOf(e).replace('\n', ' '));
        }
    }

    static void equal(Object got, Object want) {
        if (!got.equals(want)) throw new AssertionError("got " + got + ", want " + want);
    }

    static void refused(int status, String type, Test test) throws Exception {
        try {
            test.run();
        } catch (OpenSearchException e) {
            equal(e.status(), status);
            equal(e.error().type(), type);
            return;
        }
        throw new AssertionError("no error");
    }

    static OpenSearchClient connect(String token) throws Exception {
        HttpHost host = HttpHost.create(System.getenv("OPENSEARCH_URL"));
        BasicCredentialsProvider credentials = new BasicCredentialsProvider();
        credentials.setCredentials(new AuthScope(host), new UsernamePasswordCredentials("any", token.toCharArray()));
        return new OpenSearchClient(ApacheHttpClient5TransportBuilder.builder(host)
            .setHttpClientConfigCallback(b -> b.setDefaultCredentialsProvider(credentials)).build());
    }

    public static void main(String[] args) throws Exception {
        OpenSearchClient client = connect(System.getenv("TOKEN"));
        reads(client);
        pages(client);
        describes(client);
        refuses(client);
        System.exit(failed ? 1 : 0);
    }

    static void reads(OpenSearchClient client) {
        check("info", () -> {
            equal(client.ping().value(), true);
            equal(client.info().version().distribution(), "opensearch");
        });
        check("search", () -> {
            SearchResponse<Film> r = client.search(s -> s.index("film").query(q -> q.match(m -> m.field("title").query(FieldValue.of("shark")))), Film.class);
            equal(List.of(r.hits().total().value(), r.hits().hits().size(), r.hits().hits().get(0).source().title), List.of(25L, 10, "Shark 10"));
        });
        check("source filter", () -> {
            SearchResponse<Film> r = client.search(s -> s.index("film").size(1).source(f -> f.filter(i -> i.includes("year"))), Film.class);
            equal(r.hits().hits().get(0).source().title == null, true);
        });
        check("highlight", () -> {
            SearchResponse<Film> r = client.search(s -> s.index("film").query(q -> q.match(m -> m.field("plot").query(FieldValue.of("submarine"))))
                .highlight(h -> h.preTags("<b>").postTags("</b>").fields(Map.of("plot", org.opensearch.client.opensearch.core.search.HighlightField.of(f -> f)))), Film.class);
            equal(r.hits().hits().get(0).highlight().get("plot").get(0).contains("<b>submarine</b>"), true);
        });
        check("aggregations", () -> {
            SearchResponse<Film> r = client.search(s -> s.index("film").size(0).aggregations("ratings", a -> a.terms(t -> t.field("rating"))).aggregations("newest", a -> a.max(m -> m.field("year"))), Film.class);
            var first = r.aggregations().get("ratings").sterms().buckets().array().get(0);
            equal(List.of(first.key(), first.docCount(), r.aggregations().get("newest").max().value()), List.of("PG", 42L, 2008.0));
        });
        check("suggest", () -> {
            SearchResponse<Film> r = client.search(s -> s.index("film").size(0).suggest(u -> u.text("shaqk").suggesters("s", f -> f.term(t -> t.field("title")))), Film.class);
            equal(r.suggest().get("s").get(0).term().options().get(0).text(), "shark");
        });
        check("count", () -> equal(client.count(c -> c.index("film").query(q -> q.term(t -> t.field("rating").value(FieldValue.of("PG"))))).count(), 42L));
        check("document", () -> {
            equal(client.get(g -> g.index("film").id("10"), Film.class).source().title, "Shark 10");
            equal(client.get(g -> g.index("film").id("11"), Film.class).found(), false);
            equal(client.exists(e -> e.index("film").id("11")).value(), false);
        });
        check("mget", () -> equal(client.mget(m -> m.index("film").ids("10", "11"), Film.class).docs().get(1).result().found(), false));
        check("msearch", () -> {
            var r = client.msearch(m -> m.searches(s -> s.header(h -> h.index("film")).body(MultisearchBody.of(b -> b.size(0)))).searches(s -> s.header(h -> h.index("book")).body(MultisearchBody.of(b -> b.size(0)))), Film.class);
            equal(r.responses().get(0).result().hits().total().value(), 125L);
            equal(r.responses().get(1).failure().error().type(), "index_not_found_exception");
        });
    }

    static void pages(OpenSearchClient client) {
        check("search_after", () -> {
            Set<String> seen = new HashSet<>();
            List<FieldValue> after = List.of();
            while (true) {
                List<FieldValue> from = after;
                SearchResponse<Film> r = client.search(s -> {
                    s.index("film").size(40).sort(SortOptions.of(o -> o.field(f -> f.field("year").order(SortOrder.Desc))), SortOptions.of(o -> o.field(f -> f.field("_id").order(SortOrder.Asc))));
                    return from.isEmpty() ? s : s.searchAfter(from);
                }, Film.class);
                if (r.hits().hits().isEmpty()) break;
                for (Hit<Film> h : r.hits().hits()) seen.add(h.id());
                after = r.hits().hits().get(r.hits().hits().size() - 1).sort();
            }
            equal(seen.size(), 125);
        });
        check("scroll", () -> {
            var r = client.search(s -> s.index("film").size(100).scroll(Time.of(t -> t.time("1m"))), Film.class);
            String id = r.scrollId();
            equal(client.scroll(s -> s.scrollId(id).scroll(Time.of(t -> t.time("1m"))), Film.class).hits().hits().size(), 25);
            equal(client.clearScroll(c -> c.scrollId(id)).numFreed(), 1);
        });
        check("point in time", () -> {
            String pit = client.createPit(p -> p.index("film").keepAlive(Time.of(t -> t.time("1m")))).pitId();
            SearchResponse<Film> r = client.search(s -> s.size(100).pit(Pit.of(p -> p.id(pit).keepAlive("1m"))).sort(SortOptions.of(o -> o.field(f -> f.field("_shard_doc").order(SortOrder.Asc)))), Film.class);
            equal(r.hits().hits().size(), 100);
            equal(client.deletePit(d -> d.pitId(pit)).pits().get(0).successful(), true);
        });
    }

    static void describes(OpenSearchClient client) {
        check("exists", () -> equal(List.of(client.indices().exists(e -> e.index("film")).value(), client.indices().exists(e -> e.index("book")).value()), List.of(true, false)));
        check("mapping", () -> equal(client.indices().getMapping(m -> m.index("film")).get("film").mappings().properties().get("rating").isKeyword(), true));
        check("field caps", () -> equal(client.fieldCaps(f -> f.index("film").fields("*")).fields().containsKey("grp"), false));
        check("health", () -> equal(client.cluster().health().status(), HealthStatus.Green));
        check("cat", () -> equal(client.cat().indices().valueBody().get(0).docsCount(), "125"));
        check("analyze", () -> equal(client.indices().analyze(a -> a.index("film").field("title").text("The Shark")).tokens().get(1).token(), "shark"));
    }

    static void refuses(OpenSearchClient client) {
        check("unknown index", () -> refused(404, "index_not_found_exception", () -> client.search(s -> s.index("book"), Film.class)));
        check("unknown query", () -> refused(400, "parsing_exception", () -> client.search(s -> s.index("film").query(q -> q.hasChild(h -> h.type("x").query(m -> m.matchAll(a -> a)))), Film.class)));
        check("write", () -> refused(405, "method_not_allowed", () -> client.index(i -> i.index("film").id("1").document(new Film()))));
        check("wrong token", () -> {
            try {
                connect("wrong").ping();
            } catch (IOException e) { // the client does not read the body of a 401
                equal(e.getMessage(), "Unauthorized access");
                return;
            }
            throw new AssertionError("no error");
        });
    }
}
