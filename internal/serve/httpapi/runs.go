package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"indexerd/internal/base/progress"
)

// Run is a job that a caller started. State is running, done, held (removals wait
// until a user allows them) or failed.
type Run struct {
	Run    string          `json:"run"`
	Table  string          `json:"table"` // empty for several tables
	Pass   string          `json:"pass"`
	State  string          `json:"state"`
	Done   int64           `json:"done"` // of the step, where there are several
	Of     int64           `json:"of"`   // 0: not known
	Result json.RawMessage `json:"result"`
	Error  *string         `json:"error"`

	// While it runs, if known.
	Step string  `json:"step,omitempty"` // what is being done, such as a table of several
	Unit string  `json:"unit,omitempty"` // what is counted, such as rows
	PerS float64 `json:"per_s,omitempty"`
	ETAS float64 `json:"eta_s,omitempty"` // at that rate
}

// Progress returns how far the run has come.
func (r Run) Progress() progress.Reading {
	return progress.Reading{
		Running: r.State == "running", Step: r.Step, Unit: r.Unit, Done: r.Done, Of: r.Of, Rate: r.PerS, Left: time.Duration(r.ETAS * float64(time.Second)),
	}
}

// Runner starts jobs in addition to the scheduled ones. Its methods do not wait
// for the job. A method returns the existing run if the same job is running.
type Runner interface {
	// RunPass runs incremental, compensate or deletecheck.
	RunPass(table, pass string) (Run, error)
	// Sweep runs a full sweep that may remove up to allow documents although the
	// guard holds them.
	Sweep(table string, allow int) (Run, error)
	Verify(VerifyRequest) (Run, error)
	// Reindex rebuilds a table's index from its pages. Reload deletes what is stored
	// of the table and loads it from the database.
	Reindex(table string) (Run, error)
	Reload(table string) (Run, error)
	// Move moves the pages of all loaded tables to the store of another configuration.
	Move(MoveRequest) (Run, error)
	Run(id string) (Run, error)
	// StepDown has the daemon end its term, so that another one leads. It returns before
	// that has happened.
	StepDown(context.Context) error
	// Cancel cancels a run. The run may end later.
	Cancel(id string) (Run, error)
}

// MoveRequest is the body of POST /api/v1/move.
type MoveRequest struct {
	Config string `json:"config"` // absolute path of the configuration, which the daemon reads
	From   string `json:"from"`   // the store that has the pages now, such as filemap
}

// VerifyRequest is the body of POST /api/v1/verify. No tables means all.
type VerifyRequest struct {
	Tables  []string `json:"tables"`
	Content bool     `json:"content"`
	Repair  bool     `json:"repair"`
	WaitS   *float64 `json:"wait_s"` // for pending changes; null: 30
	Strict  bool     `json:"strict"` // rows deleted since the last sweep count as differences
}

// Wait is WaitS as a duration.
func (v VerifyRequest) Wait() time.Duration {
	if v.WaitS == nil {
		return defaultWait
	}
	return time.Duration(*v.WaitS * float64(time.Second))
}

// How long verify waits for pending changes.
const (
	defaultWait = 30 * time.Second
	maxWait     = time.Hour
)

func handleRuns(mux *http.ServeMux, e Runner) {
	mux.HandleFunc("POST /api/v1/tables/{table}/run/{pass}", func(w http.ResponseWriter, r *http.Request) {
		respondRun(w, func() (Run, error) { return e.RunPass(r.PathValue("table"), r.PathValue("pass")) })
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/sweep", func(w http.ResponseWriter, r *http.Request) {
		var p struct {
			Allow int `json:"allow"`
		}
		respondRun(w, func() (Run, error) {
			if err := decodeBody(w, r, &p); err != nil {
				return Run{}, err
			}
			if p.Allow < 0 {
				return Run{}, badRequest("allow is below 0", "write how many removals to allow")
			}
			return e.Sweep(r.PathValue("table"), p.Allow)
		})
	})
	mux.HandleFunc("POST /api/v1/verify", func(w http.ResponseWriter, r *http.Request) {
		var p VerifyRequest
		respondRun(w, func() (Run, error) {
			if err := decodeBody(w, r, &p); err != nil {
				return Run{}, err
			}
			if wait := p.Wait(); wait < 0 || wait > maxWait {
				return Run{}, badRequest("wait_s is out of range", "write seconds from 0 to 3600")
			}
			return e.Verify(p)
		})
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/reindex", func(w http.ResponseWriter, r *http.Request) {
		respondRun(w, func() (Run, error) { return e.Reindex(r.PathValue("table")) })
	})
	mux.HandleFunc("POST /api/v1/tables/{table}/reload", func(w http.ResponseWriter, r *http.Request) {
		respondRun(w, func() (Run, error) { return e.Reload(r.PathValue("table")) })
	})
	mux.HandleFunc("POST /api/v1/move", func(w http.ResponseWriter, r *http.Request) {
		var p MoveRequest
		respondRun(w, func() (Run, error) {
			if err := decodeBody(w, r, &p); err != nil {
				return Run{}, err
			}
			if p.Config == "" || p.From == "" {
				return Run{}, badRequest("config or from is missing", "write the absolute path of a configuration, and the store that has the pages now")
			}
			return e.Move(p)
		})
	})
	mux.HandleFunc("POST /api/v1/step-down", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (struct{}, error) { return struct{}{}, e.StepDown(r.Context()) })
	})
	mux.HandleFunc("GET /api/v1/runs/{run}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (Run, error) { return e.Run(r.PathValue("run")) })
	})
	mux.HandleFunc("DELETE /api/v1/runs/{run}", func(w http.ResponseWriter, r *http.Request) {
		respond(w, func() (Run, error) { return e.Cancel(r.PathValue("run")) })
	})
}

// respondRun writes the run that start returns.
func respondRun(w http.ResponseWriter, start func() (Run, error)) {
	run, err := start()
	if err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, http.StatusAccepted, map[string]string{"run": run.Run, "state": run.State})
}
