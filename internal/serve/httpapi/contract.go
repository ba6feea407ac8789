package httpapi

import (
	"encoding/json"
	"strings"
	"time"

	"indexerd/configs"
)

// Status is the answer of GET /api/v1/status and of `indexerd status --json`.
// Pointer members may be null.
type Status struct {
	Version string         `json:"version"`
	Running bool           `json:"running"`
	PID     int            `json:"pid"`
	Started *Time          `json:"started"`
	Now     Time           `json:"now"`
	Ready   bool           `json:"ready"`
	Disk    *DiskStatus    `json:"disk"` // null if that is not known
	Sources []SourceStatus `json:"sources"`
	Tables  []TableStatus  `json:"tables"`
	Leader  *LeaderStatus  `json:"leader,omitempty"` // where daemons share marks
	Runs    []Run          `json:"runs,omitempty"`   // the jobs that callers started and that are not done
}

// LeaderStatus describes the leader of the daemons that share marks.
type LeaderStatus struct {
	This      bool           `json:"this"` // the daemon that answers leads
	Host      string         `json:"host"` // "" if no daemon leads
	Address   string         `json:"address"`
	Term      uint64         `json:"term"`
	Since     *Time          `json:"since"`
	Takeovers uint64         `json:"takeovers"` // terms of the daemon that answers, since it started
	Standbys  []DaemonStatus `json:"standbys"`
	Error     *string        `json:"error"` // why that is not known
}

// ready returns how many standbys can take over.
func (l LeaderStatus) ready() (n int) {
	for _, d := range l.Standbys {
		if d.Unfit == nil && d.Unreached == nil {
			n++
		}
	}
	return n
}

// DaemonStatus is a daemon that stands by.
type DaemonStatus struct {
	Host    string `json:"host"`
	Address string `json:"address"`
	Version string `json:"version"`
	Started *Time  `json:"started"`
	// Unfit is why it must not lead, and Unreached what does not answer to it.
	Unfit     *string `json:"unfit"`
	Unreached *string `json:"unreached"`
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

// A Pin is the session whose open transaction holds the horizon back.
type Pin struct {
	PID         int     `json:"pid"`
	User        string  `json:"user"`
	Application string  `json:"application"`
	AgeS        float64 `json:"age_s"`
}

// TableStatus is one table. State is opening, loading, following, failing or
// reindexing.
type TableStatus struct {
	Table       string         `json:"table"`
	Source      string         `json:"source"`
	State       string         `json:"state"`
	Opening     *OpeningStatus `json:"opening,omitempty"`
	Load        *LoadStatus    `json:"load"`
	Documents   uint64         `json:"documents"`
	FollowedBy  string         `json:"followed_by"` // updated or comparison
	Settled     SettledStatus  `json:"settled"`
	Window      *WindowStatus  `json:"window"`
	LagS        *float64       `json:"lag_s"`
	Marks       Marks          `json:"marks"`
	Passes      []PassStatus   `json:"passes"`
	Held        *Held          `json:"held"`
	Quarantined int            `json:"quarantined"`
	// In a table with acl: the quarantined rows whose last document is visible to
	// the row's current groups, and those whose last document is visible to admins
	// only because the row's groups can't be read.
	QuarantinedVisible int               `json:"quarantined_visible"`
	QuarantinedHidden  int               `json:"quarantined_hidden"`
	Partial            int               `json:"partial"`      // documents that lack values which do not fit their fields
	OutOfRange         uint64            `json:"out_of_range"` // rows with an implausible updateTime at the last sweep
	Skipped            int               `json:"skipped"`
	Silent             int               `json:"silent"`     // rows that a comparison found changed without a moved updateTime, since the start
	Comparison         *ComparisonStatus `json:"comparison"` // nil: none was made between two sweeps
	Tree               TreeStatus        `json:"tree"`
	Storage            *StorageStatus    `json:"storage"` // nil while nothing is open
	LatenessMS         *LatenessStatus   `json:"lateness_ms"`
	LastError          *LastError        `json:"last_error"`
	Index              *ClusterStatus    `json:"index,omitempty"` // nil for an embedded index
}

// ComparisonStatus is what a comparison takes of the database's time, and how often at
// most it is made while something changes that no window explains.
type ComparisonStatus struct {
	TakesMS float64 `json:"takes_ms"`
	EveryS  float64 `json:"every_s"`
}

// ClusterStatus is the state of an index in a cluster.
type ClusterStatus struct {
	Engine string `json:"engine"`
	Health string `json:"health"` // green, yellow, red or unknown, as the cluster said last
}

// OpeningStatus is what a table waits for that is being opened. Of such a table only the
// marks are known.
type OpeningStatus struct {
	WaitsFor string `json:"waits_for"`
	Since    Time   `json:"since"`
}

// LoadStatus is the progress of the initial load, or of a reindex.
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

// WindowStatus is a window of updateTime.
type WindowStatus struct {
	From Time `json:"from"`
	To   Time `json:"to"`
}

// Marks are the times up to which each pass is done.
type Marks struct {
	Incremental *Time           `json:"incremental"`
	Tiers       map[string]Time `json:"tiers"`
	Sweep       *Time           `json:"sweep"`
}

// PassStatus is the last and the next run of a pass.
type PassStatus struct {
	Pass    string  `json:"pass"`
	Tier    *string `json:"tier"`
	Running bool    `json:"running"`
	Last    *Time   `json:"last"`
	TookMS  float64 `json:"took_ms"`
	Next    *Time   `json:"next"`
	Error   *string `json:"error"`
}

// Held are removals that the guard holds until a user allows them.
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

// LatenessStatus is the distribution of how late rows were found, in ms.
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

// Time is a time whose JSON is RFC 3339 in UTC with microseconds.
type Time time.Time

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format("2006-01-02T15:04:05.000000Z"))
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *Time) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, (*time.Time)(t))
}

// SingleLine returns an error on one line, also one that lists several faults.
func SingleLine(err error) string { return strings.ReplaceAll(configs.Message(err), "\n", "; ") }

// ErrorText returns an error as a member of JSON; nil without one.
func ErrorText(err error) *string {
	if err == nil {
		return nil
	}
	s := SingleLine(err)
	return &s
}

// TimeOrNull returns t, or nil if t is zero.
func TimeOrNull(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	c := Time(t)
	return &c
}

// History is the answer of GET .../history: runs of passes, newest first.
type History struct {
	Table string       `json:"table"`
	Runs  []HistoryRun `json:"runs"`
	Next  *string      `json:"next"`
}

// HistoryRun is one run of a pass that read or changed something.
type HistoryRun struct {
	Run         string        `json:"run"`
	Pass        string        `json:"pass"`
	Tier        *string       `json:"tier"`
	Started     Time          `json:"started"`
	TookMS      float64       `json:"took_ms"`
	Window      *WindowStatus `json:"window"` // null for compare
	Read        int           `json:"read"`
	Compared    int           `json:"compared"`
	Added       int           `json:"added"`
	Updated     int           `json:"updated"`
	Deleted     int           `json:"deleted"`
	Skipped     int           `json:"skipped"`
	Quarantined int           `json:"quarantined"`
	LateMaxMS   float64       `json:"late_max_ms"`
	Error       *string       `json:"error"`
}

// VerifyResult is the result of a verify run.
type VerifyResult struct {
	Equal  bool            `json:"equal"`
	AsOf   *Time           `json:"as_of"`
	TookMS int64           `json:"took_ms"`
	Tables []VerifiedTable `json:"tables"`
}

// VerifiedTable is the result of verify for one table. Lost, stale, ghost and
// torn documents are differences; pending, unsettled, quarantined and partial ones are
// not.
type VerifiedTable struct {
	Table       string    `json:"table"`
	Content     bool      `json:"content"`
	Compared    int       `json:"compared"`
	Lost        int       `json:"lost"`
	Stale       int       `json:"stale"`
	Ghost       int       `json:"ghost"`
	Torn        int       `json:"torn"`
	Pending     int       `json:"pending"`
	Unsettled   int       `json:"unsettled"`
	Quarantined int       `json:"quarantined"`
	Partial     int       `json:"partial"`
	Repaired    int       `json:"repaired"`
	First       FirstOIDs `json:"first"`
	Damaged     []string  `json:"damaged,omitempty"` // files, with content
	Error       *string   `json:"error"`
}

// FirstOIDs are the first documents of each kind of difference.
type FirstOIDs struct {
	Lost  []string `json:"lost"`
	Stale []string `json:"stale"`
	Ghost []string `json:"ghost"`
	Torn  []string `json:"torn"`
}

// SweepResult is the result of a sweep.
type SweepResult struct {
	Compared    int `json:"compared"`
	Added       int `json:"added"`
	Updated     int `json:"updated"`
	Deleted     int `json:"deleted"`
	Skipped     int `json:"skipped"`
	Quarantined int `json:"quarantined"`
	Held        int `json:"held"`
}

// MoveResult is the result of a move of pages.
type MoveResult struct {
	Config string       `json:"config"` // that the daemon reads when it starts again
	Tables []MovedTable `json:"tables"`
}

// MovedTable is what a move did with the pages of one table.
type MovedTable struct {
	Table   string  `json:"table"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Pages   int     `json:"pages"`
	Copied  int     `json:"copied"`
	Removed int     `json:"removed"`
	Damaged int     `json:"damaged"` // in the old store
	Differ  int     `json:"differ"`  // in the new store, after the copy
	TookS   float64 `json:"took_s"`
}

// ReindexResult is the result of a reindex.
type ReindexResult struct {
	Indexed int64 `json:"indexed"` // documents built from their pages alone
	Partial int64 `json:"partial"` // documents built from their pages and a part that is fetched later
	Left    int64 `json:"left"`    // documents that are fetched later
}

// Explanation is the answer of GET .../explain: what database, index, page and
// tree hold for one document. Verdict is equal, lost, stale, ghost, torn,
// quarantined or absent.
type Explanation struct {
	Table      string          `json:"table"`
	OID        string          `json:"oid"`
	Verdict    string          `json:"verdict"`
	Database   *VersionStatus  `json:"database"`
	Index      *IndexStatus    `json:"index"`
	Page       *PageState      `json:"page"`
	Tree       *VersionStatus  `json:"tree"`
	LastSeen   *LastSeen       `json:"last_seen"`
	Settled    bool            `json:"settled"`
	Quarantine *QuarantinedRow `json:"quarantine"`
	Partial    *QuarantinedRow `json:"partial"` // what the document lacks of the row; null: nothing
	Next       *NextPass       `json:"next"`
}

// VersionStatus is a version of a row.
type VersionStatus struct {
	Updated *Time  `json:"updated"`
	Token   string `json:"token"`
}

// IndexStatus is the version of a document in the index.
type IndexStatus struct {
	V uint64 `json:"v"`
}

// PageState is the version of a page.
type PageState struct {
	VersionStatus
	V uint64 `json:"v"`
}

// LastSeen is the run that fetched a row.
type LastSeen struct {
	Pass string  `json:"pass"`
	Tier *string `json:"tier"`
	From *Time   `json:"from"`
	To   *Time   `json:"to"`
	At   Time    `json:"at"`
}

// NextPass is the next pass that reads a row, and its effect.
type NextPass struct {
	Pass string `json:"pass"`
	At   *Time  `json:"at"`
	Will string `json:"will"`
}
