package httpapi

import (
	"embed"
	"io/fs"
	"net/http"
)

// web is the dashboard: one page, its style and its scripts, as they are
// served. It knows nothing but the JSON API, and needs nothing from elsewhere.
//
//go:embed web
var web embed.FS

// policy lets the page load its own files and ask its own server, and nothing
// else: no other site, no inline script, no frame around it. Trusted types make
// the browser refuse every way from text to HTML, so that what a row says can't
// become a script even where the page's own code is wrong.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// handleDashboard serves the page at / and its files below /web/; nothing else.
func handleDashboard(mux *http.ServeMux) {
	files, err := fs.Sub(web, "web")
	if err != nil { // the directory is compiled in
		panic(err)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { servePage(w, r, files, "index.html") })
	mux.HandleFunc("GET /web/{file}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		if _, err := fs.Stat(files, name); err != nil {
			fail(w, &Error{http.StatusNotFound, "not_found", "the dashboard has no file " + name, "see /"})
			return
		}
		servePage(w, r, files, name)
	})
}

// servePage sends one file. Embedded files have no time by which a browser
// could tell an old one: none is kept, so that a new version's page never meets
// an older version's script.
func servePage(w http.ResponseWriter, r *http.Request, files fs.FS, name string) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	http.ServeFileFS(w, r, files, name)
}
