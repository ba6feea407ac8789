package httpapi

import (
	"encoding/json"
	"time"
)

// Status is the answer of GET /api/v1/status and of `indexerd status --json`.
// Members that are null when there is nothing to say are pointers.
type Status struct {
	Version string         `json:"version"`
	Running bool           `json:"running"`
	PID     int            `json:"pid"`
	Started *Time          `json:"started"`
	Now     Time           `json:"now"`
	Ready   bool           `json:"ready"`
	Sources []SourceStatus `json:"sources"`
	Tables  []TableStatus  `json:"tables"`
}

// SourceStatus is one database.
type SourceStatus struct {
	Source    string  `json:"source"`
	Driver    string  `json:"driver"`
	Connected bool    `json:"connected"`
	Error     *string `json:"error"`
	PinnedBy  *Pin    `json:"pinned_by"`

	Load SourceLoad `json:"-"`
}

// A Pin is the session that holds the horizon back.
type Pin struct {
	PID         int     `json:"pid"`
	User        string  `json:"user"`
	Application string  `json:"application"`
	AgeS        float64 `json:"age_s"`
}

// TableStatus is one table. State is loading, following, failing or
// reindexing.
type TableStatus struct {
	Table       string        `json:"table"`
	Source      string        `json:"source"`
	State       string        `json:"state"`
	Load        *LoadStatus   `json:"load"`
	Documents   uint64        `json:"documents"`
	Settled     SettledStatus `json:"settled"`
	Window      *WindowStatus `json:"window"`
	LagS        *float64      `json:"lag_s"`
	Marks       Marks         `json:"marks"`
	Passes      []PassStatus  `json:"passes"`
	Held        *Held         `json:"held"`
	Quarantined int           `json:"quarantined"`
	// Of these, in a table with acl, the rows whose last document is still found,
	// by the groups that the row has now, and those whose document an admin alone
	// finds, since the groups of the row can't be read.
	QuarantinedVisible int             `json:"quarantined_visible"`
	QuarantinedHidden  int             `json:"quarantined_hidden"`
	OutOfRange         uint64          `json:"out_of_range"` // rows whose updateTime is no plausible time, at the last sweep
	Skipped            int             `json:"skipped"`
	Tree               TreeStatus      `json:"tree"`
	LatenessMS         *LatenessStatus `json:"lateness_ms"`
	LastError          *LastError      `json:"last_error"`
}

// LoadStatus is the progress of the initial load.
type LoadStatus struct {
	Done     int64   `json:"done"`
	Of       int64   `json:"of"`
	RowsPerS float64 `json:"rows_per_s"`
	ETAS     float64 `json:"eta_s"`
}

// SettledStatus is S and how it is known: exact, assumed or compared.
type SettledStatus struct {
	At         *Time  `json:"at"`
	Mode       string `json:"mode"`
	Reason     string `json:"reason"`
	Unverified bool   `json:"unverified"`
}

// WindowStatus is the last durable window.
type WindowStatus struct {
	From Time `json:"from"`
	To   Time `json:"to"`
}

// Marks are the ends of what each pass has done.
type Marks struct {
	Incremental *Time           `json:"incremental"`
	Tiers       map[string]Time `json:"tiers"`
	Sweep       *Time           `json:"sweep"`
}

// PassStatus is what a pass did last and does next.
type PassStatus struct {
	Pass    string  `json:"pass"`
	Tier    *string `json:"tier"`
	Running bool    `json:"running"`
	Last    *Time   `json:"last"`
	TookMS  float64 `json:"took_ms"`
	Next    *Time   `json:"next"`
	Error   *string `json:"error"`
}

// Held are removals that wait for a person.
type Held struct {
	Removals int    `json:"removals"`
	Of       int    `json:"of"`
	Since    Time   `json:"since"`
	Do       string `json:"do"`
}

// TreeStatus is the size of the tree of stamps.
type TreeStatus struct {
	Entries      int64 `json:"entries"`
	Bytes        int64 `json:"bytes"`
	SpilledBytes int64 `json:"spilled_bytes"`
}

// LatenessStatus is the distribution of how late rows were seen.
type LatenessStatus struct {
	Count  int64   `json:"count"`
	P50    float64 `json:"p50"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
	Advice string  `json:"advice"`
}

// LastError is the last failure of any pass.
type LastError struct {
	At   Time   `json:"at"`
	Pass string `json:"pass"`
	What string `json:"what"`
}

// Time is a time as the contract writes it: RFC 3339, UTC, microseconds.
type Time time.Time

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format("2006-01-02T15:04:05.000000Z"))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, (*time.Time)(t))
}

// TimeOrNull returns t, or nil where it is zero.
func TimeOrNull(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	c := Time(t)
	return &c
}

// History is the answer of GET .../history: runs, newest first.
type History struct {
	Table string       `json:"table"`
	Runs  []HistoryRun `json:"runs"`
	Next  *string      `json:"next"`
}

// HistoryRun is one run of a pass that did something.
type HistoryRun struct {
	Run         string       `json:"run"`
	Pass        string       `json:"pass"`
	Tier        *string      `json:"tier"`
	Started     Time         `json:"started"`
	TookMS      float64      `json:"took_ms"`
	Window      WindowStatus `json:"window"`
	Read        int          `json:"read"`
	Compared    int          `json:"compared"`
	Added       int          `json:"added"`
	Updated     int          `json:"updated"`
	Deleted     int          `json:"deleted"`
	Skipped     int          `json:"skipped"`
	Quarantined int          `json:"quarantined"`
	LateMaxMS   float64      `json:"late_max_ms"`
	Error       *string      `json:"error"`
}
