package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// Run is a piece of work that a caller asked for. State is running, done, held
// (removals wait for a person's word) or failed.
type Run struct {
	Run    string          `json:"run"`
	Table  string          `json:"table"` // empty where it is about several
	Pass   string          `json:"pass"`
	State  string          `json:"state"`
	Done   int64           `json:"done"`
	Of     int64           `json:"of"`
	Result json.RawMessage `json:"result"`
	Error  *string         `json:"error"`
}

// Runner does what callers ask for, beside what is due anyway. Each method
// returns at once; one that is asked for what is under way returns that run.
type Runner interface {
	// RunPass runs incremental, compensate or deletecheck.
	RunPass(table, pass string) (Run, error)
	// Sweep is a full sweep; allow removals beyond the guard's limits are let
	// through.
	Sweep(table string, allow int) (Run, error)
	Verify(VerifyRequest) (Run, error)
	// Reindex builds a table's index anew from its pages; Reload loads the table
	// anew from the database.
	Reindex(table string) (Run, error)
	Reload(table string) (Run, error)
	Run(id string) (Run, error)
	// Cancel ends a run as soon as it can.
	Cancel(id string) (Run, error)
}

// VerifyRequest asks whether tables, all where none is named, equal the
// database.
type VerifyRequest struct {
	Tables  []string `json:"tables"`
	Content bool     `json:"content"`
	Repair  bool     `json:"repair"`
	WaitS   *float64 `json:"wait_s"` // for what is under way; nil: 30
	Strict  bool     `json:"strict"` // rows that were deleted since the last sweep are differences
}

// Wait is WaitS as a duration.
func (v VerifyRequest) Wait() time.Duration {
	if v.WaitS == nil {
		return defaultWait
	}
	return time.Duration(*v.WaitS * float64(time.Second))
}

// defaultWait is how long verify waits for changes that are under way.
const defaultWait = 30 * time.Second

// maxWait is an hour: whoever waits longer asks again.
const maxWait = time.Hour

func handleRuns(mux *http.ServeMux, e Runner) {
	mux.HandleFunc("POST /api/v1/tables/{table}/run/{pass}", func(w http.ResponseWriter, r *http.Request) {
		started(w, func() (Run, error) { return e.RunPass(r.PathValue("table"), r.PathValue("pass")) })
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/sweep", func(w http.ResponseWriter, r *http.Request) {
		var p struct {
			Allow int `json:"allow"`
		}
		started(w, func() (Run, error) {
			if err := body(w, r, &p); err != nil {
				return Run{}, err
			}
			if p.Allow < 0 {
				return Run{}, badRequest("allow is below 0", "write how many removals are let through")
			}
			return e.Sweep(r.PathValue("table"), p.Allow)
		})
	})
	mux.HandleFunc("POST /api/v1/verify", func(w http.ResponseWriter, r *http.Request) {
		var p VerifyRequest
		started(w, func() (Run, error) {
			if err := body(w, r, &p); err != nil {
				return Run{}, err
			}
			if wait := p.Wait(); wait < 0 || wait > maxWait {
				return Run{}, badRequest("wait_s is out of range", "write seconds from 0 to 3600")
			}
			return e.Verify(p)
		})
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/reindex", func(w http.ResponseWriter, r *http.Request) {
		started(w, func() (Run, error) { return e.Reindex(r.PathValue("table")) })
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/reload", func(w http.ResponseWriter, r *http.Request) {
		started(w, func() (Run, error) { return e.Reload(r.PathValue("table")) })
	})
	mux.HandleFunc("GET /api/v1/runs/{run}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (Run, error) { return e.Run(r.PathValue("run")) })
	})
	mux.HandleFunc("DELETE /api/v1/runs/{run}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (Run, error) { return e.Cancel(r.PathValue("run")) })
	})
}

// started answers a POST that began a run, or joined one.
func started(w http.ResponseWriter, start func() (Run, error)) {
	run, err := start()
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusAccepted, map[string]string{"run": run.Run, "state": run.State})
}

// respond answers a question that needs nothing of its request but the path.
func respond[T any](w http.ResponseWriter, ask func() (T, error)) {
	a, err := ask()
	if err != nil {
		fail(w, err)
		return
	}
	answer(w, http.StatusOK, a)
}

// readBody reads the body of a POST, which has to come within the server's
// deadline.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	text, err := io.ReadAll(http.MaxBytesReader(unwrapped(w), r.Body, maxBody))
	if err != nil && !errors.As(err, new(*http.MaxBytesError)) {
		return nil, badRequest("the body did not come, or not in time", "send all of it at once")
	}
	return text, err
}

// body reads the one JSON object of a POST; an empty one leaves to as it is.
func body(w http.ResponseWriter, r *http.Request, to any) error {
	text, err := readBody(w, r)
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil || d.More() {
		return badRequest("the body can't be read", "send one JSON object with the members that the contract names")
	}
	return nil
}

func badRequest(message, hint string) *Error {
	return &Error{http.StatusBadRequest, "bad_query", message, hint}
}
