package clienttest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/golang-jwt/jwt/v5"

	"indexerd/internal/test/browser"
)

// tickets are of two tenants. Ann and Bo work for tenant 7, and one ticket of it is not
// visible.
var tickets = []string{
	"CREATE TABLE ticket (id INTEGER PRIMARY KEY, updated_at TEXT DEFAULT CURRENT_TIMESTAMP, subject TEXT, tenant_id INTEGER, owner TEXT, visible BOOLEAN)",
	`INSERT INTO ticket (subject, tenant_id, owner, visible) VALUES ('Printer jams', 7, 'ann', 1), ('Printer smells', 7, 'bo', 1), ('Screen flickers', 7, 'ann', 1),
		('Printer is secret', 7, 'ann', 0), ('Printer sings', 8, 'cleo', 1)`,
	"CREATE INDEX ticket_u ON ticket (updated_at)",
}

// TestPage bundles the page of docs/search-page.md, and uses it as a person does, from
// another site than the daemon's: it shows hits, facets and a refinement of what the user
// may see, and nothing on a site that the configuration does not list.
func TestPage(t *testing.T) {
	Client{Name: "react-instantsearch 7.50.1", Installed: "page/installed"}.installed(t)
	s := shopSite{key: rand.Text() + rand.Text()}
	shop, evil := s.serve(t), s.serve(t)
	config := replaced(t, blockOf(t, "recipes.md", "yaml", "signed_tokens:"), "/var/lib/indexerd", "DATA", "http:\n", "http:\n  listen: HTTP\n", "127.0.0.1:9200", "API",
		"driver: postgres", "driver: sqlite", `"${DSN}"`, "DATABASE", "https://shop.example", shop.URL, "${OPS_TOKEN}", token, "${SHOP_KEY}", s.key)
	ofSeven, ofEight := []string{"tenant_id:7", "visible:true"}, []string{"tenant_id:8", "visible:true"}
	d, err := start(config, tickets, shown{s.sign(t, nil), "/ticket/_search?filter_path=hits.hits._source.subject", `"subject"`, 5})
	if err != nil {
		t.Fatal(err)
	}
	s.script = bundle(t, replaced(t, blockOf(t, "search-page.md", "jsx", "react"), "http://127.0.0.1:9200", d.url))

	box := chromedp.CSS("input[type=search]")
	s.filters.Store(&ofSeven)
	seven := site{t, browser.Open(t, shop.URL)}
	seven.shows("Printer jams by ann", "Printer smells by bo", "Screen flickers by ann", "ann2", "bo1", "!secret", "!cleo")
	seven.do(chromedp.SendKeys(box, "pritner"))
	seven.shows("Printer jams", "Printer smells", "ann1", "bo1", "!Screen")
	seven.do(chromedp.Click(chromedp.CSS("button[type=reset]")), chromedp.Click(chromedp.CSS("input[value=ann]")))
	seven.shows("Printer jams", "Screen flickers", "!smells", "!secret")

	s.filters.Store(&ofEight)
	eight := site{t, browser.Open(t, shop.URL)}
	eight.shows("Printer sings by cleo", "cleo1", "!by ann", "!by bo")
	eight.do(chromedp.SendKeys(box, "printer"))
	eight.shows("Printer sings", "!jams")

	search := fmt.Sprintf(`fetch(%q, {headers: {authorization: 'Bearer ' + %q}}).then(r => '' + r.status, e => e.message)`, d.url+"/ticket/_search", s.sign(t, ofEight))
	if got := eight.eval(search); got != "200" {
		t.Errorf("got %s of a site in origins, want 200", got)
	}
	other := site{t, browser.Open(t, evil.URL)}
	other.do(chromedp.WaitVisible(chromedp.CSS("input[type=search]")), chromedp.SendKeys(chromedp.CSS("input[type=search]"), "mocha"))
	other.until(`performance.getEntriesByType('resource').some(e => e.name.endsWith('/_msearch') && e.responseStatus === 0)`)
	other.shows("!sings", "!cleo")
	if got := other.eval(search); got != "Failed to fetch" {
		t.Errorf("got %s of another site, want a refusal", got)
	}
}

// blockOf returns the block of a language in a document that has a word.
func blockOf(t *testing.T, name, language, word string) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range block.FindAllStringSubmatch(string(text), -1) {
		if m[1] == language && strings.Contains(m[2], word) {
			return m[2]
		}
	}
	t.Fatalf("docs/%s has no block of %s with %s", name, language, word)
	return ""
}

// replaced replaces texts by others, each of which must occur.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q lacks %s", text, pairs[i])
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// bundle makes one script of a program and the packages that it imports.
func bundle(t *testing.T, program string) string {
	t.Helper()
	packages := filepath.Join(Client{}.dir(t), "page")
	command := exec.CommandContext(t.Context(), filepath.Join(packages, "node_modules", ".bin", "esbuild"), "--bundle", "--format=esm", "--loader=jsx", "--jsx=automatic", "--minify", "--log-level=warning")
	command.Dir, command.Stdin = packages, strings.NewReader(program)
	var errors strings.Builder
	command.Stderr = &errors
	script, err := command.Output()
	if err != nil {
		t.Fatalf("esbuild: %v: %s", err, &errors)
	}
	return string(script)
}

// A shopSite is a site with the page, and signs a token for its user.
type shopSite struct {
	key, script string
	filters     atomic.Pointer[[]string] // of the user's token
}

// sign returns a token that finds the tickets which match all filters.
func (s *shopSite) sign(t testing.TB, filters []string) string {
	t.Helper()
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"exp": time.Now().Add(time.Hour).Unix(), "tables": []string{"ticket"}, "filters": filters,
	}).SignedString([]byte(s.key))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func (s *shopSite) serve(t testing.TB) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, `<!DOCTYPE html><div id="search"></div><script type="module" src="/page.js"></script>`)
		case "/page.js":
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = io.WriteString(w, s.script)
		case "/search-token":
			_, _ = io.WriteString(w, s.sign(t, *s.filters.Load()))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// A site is a page in a browser.
type site struct {
	testing.TB
	ctx context.Context
}

func (s site) do(steps ...chromedp.Action[chromedp.Void]) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		s.Fatal(err)
	}
}

func (s site) eval(expression string) string {
	s.Helper()
	v, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		s.Fatalf("%s: %v", expression, err)
	}
	return v
}

// shows waits until the page shows all texts, and none of those that begin with !.
func (s site) shows(texts ...string) {
	s.Helper()
	var all []string
	for _, text := range texts {
		absent, not := strings.CutPrefix(text, "!")
		all = append(all, fmt.Sprintf("document.body.innerText.includes(%q) === %t", absent, !not))
	}
	s.until(strings.Join(all, " && "))
}

// until waits until a condition is true in the page.
func (s site) until(condition string) {
	s.Helper()
	late := time.After(time.Minute)
	for s.eval("String("+condition+")") != "true" {
		select {
		case <-late:
			s.Fatalf("the page shows %q, want %s", s.eval("document.body.innerText"), condition)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
