package httpapi

import "indexerd/internal/base/doc"

// Quarantine is the answer of GET .../quarantine: the rows of a table that can't
// become documents, and then those that are documents without some of their values.
type Quarantine struct {
	Table string           `json:"table"`
	Rows  []QuarantinedRow `json:"rows"`
	Next  *string          `json:"next"`
}

// The kinds of rows of a Quarantine.
const (
	KindRejected = "rejected" // no document
	KindPartial  = "partial"  // a document that lacks values
)

// QuarantinedRow is one row of a Quarantine. OID is null if its key is unusable. Columns
// are what the document of a partial row lacks, and Reason has all of them. Document
// is the state of the row's last document in a table with acl: visible to the
// row's current groups, hidden from all callers except admins, or empty for
// none.
type QuarantinedRow struct {
	OID      *string    `json:"oid"`
	Kind     string     `json:"kind"`
	Reason   string     `json:"reason"`
	Columns  []doc.Flaw `json:"columns"`
	Since    Time       `json:"since"`
	Tries    int        `json:"tries"`
	Document string     `json:"document"`
}
