package httpapi

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
)

func serveDashboard(target string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	handleDashboard(mux)
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w
}

// The headers keep other pages and the content of rows from running scripts in
// the dashboard.
func TestDashboardHeaders(t *testing.T) {
	for target, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/web/page.css": "text/css; charset=utf-8", "/web/page.js": "text/javascript; charset=utf-8", "/web/icon.svg": "image/svg+xml",
	} {
		w := serveDashboard(target)
		if w.Code != http.StatusOK {
			t.Fatalf("%s: got %d, want 200", target, w.Code)
		}
		policy := w.Header().Get("Content-Security-Policy")
		for _, want := range []string{
			"default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
			"form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
		} {
			if !strings.Contains(policy, want) {
				t.Errorf("%s: the policy is %q, without %q", target, policy, want)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy %q has unsafe", target, policy)
		}
		for name, want := range map[string]string{"Content-Type": contentType, "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: %s: got %q, want %q", target, name, got, want)
			}
		}
	}
}

func TestDashboardServesNoOtherFiles(t *testing.T) {
	for _, target := range []string{"/web/", "/web/nothing.js", "/web/..%2fdashboard.go", "/web/.", "/index.html", "/web"} {
		if w := serveDashboard(target); w.Code == http.StatusOK {
			t.Errorf("%s: got 200: %.60s", target, w.Body)
		}
	}
}

// Every file that the page or a script names exists, and every file is named.
func TestDashboardFilesAreComplete(t *testing.T) {
	names := regexp.MustCompile(`(?:src|href)="([^"]*)"|from '([^']*)'`)
	named := map[string]bool{"/": true}
	for file, text := range dashboardFiles(t) {
		for _, m := range names.FindAllStringSubmatch(text, -1) {
			target := m[1]
			if m[2] != "" {
				target = path.Join("/web", m[2])
			}
			named[target] = true
			if w := serveDashboard(target); w.Code != http.StatusOK {
				t.Errorf("%s names %s: got %d, want 200", file, target, w.Code)
			}
		}
	}
	for file := range dashboardFiles(t) {
		if file != "index.html" && !named["/web/"+file] {
			t.Errorf("no file names %s", file)
		}
	}
}

// The dashboard loads nothing from other servers, has no inline scripts or styles
// and parses no text as HTML.
func TestDashboardFilesFollowThePolicy(t *testing.T) {
	forbidden := regexp.MustCompile(`(?i)https?://|//cdn|url\(|@import|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|eval\(|new Function|style="|\son[a-z]+="|javascript:|<script>|<style`)
	const namespace = "http://www.w3.org/2000/svg" // a name that is never fetched
	for file, text := range dashboardFiles(t) {
		if found := forbidden.FindString(strings.ReplaceAll(text, namespace, "")); found != "" {
			t.Errorf("%s has %q", file, found)
		}
	}
}

// dashboardFiles returns the text of every embedded file.
func dashboardFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(web, "web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(web, name)
		files[path.Base(name)] = string(text)
		return err
	})
	if err != nil || len(files) < 2 {
		t.Fatalf("the embedded files: %d, %v", len(files), err)
	}
	return files
}
