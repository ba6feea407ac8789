package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A panic before the response starts becomes a 500, a later one closes the
// connection. Each stack is logged once.
func TestPanicOfAHandlerIsRecovered(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/before", func(http.ResponseWriter, *http.Request) {
		var rows []string
		_ = rows[3]
	})
	mux.HandleFunc("/after", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, strings.Repeat("half", 10_000))
		panic("halfway")
	})
	mux.HandleFunc("/well", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "well") })
	var log strings.Builder
	s := httptest.NewServer(Recover(mux, slog.New(slog.NewTextHandler(&log, nil))))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{{"/before", 500, `{"error":{"code":"internal","message":"the request failed inside indexerd","hint":"see the log"}}` + "\n"}, {"/well", 200, "well"}} {
		response, err := http.Get(s.URL + c.path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != c.status || string(body) != c.body {
			t.Errorf("%s: got %d %q, %v, want %d %q", c.path, response.StatusCode, body, err, c.status, c.body)
		}
	}
	response, err := http.Get(s.URL + "/after")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("got a partial response without an error")
	}
	response.Body.Close()
	s.Close()
	if got := strings.Count(log.String(), "stack="); got != 2 || !strings.Contains(log.String(), "index out of range [3]") {
		t.Errorf("got %d stacks, want 2: %s", got, log.String())
	}
}
