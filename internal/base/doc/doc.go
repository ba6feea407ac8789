// Package doc defines the types that all packages of indexerd share: keys
// (OID), versions of rows (Stamp), rows and documents (Row, Doc, Page) and spans
// of time and of keys (Window, Range). It imports the standard library only.
//
// A source reads a row of a user's table as a Doc. The sink stores the Doc in
// the index and, as a Page, on disk. Doc and Page carry the same Meta:
//
//	Stamp    OID, updateTime and token: the version of the row
//	Fetch    the number of the fetch that read the row; later fetches have higher numbers
//	Fetched  the database's time of that fetch
//	Hash     hash of the index document; an equal hash needs no write
//	V        number of the index write; the index document stores it too
//	Gen      generation of the index that was written
//
// Two encodings are stored on disk and do not change: the bytes of an OID and
// the canonical JSON of a Row. Both round-trip: decoding returns what was
// encoded, and bytes that no encoder writes are an error.
package doc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrUnavailable marks a failure of the connection, not of the data: the server
// is down, the network broke, the server cancelled the query. The caller retries
// the same work later.
var ErrUnavailable = errors.New("database unavailable")

// ErrLocked and ErrForeign are an ErrUnavailable of one table: the database answers,
// but another session holds a lock on the table, or the table's rows are on another
// server, which does not answer.
var (
	ErrLocked  error = ofTable("table locked by another session")
	ErrForeign error = ofTable("foreign server unavailable")
)

type ofTable string

func (t ofTable) Error() string        { return string(t) }
func (t ofTable) Is(target error) bool { return target == ErrUnavailable }

// IsUnreachable reports whether an error means that the database does not answer,
// and not that one of its tables is unavailable.
func IsUnreachable(err error) bool {
	return errors.Is(err, ErrUnavailable) && !errors.Is(err, ErrLocked) && !errors.Is(err, ErrForeign)
}

// WhatToDo splits the text of an error into what happened and what to do. Without advice
// in the error, do is otherwise.
func WhatToDo(err error, otherwise string) (what, do string) {
	var advised interface{ Advice() string }
	if errors.As(err, &advised) && advised.Advice() != "" {
		return strings.TrimSuffix(err.Error(), ": "+advised.Advice()), advised.Advice()
	}
	return err.Error(), otherwise
}

// ErrUnknownPlan reports that the database refuses an EXPLAIN, as of a view that reads by the
// rights of its definer, or that it has a form that its dialect does not read, as that of a
// server which speaks another one's protocol. What the plan would have shown is not known;
// rows are read all the same.
var ErrUnknownPlan = errors.New("the plan is unknown")

// ErrChangedResult reports that an SQL returns other columns than when the table
// was described: a name, a type or the order changed, or a column is missing.
// No row of such a result is used. The caller describes the table again and
// starts a sweep.
var ErrChangedResult = errors.New("the SQL returns other columns than it did")

// A Token is a 64-bit digest of a row and its children, computed in the
// database. It distinguishes two versions of a row that have the same
// updateTime. Digest 0 means unknown. The epoch is a hash of everything else
// that the digest depends on: the SQL, the session settings, the server's major
// version. Tokens of different epochs are never equal.
type Token struct {
	Digest uint64
	Epoch  uint32
}

// String returns the digest as 16 hex digits, as users see it.
func (t Token) String() string { return fmt.Sprintf("%016x", t.Digest) }

// A Stamp identifies one version of one row. Updated is in UTC with microsecond
// precision; the zero time means that the row's updateTime is NULL.
type Stamp struct {
	OID     OID
	Updated time.Time
	Token   Token
}

// WithoutUnusable returns the stamps that have an OID, and reports whether any
// stamp had none. A source lists one stamp without an OID for a window that has
// rows whose key is unusable, for example NULL.
func WithoutUnusable(stamps []Stamp) (usable []Stamp, unusable bool) {
	i := slices.IndexFunc(stamps, func(s Stamp) bool { return s.OID == "" })
	if i < 0 {
		return stamps, false
	}
	return append(slices.Clone(stamps[:i]), stamps[i+1:]...), true
}

// Same reports whether both stamps identify the same version. A row with a
// different stamp is fetched again even if its updateTime is older: applications
// do set updateTime back.
func (s Stamp) Same(t Stamp) bool {
	return s.OID == t.OID && s.Updated.Equal(t.Updated) && s.Token == t.Token
}

// A FetchSeq numbers the fetches of one table: a fetch with a higher number took
// its snapshot later. Numbers continue after a restart; 0 is before every fetch.
type FetchSeq uint64

// A DocHash is a hash of the index document, without updateTime.
type DocHash uint64

// A Version is the sequence number of the write that stored a document in the
// index. 0 means that the index has no such document.
type Version uint64

// A Generation numbers the successive indexes of a table, from 1. A Version of
// one generation has no meaning in another.
type Generation uint32

// Meta describes a document apart from its content. The package comment lists
// the fields.
type Meta struct {
	Stamp
	Fetch   FetchSeq
	Fetched time.Time
	Hash    DocHash
	V       Version
	Gen     Generation
}

// A Doc is one row with its children, as a source read it.
type Doc struct {
	Meta
	Row Row
	// Prepared is what an index has made of the row, for itself; nil: nothing.
	Prepared any
}

// A Page is a document as stored on disk. Body is the row's canonical JSON.
type Page struct {
	Meta
	Body []byte
}

// A Reject is a row that can't become a document. OID is empty if the key is
// unusable. Seen is the version that was rejected, which need not be fetched again; its
// token is unknown if that is not known.
//
// Groups and Document are set in tables with an ACL only. Groups is the ACL
// field of the row, which the source reads separately; nil means that it could
// not be read. Document is the visibility of the row's last document, set by
// the sink.
type Reject struct {
	OID      OID
	Reason   string
	Seen     Stamp
	Groups   *Row
	Document Visibility
}

// A Batch is one step of a fetch: documents, rejects, and the keys of rows that
// are marked deleted and must not be in the index. All batches of one fetch
// carry its number and the database's time.
type Batch struct {
	Fetch   FetchSeq
	At      time.Time
	Docs    []Doc
	Rejects []Reject
	Deleted []OID
}

// Indexed is an index document's key and version, without its page.
type Indexed struct {
	OID OID
	V   Version
}

// A Report counts what a pass did.
type Report struct {
	Window      Window
	Read        int      // rows fetched with their bodies
	Compared    int      // stamps compared
	Added       int      // documents the index did not have
	Updated     int      // documents written again
	Deleted     int      // documents removed
	Held        int      // removals that the guard holds back
	Skipped     int      // documents that are unchanged, so not written
	Quarantined int      // rows moved to quarantine
	Silent      int      // rows that a comparison found changed, with an updateTime that promised them in the index
	Late        Lateness // of the rows written
}

// Add adds the counts of another report. It does not change the window.
func (r *Report) Add(o Report) {
	r.Read += o.Read
	r.Compared += o.Compared
	r.Added += o.Added
	r.Updated += o.Updated
	r.Deleted += o.Deleted
	r.Held += o.Held
	r.Skipped += o.Skipped
	r.Quarantined += o.Quarantined
	r.Silent += o.Silent
	r.Late.Add(o.Late)
}
