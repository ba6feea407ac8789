package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"indexerd/internal/index/search"
)

// TestAccessFromOtherMachines has a daemon on every address, with a certificate
// that does not name this machine.
func TestAccessFromOtherMachines(t *testing.T) {
	t.Parallel()
	cert, key, pool := certificate(t, "search.example")
	file, data := writeGuarded(t, fmt.Sprintf("  listen: 0.0.0.0:0\n  tls: {cert_file: %s, key_file: %s}\n%s", cert, key, guardedTokens))
	p := startGuarded(t, file)
	p.ready(t)
	address := strings.TrimPrefix(p.base, "https://127.0.0.1")
	if address == p.base {
		t.Fatalf("it serves %s, want https://127.0.0.1", p.base)
	}
	to := func(config *tls.Config) *http.Client {
		dial := &net.Dialer{}
		return &http.Client{Transport: &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return dial.DialContext(ctx, "tcp", "127.0.0.1"+address)
			}}}
	}
	ops := visitor{to(&tls.Config{RootCAs: pool}), "https://search.example" + address, opsToken}
	sales, stranger := ops, ops
	sales.token, stranger.token = salesToken, unknownToken

	t.Run("by the name of its certificate", func(t *testing.T) {
		for who, want := range map[visitor][2]int{ops: {200, 200}, sales: {403, 200}, stranger: {401, 401}} {
			status, text := who.ask(t, "GET", "/api/v1/status", "")
			found, _ := who.ask(t, "GET", "/api/v1/tables/doc/search", "")
			if status != want[0] || found != want[1] || strings.Contains(text, tokenWord) {
				t.Errorf("%s: got %d and %d, want %v: %s", who.token, status, found, want, text)
			}
		}
	})
	t.Run("not without TLS, nor with an old one", func(t *testing.T) {
		if response, err := http.Get("http://127.0.0.1" + address + "/healthz"); err == nil {
			response.Body.Close()
			if response.StatusCode != http.StatusBadRequest {
				t.Errorf("http: got %d, want 400", response.StatusCode)
			}
		}
		old := to(&tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11})
		if response, err := old.Get(ops.base + "/healthz"); err == nil {
			response.Body.Close()
			t.Error("TLS 1.1: got an answer")
		}
	})
	t.Run("the command finds it", func(t *testing.T) { commandsOverTLS(t, file) })
	t.Run("a stranger in its place", func(t *testing.T) {
		other, otherKey, _ := certificate(t, "localhost")
		pair, err := tls.LoadX509KeyPair(other, otherKey)
		if err != nil {
			t.Fatal(err)
		}
		l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 1)
		s := &http.Server{ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Authorization") })}
		go func() { _ = s.Serve(l) }()
		defer s.Close()
		lock := filepath.Join(data, "lock")
		text := readFile(t, lock)
		defer os.WriteFile(lock, []byte(text), 0o644)
		replace(t, lock, strings.Replace(text, p.base, "https://"+l.Addr().String(), 1))
		if _, stderr, code := ask(withToken(t, opsToken), "status", "-c", file); code != 1 || !strings.Contains(stderr, "another certificate") {
			t.Errorf("exit %d: %q, want 1 and another certificate", code, stderr)
		}
		select {
		case sent := <-got:
			t.Errorf("the stranger got %q", sent)
		default:
		}
	})
	t.Run("what is hidden occurs nowhere", func(t *testing.T) { hidden(t, sales) })
	t.Run("tokens occur nowhere", func(t *testing.T) { tokensOccurNowhere(t, p, ops, data) })
}

// commandsOverTLS asks the daemon as the command does.
func commandsOverTLS(t *testing.T, file string) {
	for _, c := range []struct {
		token string
		args  []string
		code  int
		want  string
	}{
		{"", []string{"status"}, 1, "unauthorized: a token is needed"},
		{unknownToken, []string{"status"}, 1, "unauthorized: the token is unknown"},
		{salesToken, []string{"status"}, 1, "forbidden: this token may only search"},
		{opsToken, []string{"status"}, 0, "doc"},
		{salesToken, []string{"search", "doc", "zebra"}, 0, "21 found in doc"},
		{salesToken, []string{"search", "doc", "xylo*"}, 0, "0 found in doc"},
		{opsToken, []string{"search", "doc", "xylo*"}, 0, "40 found in doc"},
		{opsToken, []string{"verify"}, 0, "equal"},
		{opsToken, []string{"backup", filepath.Join(t.TempDir(), "b.tar")}, 0, ""},
		{salesToken, []string{"backup", filepath.Join(t.TempDir(), "b.tar")}, 1, "forbidden"},
	} {
		args := append([]string{c.args[0], "-c", file}, c.args[1:]...)
		stdout, stderr, code := ask(withEnv(t, "INDEXERD_TOKEN="+c.token, "SALES_TOKEN="), args...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: exit %d: %q %q, want %d with %q", c.args, code, stdout, stderr, c.code, c.want)
		}
		if strings.Contains(stdout+stderr, tokenWord) {
			t.Errorf("%v: it shows a token: %q %q", c.args, stdout, stderr)
		}
	}
}

// hidden asks all kinds of questions that do not have the word themselves.
func hidden(t *testing.T, sales visitor) {
	queries := []string{
		"", "*", "zebra", "title", "xylo*", "xylocanar*", "title:xylocanar*", "notes:xylocanar*", "tag:xylocanar*", "-xylocanar*", "zebra OR xylocanar*",
		"-zebra", `"body of"`, `"note zebra"`, "tag:*", "tag:>=x", "tag:[w TO y]", "xylocanarx~", "xylocanar", "acl:xylocanar*", "xylocanar:1", "tag:(", "sales", "boss",
	}
	more := []string{
		"", "&facets=tag", "&facets=acl", "&sort=tag", "&sort=-tag&size=3", "&sort=acl", "&filter=tag:xylocanar", "&filter=acl:boss", "&fields=title,tag,notes",
		"&fields=acl", "&fields=xylocanar", "&size=2", "&highlight=false", "&facets=xylocanar", "&after=xylocanar", "&groups=boss", "&admin=true",
	}
	asked, found := 0, 0
	for _, q := range queries {
		for _, m := range more {
			path := "/api/v1/tables/doc/search?q=" + url.QueryEscape(q) + m
			for range 20 { // pages
				status, text := sales.ask(t, "GET", path, "")
				asked++
				if strings.Contains(text, hiddenWord) || status != 200 && status != 400 {
					t.Fatalf("%s: got %d %s", path, status, text)
				}
				var a search.Answer
				if status == 200 {
					if err := readAnswer(text, &a); err != nil {
						t.Fatalf("%s: %v", path, err)
					}
				}
				if a.Total > 21 {
					t.Errorf("%s: %d found, want no more than the 21 that sales may see", path, a.Total)
				}
				found += len(a.Hits)
				if a.Next == nil || !strings.Contains(m, "size") {
					break
				}
				path = "/api/v1/tables/doc/search?q=" + url.QueryEscape(q) + m + "&after=" + url.QueryEscape(*a.Next)
			}
		}
		for _, body := range []string{
			fmt.Sprintf(`{"q":%q,"facets":{"tag":1000},"sort":["_score"]}`, q), fmt.Sprintf(`{"q":%q,"caller":{"Admin":true}}`, q), fmt.Sprintf(`{"q":%q,"Groups":["boss"]}`, q),
		} {
			if status, text := sales.ask(t, "POST", "/api/v1/tables/doc/search", body); strings.Contains(text, hiddenWord) || status != 200 && status != 400 {
				t.Errorf("%s: got %d %s", body, status, text)
			}
			asked++
		}
	}
	if found == 0 {
		t.Fatalf("%d questions found nothing at all", asked)
	}
	for _, path := range []string{"docs/" + hiddenWord + "00", "explain/seen00", "versions/seen00", "history", "quarantine"} {
		if status, _ := sales.ask(t, "GET", "/api/v1/tables/doc/"+path, ""); status != 403 {
			t.Errorf("%s: got %d, want 403", path, status)
		}
	}
	for path, want := range map[string]string{"tables/page/search?q=public": `"total":1`, "tables/xylocanar/search": "there is doc, page"} {
		if _, text := sales.ask(t, "GET", "/api/v1/"+path, ""); !strings.Contains(text, want) {
			t.Errorf("%s: got %s, want %s", path, text, want)
		}
	}
}

// tokensOccurNowhere reads all that a daemon prints and stores.
func tokensOccurNowhere(t *testing.T, p *proc, ops visitor, data string) {
	for _, path := range []string{"/api/v1/status", "/metrics", "/readyz", "/healthz", "/api/v1/tables/doc/history", "/api/v1/tables/doc/explain/seen00", "/nothing"} {
		if _, text := ops.ask(t, "GET", path, ""); strings.Contains(text, tokenWord) {
			t.Errorf("%s: %s", path, text)
		}
	}
	if _, tar := ops.ask(t, "POST", "/api/v1/backup", ""); strings.Contains(tar, tokenWord) || len(tar) < 1000 {
		t.Errorf("the backup of %d bytes has a token in it, or nothing", len(tar))
	}
	p.stop(t)
	if strings.Contains(p.log.String(), tokenWord) {
		t.Errorf("the log: %s", p.log)
	}
	err := filepath.WalkDir(data, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if text, err := os.ReadFile(name); err != nil || bytes.Contains(text, []byte(tokenWord)) {
			t.Errorf("%s has a token in it, or can't be read: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// Another address than this machine's own is a fault without tokens and TLS,
// and nothing listens there.
// TestProxyEndsTLS has a daemon behind an ingress: requests come without TLS, under the
// name that the ingress has, and need a token all the same.
func TestProxyEndsTLS(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 0.0.0.0:0\n  tls: {ended_by_proxy: true}\n  trusted_proxies: [127.0.0.1]\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	address := strings.TrimPrefix(p.base, "http://")
	ingress := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "tcp", address)
	}}}
	for token, want := range map[string]int{opsToken: 200, unknownToken: 401} {
		if status, text := (visitor{ingress, "http://search.example", token}).ask(t, "GET", "/api/v1/tables/doc/search", ""); status != want {
			t.Errorf("got %d, want %d: %s", status, want, text)
		}
	}
	if stdout, stderr, code := runHere(t, map[string]string{"SALES_TOKEN": salesToken}, "check", "-c", file); code != 0 || !strings.Contains(stdout, "tls_by_proxy") {
		t.Errorf("check: exit %d, %s%s, want the warning tls_by_proxy", code, stdout, stderr)
	}
}

func TestOtherAddressesNeedTokensAndTLS(t *testing.T) {
	file, data := writeGuarded(t, "  listen: 0.0.0.0:0\n")
	_, stderr, code := ask(t, "run", "-c", file)
	if code != exitBad || !strings.Contains(stderr, "http.listen") || !strings.Contains(stderr, "http.tokens") || !strings.Contains(stderr, "http.tls") {
		t.Errorf("exit %d: %q, want 2 and what is missing", code, stderr)
	}
	if _, err := os.Stat(data); !os.IsNotExist(err) {
		t.Errorf("it began to run: %v", err)
	}
}

// Groups that restrict no caller are logged at the start. Who can open the data is an
// admin, with tokens or without.
func TestGroupsWithoutTokens(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 127.0.0.1:0\n")
	p := follow(t, file)
	if !strings.Contains(p.log.String(), "http.tokens") {
		t.Errorf("the log does not say that everyone sees everything: %s", p.log)
	}
	p.has(t, "doc", "xylo*", 40)
	p.stop(t)
	rewrite(t, file, "  listen: 127.0.0.1:0\n", guardedTokens)
	for _, args := range [][]string{{"search", "-c", file, "doc", "xylo*"}, {"verify", "-c", file}} {
		if stdout, stderr, code := ask(t, args...); code != 0 || args[0] == "search" && !strings.Contains(stdout, "40 found") {
			t.Errorf("%v in process, without a token: exit %d: %q %q, want 0", args, code, stdout, stderr)
		}
	}
}

// An index that was built before its table had the field of groups shows
// nothing to those who may not see all.
func TestGroupsThatTheIndexDoesNotHave(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, guardedTokens)
	text := strings.Replace(readFile(t, file), guardedTokens, "  listen: 127.0.0.1:0\n"+guardedTokens, 1)
	before := strings.NewReplacer("    acl: acl\n", "", ", groups: [sales, staff]", "").Replace(text)
	before = before[:strings.Index(before, "    extra:")] + before[strings.Index(before, "  page:"):]
	for i, text := range []string{before, text} {
		replace(t, file, text)
		p := startGuarded(t, file)
		p.ready(t)
		sales := p.as(salesToken)
		status, answer := sales.ask(t, "GET", "/api/v1/tables/doc/search?q=zebra", "")
		if want := []int{200, 503}[i]; status != want || i == 1 && (!strings.Contains(answer, "indexerd reindex doc") || strings.Contains(answer, "seen")) {
			t.Errorf("run %d: got %d %s, want %d", i+1, status, answer, want)
		}
		p.stop(t)
	}
}

// A running daemon takes other tokens, but none away with an address that it
// keeps: what is right for one may be wide open on the other.
func TestHangUpTakesTokens(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 127.0.0.1:0\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	asks := func(token string) int { return p.as(token).status(t) }
	good := readFile(t, file)
	replace(t, file, strings.Replace(good, opsToken, opsToken+"-renewed", 1))
	p.hangUp(t)
	p.waitForLog(t, took, 1)
	if before, after := asks(opsToken), asks(opsToken+"-renewed"); before != 401 || after != 200 {
		t.Errorf("the old token: got %d, the new one %d, want 401 and 200", before, after)
	}
	replace(t, file, strings.NewReplacer("127.0.0.1:0", "127.0.0.1:1", guardedTokens, "").Replace(good))
	p.hangUp(t)
	p.waitForLog(t, took, 2)
	p.waitForLog(t, "http.tokens, http.tls", 1)
	if without, after := asks(""), asks(opsToken+"-renewed"); without != 401 || after != 200 {
		t.Errorf("no token: got %d, the last one %d, want 401 and 200", without, after)
	}
}

// TestDashboardAsksForAToken signs in as a person does: with a wrong token, with
// one that only searches, and with an admin's, which another load of the page
// still knows and another tab does not. Each sees what its token may see.
func TestDashboardAsksForAToken(t *testing.T) {
	t.Parallel()
	file, _ := writeGuarded(t, "  listen: 127.0.0.1:0\n"+guardedTokens)
	p := startGuarded(t, file)
	p.ready(t)
	b := browse(t, p.base)
	signIn := func(token string) {
		b.sees("#ready", "locked")
		b.press(token + kb.Enter)
	}
	shows := func() string {
		return eval[string](b, "document.documentElement.outerHTML + document.cookie + JSON.stringify(localStorage) + location.href")
	}
	signIn(unknownToken)
	b.sees("#refusal", "the token is unknown")
	signIn(salesToken)
	b.sees("#ready", "ready")
	b.sees("#found", "22 found")
	b.sees("#facets", "page\n1", "doc\n21")
	b.search("xylo*")
	b.sees("#found", "0 found")
	b.sees("#state", "Nothing found")
	b.search("zebra")
	b.sees("#found", "21 found")
	b.click("#hits .key")
	b.sees("#hits .open", "body of zebra")
	if got := shows(); strings.Contains(got, hiddenWord) || strings.Contains(got, tokenWord) || strings.Contains(got, "/explain/") {
		t.Errorf("a token of sales shows what it may not see: %s", got)
	}
	b.views("operations")
	b.sees("#refusal", "this token may only search")
	if eval[bool](b, "document.querySelector('#operations').checkVisibility()") {
		t.Errorf("the operations show to a token that may only search")
	}
	signIn(opsToken)
	b.sees("#sentence", "order")
	b.views("search")
	b.search("xylocanary")
	b.sees("#found", "40 found")
	b.click("#hits .key")
	b.click("#hits .links a")
	b.sees("#hits pre", `"verdict": "equal"`)
	b.do(chromedp.Reload())
	b.sees("#found", "40 found")
	if got := shows(); strings.Contains(got, tokenWord) {
		t.Errorf("the page shows or stores the token: %s", got)
	}
	browse(t, p.base).sees("#ready", "locked")
	b.click("#leave")
	b.sees("#ready", "locked")
	b.do(chromedp.Reload())
	b.sees("#ready", "locked")
}
