package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

const (
	shopKey  = tokenWord + "-of-the-shop-0123456789abcdef"
	otherKey = tokenWord + "-of-another-0123456789abcdef"
)

// signedToken signs claims by HS256, as RFC 7515 describes it; without exp, it ends in an
// hour.
func signedToken(t *testing.T, key string, claims map[string]any) string {
	t.Helper()
	if claims["exp"] == nil {
		claims["exp"] = time.Now().Add(time.Hour).Unix()
	}
	body, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// TestSignedTokens has an application that signs a token for each user: what a user may
// not see is in no answer, as for a token of the configuration. A key is replaced without
// a restart.
func TestSignedTokens(t *testing.T) {
	t.Parallel()
	file, data := writeGuarded(t, "  listen: 127.0.0.1:0\n  origins: [https://shop.example]\n  signed_tokens: {shop: {key: "+shopKey+"}}\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	of := func(claims map[string]any) visitor { return p.as(signedToken(t, shopKey, claims)) }
	hidden(t, of(map[string]any{"groups": []string{"sales", "staff"}}))
	for _, c := range []struct {
		name   string
		who    visitor
		path   string
		status int
		want   string // a part of the answer
	}{
		{"groups", of(map[string]any{"groups": []string{"sales"}}), "doc/search?q=zebra", 200, `"total":21`},
		{"no group", of(map[string]any{}), "doc/search?q=zebra", 200, `"total":0`},
		{"a filter", of(map[string]any{"groups": []string{"sales"}, "filters": []string{"tag:other"}}), "doc/search?q=zebra", 200, `"total":0`},
		{"a filter that fits", of(map[string]any{"groups": []string{"sales"}, "filters": []string{"tag:zebra"}}), "doc/search?facets=tag", 200, `"total":21`},
		{"a filter by what a table has not", of(map[string]any{"filters": []string{"tenant_id:7"}}), "page/search", 200, `"total":0`},
		{"its table", of(map[string]any{"tables": []string{"page"}}), "page/search", 200, `"total":1`},
		{"another table", of(map[string]any{"tables": []string{"page"}, "groups": []string{"sales"}}), "doc/search?q=zebra", 404, `no table doc`},
		{"all of its tables", of(map[string]any{"tables": []string{"page"}, "groups": []string{"sales"}}), "*/search?q=zebra", 200, `"total":0`},
		{"more than a search", of(map[string]any{"groups": []string{"sales"}}), "doc/docs/seen00", 403, "may only search"},
		{"an end", of(map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}), "page/search", 401, "the token has expired"},
		{"an unknown claim", of(map[string]any{"group": []string{"boss"}}), "page/search", 401, "claim that is unknown"},
		{"another key", p.as(signedToken(t, otherKey, map[string]any{})), "page/search", 401, "no key has signed the token"},
	} {
		if status, text := c.who.ask(t, "GET", "/api/v1/tables/"+c.path, ""); status != c.status || !strings.Contains(text, c.want) || strings.Contains(text, hiddenWord) {
			t.Errorf("%s: got %d %s, want %d and %s", c.name, status, text, c.status, c.want)
		}
	}
	good := readFile(t, file)
	replace(t, file, strings.Replace(good, shopKey, otherKey, 1))
	p.hangUp(t)
	p.waitForLog(t, took, 1)
	for key, want := range map[string]int{shopKey: 401, otherKey: 200} {
		if status, text := p.as(signedToken(t, key, map[string]any{})).ask(t, "GET", "/api/v1/tables/page/search", ""); status != want {
			t.Errorf("after the key was replaced: got %d %s, want %d", status, text, want)
		}
	}
	tokensOccurNowhere(t, p, p.as(opsToken), data)
}

// TestSignedTokenRecipe runs the recipe of docs/recipes.md: the claims of its program, and
// those that it names for tenants, owners and what is visible.
func TestSignedTokenRecipe(t *testing.T) {
	t.Parallel()
	var config string
	claims := map[string]any{}
	for _, b := range blocks(t, "docs/recipes.md", "Signed tokens") {
		switch b.lang {
		case "yaml":
			config = b.text
		case "python":
			text := regexp.MustCompile(`jwt\.encode\((\{.*\}),`).FindStringSubmatch(b.text)
			if text == nil || json.Unmarshal([]byte(strings.Replace(text[1], "time.time() + 900", fmt.Sprint(time.Now().Unix()+900), 1)), &claims) != nil {
				t.Fatalf("%s: no claims: %s", b.at, b.text)
			}
		}
	}
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE ticket (id int PRIMARY KEY, updated_at timestamptz DEFAULT now(), subject text, tenant_id int, owner text, visible boolean);
		INSERT INTO ticket (id, subject, tenant_id, owner, visible) VALUES (1, 'printer', 7, 'ann', true), (2, 'printer', 7, 'ann', false), (3, 'printer', 7, 'bo', true), (4, 'printer', 8, 'ann', true), (5, 'printer', NULL, NULL, NULL)`)
	file := writeFile(t, strings.NewReplacer("/var/lib/indexerd", t.TempDir()+"/data", "http:\n", "http:\n  listen: 127.0.0.1:0\n", "127.0.0.1:9200", "127.0.0.1:0",
		"${DSN}", dsn, "${OPS_TOKEN}", opsToken, "${SHOP_KEY}", shopKey).Replace(config))
	p := follow(t, file)
	manual := document(t, "docs/recipes.md")
	for _, c := range []struct {
		filters []string
		want    string
		owners  string // the facet
	}{
		{nil, `"total":5`, `{"value":"ann","count":3},{"value":"bo","count":1}`},
		{[]string{"tenant_id:7"}, `"total":3`, `{"value":"ann","count":2},{"value":"bo","count":1}`},
		{[]string{"owner:ann"}, `"total":3`, `{"value":"ann","count":3}`},
		{[]string{"visible:true"}, `"total":3`, `{"value":"ann","count":2},{"value":"bo","count":1}`},
		{[]string{"tenant_id:7", "visible:true"}, `"total":2`, `{"value":"ann","count":1},{"value":"bo","count":1}`},
		{[]string{"tenant_id:7", "owner:ann", "visible:true"}, `"total":1`, `{"value":"ann","count":1}`},
	} {
		for _, f := range c.filters {
			if !strings.Contains(manual, f) {
				t.Errorf("docs/recipes.md does not name %s", f)
			}
		}
		claims["filters"] = c.filters
		status, text := p.as(signedToken(t, shopKey, claims)).ask(t, "GET", "/api/v1/tables/ticket/search?q=printer&facets=owner", "")
		if status != 200 || !strings.Contains(text, c.want) || !strings.Contains(text, c.owners) {
			t.Errorf("%v: got %d %s, want %s and %s", c.filters, status, text, c.want, c.owners)
		}
	}
	claims["tables"] = []string{"other"}
	if status, text := p.as(signedToken(t, shopKey, claims)).ask(t, "GET", "/api/v1/tables/ticket/search", ""); status != 404 {
		t.Errorf("a token of another table: got %d %s, want 404", status, text)
	}
}

// TestOtherSites asks as the page of another site does: only routes that search are open,
// and only to the sites of the configuration.
func TestOtherSites(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 127.0.0.1:0\n  origins: [https://shop.example]\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	for _, c := range []struct {
		name, method, path, origin, asked string
		token                             string
		status                            int
		allowed                           bool
	}{
		{"a preflight", "OPTIONS", "tables/doc/search", "https://shop.example", "POST", "", 204, true},
		{"a search", "POST", "tables/doc/search", "https://shop.example", "", salesToken, 200, true},
		{"a search without a token", "POST", "tables/doc/search", "https://shop.example", "", "", 401, true},
		{"another site", "POST", "tables/doc/search", "https://evil.example", "", salesToken, 403, false},
		{"another site's preflight", "OPTIONS", "tables/doc/search", "https://evil.example", "POST", "", 403, false},
		{"another route", "GET", "status", "https://shop.example", "", opsToken, 403, false},
		{"another route's preflight", "OPTIONS", "tables/doc/reload", "https://shop.example", "POST", "", 403, false},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, p.base+"/api/v1/"+c.path, strings.NewReader(`{"q":"zebra"}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Origin": c.origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", "Access-Control-Request-Method": c.asked,
			"Access-Control-Request-Headers": map[bool]string{true: "authorization,content-type"}[c.asked != ""], "Authorization": map[bool]string{true: "Bearer " + c.token}[c.token != ""],
		} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		h := response.Header
		allowed := h.Get("Access-Control-Allow-Origin") == c.origin && h.Get("Vary") == "Origin"
		if response.StatusCode != c.status || allowed != c.allowed || c.allowed && c.asked != "" && h.Get("Access-Control-Allow-Headers") != "authorization,content-type" {
			t.Errorf("%s: got %d %v, want %d, allowed %t", c.name, response.StatusCode, h, c.status, c.allowed)
		}
	}
}
