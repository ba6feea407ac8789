package httpapi

import (
	"embed"
	"io/fs"
	"net/http"
)

// web is the dashboard: one page, its style and its scripts. It uses the JSON API
// only and loads nothing from other servers.
//
//go:embed web
var web embed.FS

// policy lets the page load files and data from its own server only, without
// inline scripts and outside of frames. Trusted types make the browser reject any
// conversion from text to HTML, so that the content of a row can't become a
// script even if the page's own code has an error.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// handleDashboard adds the page at / and its files below /web/.
func handleDashboard(mux *http.ServeMux) {
	files, err := fs.Sub(web, "web")
	if err != nil { // impossible: the directory is embedded
		panic(err)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { servePage(w, r, files, "index.html") })
	mux.HandleFunc("GET /web/{file}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		if _, err := fs.Stat(files, name); err != nil {
			writeError(w, &Error{http.StatusNotFound, "not_found", "the dashboard has no file " + name, "see /"})
			return
		}
		servePage(w, r, files, name)
	})
}

// servePage serves one file. Embedded files have no modification time that a
// cache could use, so browsers must not cache them: a page of a new version never
// runs a script of an old one.
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
