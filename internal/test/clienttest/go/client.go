// Tests opensearch-go against indexerd. It prints a line for each test.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"
)

var (
	ctx    = context.Background()
	failed bool
	index  = []string{"film"}
)

func main() {
	client, err := connect(os.Getenv("TOKEN"))
	if err != nil {
		fmt.Println("not ok connect:", err)
		os.Exit(1)
	}
	reads(client)
	pages(client)
	describes(client)
	refuses(client)
	if failed {
		os.Exit(1)
	}
}

func connect(token string) (*opensearchapi.Client, error) {
	return opensearchapi.NewClient(opensearchapi.Config{Client: opensearch.Config{Addresses: []string{os.Getenv("OPENSEARCH_URL")}, Username: "any", Password: token}})
}

func check(name string, test func() error) {
	if err := test(); err != nil {
		failed = true
		fmt.Printf("not ok %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("ok", name)
}

func equal(got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

func search(c *opensearchapi.Client, body string, p opensearchapi.SearchParams) (*opensearchapi.SearchResp, error) {
	return c.Search(ctx, &opensearchapi.SearchReq{Indices: index, Body: strings.NewReader(body), Params: p})
}

func reads(c *opensearchapi.Client) {
	check("info", func() error {
		r, err := c.Info(ctx, nil)
		if err != nil {
			return err
		}
		return equal(r.Version.Distribution, "opensearch")
	})
	check("ping", func() error {
		_, err := c.Ping(ctx, nil)
		return err
	})
	check("search", func() error {
		r, err := search(c, `{"query":{"match":{"title":"shark"}},"_source":["title"]}`, opensearchapi.SearchParams{})
		if err != nil {
			return err
		}
		return equal([]any{r.Hits.Total.Value, len(r.Hits.Hits), string(r.Hits.Hits[0].Source)}, []any{25, 10, `{"title":"Shark 10"}`})
	})
	check("highlight", func() error {
		r, err := search(c, `{"query":{"match":{"plot":"submarine"}},"highlight":{"fields":{"plot":{}}}}`, opensearchapi.SearchParams{})
		if err != nil {
			return err
		}
		return equal(strings.Contains(r.Hits.Hits[0].Highlight["plot"][0], "<em>submarine</em>"), true)
	})
	check("aggregations", func() error {
		r, err := search(c, `{"size":0,"aggs":{"ratings":{"terms":{"field":"rating"}}}}`, opensearchapi.SearchParams{})
		if err != nil {
			return err
		}
		return equal(strings.Contains(string(r.Aggregations), `"PG"`), true)
	})
	check("count", func() error {
		r, err := c.Indices.Count(ctx, &opensearchapi.IndicesCountReq{Indices: index, Body: strings.NewReader(`{"query":{"term":{"rating":"PG"}}}`)})
		if err != nil {
			return err
		}
		return equal(r.Count, 42)
	})
	check("document", func() error {
		r, err := c.Document.Get(ctx, opensearchapi.DocumentGetReq{Index: "film", DocumentID: "10"})
		if err != nil {
			return err
		}
		return equal([]any{r.Found, strings.Contains(string(r.Source), "Shark 10")}, []any{true, true})
	})
	check("mget", func() error {
		r, err := c.MGet(ctx, opensearchapi.MGetReq{Index: "film", Body: strings.NewReader(`{"ids":["10","11"]}`)})
		if err != nil {
			return err
		}
		return equal([]bool{r.Docs[0].Found, r.Docs[1].Found}, []bool{true, false})
	})
	check("msearch", func() error {
		r, err := c.MSearch(ctx, opensearchapi.MSearchReq{Indices: index, Body: strings.NewReader("{}\n{\"size\":0}\n{\"index\":\"book\"}\n{}\n")})
		if err != nil {
			return err
		}
		return equal([]int{r.Responses[0].Hits.Total.Value, r.Responses[1].Status}, []int{125, 404})
	})
	check("explain", func() error {
		r, err := c.Document.Explain(ctx, opensearchapi.DocumentExplainReq{Index: "film", DocumentID: "10", Body: strings.NewReader(`{"query":{"match":{"title":"shark"}}}`)})
		if err != nil {
			return err
		}
		return equal(r.Matched, true)
	})
}

func pages(c *opensearchapi.Client) {
	check("scroll", func() error {
		r, err := search(c, `{"size":50}`, opensearchapi.SearchParams{Scroll: time.Minute})
		if err != nil {
			return err
		}
		n, id := len(r.Hits.Hits), *r.ScrollID
		for {
			page, err := c.Scroll.Get(ctx, opensearchapi.ScrollGetReq{ScrollID: id, Params: opensearchapi.ScrollGetParams{Scroll: time.Minute}})
			if err != nil {
				return err
			}
			if len(page.Hits.Hits) == 0 {
				break
			}
			n, id = n+len(page.Hits.Hits), *page.ScrollID
		}
		deleted, err := c.Scroll.Delete(ctx, opensearchapi.ScrollDeleteReq{ScrollIDs: []string{id}})
		if err != nil {
			return err
		}
		return equal([]int{n, deleted.NumFreed}, []int{125, 1})
	})
	check("point in time", func() error {
		pit, err := c.PointInTime.Create(ctx, opensearchapi.PointInTimeCreateReq{Indices: index, Params: opensearchapi.PointInTimeCreateParams{KeepAlive: time.Minute}})
		if err != nil {
			return err
		}
		r, err := c.Search(ctx, &opensearchapi.SearchReq{Body: strings.NewReader(`{"size":100,"sort":["_shard_doc"],"pit":{"id":"` + pit.PitID + `"}}`)})
		if err != nil {
			return err
		}
		deleted, err := c.PointInTime.Delete(ctx, opensearchapi.PointInTimeDeleteReq{PitID: []string{pit.PitID}})
		if err != nil {
			return err
		}
		return equal([]any{len(r.Hits.Hits), deleted.Pits[0].Successful}, []any{100, true})
	})
}

func describes(c *opensearchapi.Client) {
	check("exists", func() error {
		r, err := c.Indices.Exists(ctx, opensearchapi.IndicesExistsReq{Indices: index})
		if err != nil {
			return err
		}
		return equal(r.StatusCode, 200)
	})
	check("mapping", func() error {
		r, err := c.Indices.Mapping.Get(ctx, &opensearchapi.MappingGetReq{Indices: index})
		if err != nil {
			return err
		}
		return equal(strings.Contains(string(r.GetIndices()["film"].Mappings), `"rating":{"type":"keyword"}`), true)
	})
	check("field caps", func() error {
		r, err := c.Indices.FieldCaps(ctx, opensearchapi.IndicesFieldCapsReq{Indices: index, Params: opensearchapi.IndicesFieldCapsParams{Fields: []string{"*"}}})
		if err != nil {
			return err
		}
		_, hidden := r.Fields["grp"]
		return equal(hidden, false)
	})
	check("analyze", func() error {
		r, err := c.Indices.Analyze(ctx, opensearchapi.IndicesAnalyzeReq{Index: "film", Body: opensearchapi.IndicesAnalyzeBody{Text: []string{"The Shark"}, Field: "title"}})
		if err != nil {
			return err
		}
		return equal(r.Tokens[1].Token, "shark")
	})
	check("cat", func() error {
		r, err := c.Cat.Indices(ctx, &opensearchapi.CatIndicesReq{Indices: index})
		if err != nil {
			return err
		}
		return equal([]any{r.Indices[0].Index, *r.Indices[0].DocsCount}, []any{"film", 125})
	})
	check("health", func() error {
		r, err := c.Cluster.Health(ctx, nil)
		if err != nil {
			return err
		}
		return equal(r.Status, "green")
	})
}

func refuses(c *opensearchapi.Client) {
	refused := func(err error, status int, kind string) error {
		var e *opensearch.StructError
		if !errors.As(err, &e) {
			return fmt.Errorf("got %v, want a StructError", err)
		}
		return equal([]any{e.Status, e.Err.Type}, []any{status, kind})
	}
	check("unknown query", func() error {
		_, err := search(c, `{"query":{"geo_shape":{}}}`, opensearchapi.SearchParams{})
		return refused(err, 400, "parsing_exception")
	})
	check("unknown index", func() error {
		_, err := c.Search(ctx, &opensearchapi.SearchReq{Indices: []string{"book"}})
		return refused(err, 404, "index_not_found_exception")
	})
	check("write", func() error {
		_, err := c.Index(ctx, opensearchapi.IndexReq{Index: "film", DocumentID: "1", Body: strings.NewReader(`{}`)})
		return refused(err, http.StatusMethodNotAllowed, "method_not_allowed")
	})
	check("wrong token", func() error {
		other, err := connect("wrong")
		if err != nil {
			return err
		}
		_, err = other.Info(ctx, nil)
		return refused(err, 401, "security_exception")
	})
}
