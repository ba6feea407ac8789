package httpapi

// Verified is the result of a verify run.
type Verified struct {
	Equal  bool            `json:"equal"`
	AsOf   *Time           `json:"as_of"`
	TookMS int64           `json:"took_ms"`
	Tables []VerifiedTable `json:"tables"`
}

// VerifiedTable is how one table compares. Lost, stale, ghost and torn are
// differences; pending, unsettled and quarantined are not.
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
	Repaired    int       `json:"repaired"`
	First       FirstOIDs `json:"first"`
	Error       *string   `json:"error"`
}

// FirstOIDs names the first documents of each kind of difference.
type FirstOIDs struct {
	Lost  []string `json:"lost"`
	Stale []string `json:"stale"`
	Ghost []string `json:"ghost"`
	Torn  []string `json:"torn"`
}

// Swept is the result of a sweep.
type Swept struct {
	Compared    int `json:"compared"`
	Added       int `json:"added"`
	Updated     int `json:"updated"`
	Deleted     int `json:"deleted"`
	Skipped     int `json:"skipped"`
	Quarantined int `json:"quarantined"`
	Held        int `json:"held"`
}

// Reindexed is the result of a reindex.
type Reindexed struct {
	Indexed int64 `json:"indexed"` // documents that their pages have told all of
	Partial int64 `json:"partial"` // of which a part is to be fetched
	Left    int64 `json:"left"`    // which are to be fetched as a whole
}

// Explanation says what is known of one document, everywhere. Verdict is equal,
// lost, stale, ghost, torn, quarantined or absent.
type Explanation struct {
	Table      string         `json:"table"`
	OID        string         `json:"oid"`
	Verdict    string         `json:"verdict"`
	Database   *VersionStatus `json:"database"`
	Index      *IndexStatus   `json:"index"`
	Page       *PageState     `json:"page"`
	Tree       *VersionStatus `json:"tree"`
	LastSeen   *LastSeen      `json:"last_seen"`
	Settled    bool           `json:"settled"`
	Quarantine *SetAside      `json:"quarantine"`
	Next       *NextPass      `json:"next"`
}

// VersionStatus is which version of a row somebody has.
type VersionStatus struct {
	Updated *Time  `json:"updated"`
	Token   string `json:"token"`
}

// IndexStatus is what the index has.
type IndexStatus struct {
	V uint64 `json:"v"`
}

// PageState is what the page has.
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

// NextPass is who will look at a row next, and what comes of it.
type NextPass struct {
	Pass string `json:"pass"`
	At   *Time  `json:"at"`
	Will string `json:"will"`
}

// Quarantine is the rows of a table that can't become documents.
type Quarantine struct {
	Table string     `json:"table"`
	Rows  []SetAside `json:"rows"`
	Next  *string    `json:"next"`
}

// SetAside is one row in quarantine. OID is null where the key itself is
// unusable. Document says, in a table with acl, who finds the last document of
// the row: visible to the groups that the row has now, hidden from all but
// admins, or none, the empty text.
type SetAside struct {
	OID      *string `json:"oid"`
	Reason   string  `json:"reason"`
	Since    Time    `json:"since"`
	Tries    int     `json:"tries"`
	Document string  `json:"document"`
}
