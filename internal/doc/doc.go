// Package doc is the vocabulary of indexerd: what a key, a stamp, a document,
// a page and a window are. Everything else speaks in these words, so the
// package imports nothing but the standard library.
//
// A row of a user's table becomes a Doc when a source has read it, and a Page
// when the sink has stored it. Both carry the same Meta:
//
//	Stamp    OID, updateTime and token: which version of which row
//	Fetch    when it was read, as a number that orders reads
//	Hash     what the index would say of it; equal means nothing to write
//	V        the write that put it into the index; the index document has it too
//	Gen      the incarnation of the index it was written to
package doc

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// ErrUnavailable marks a fault of the connection, not of the data: the server
// is down, the network broke, the query was cancelled by the server. Whoever
// meets it tries the same work again later.
var ErrUnavailable = errors.New("database unavailable")

// ErrLocked is an ErrUnavailable of one table: the database answers, and another
// session holds a lock on what was asked for.
var ErrLocked error = locked{}

type locked struct{}

func (locked) Error() string        { return "table locked by another session" }
func (locked) Is(target error) bool { return target == ErrUnavailable }

// ErrChangedResult marks a result of an SQL that has other columns than the
// table was described with: other names, types or an other order, or a column
// that is gone. Nothing of such a result is used. The caller describes the table
// again and compares everything.
var ErrChangedResult = errors.New("the SQL returns other columns than it did")

// A Token tells two versions of a row apart whatever updateTime says: a 64-bit
// digest of the whole row and its children, computed in the database.
// Digest 0 means unknown. Tokens of different epochs (another SQL, other
// session settings, another server major version) cannot be compared: they
// are different.
type Token struct {
	Digest uint64
	Epoch  uint32
}

// String returns the digest as 16 hex digits, the form users see.
func (t Token) String() string { return fmt.Sprintf("%016x", t.Digest) }

// A Stamp names one version of one row. Updated is in UTC with microseconds;
// zero means that the row's updateTime is NULL.
type Stamp struct {
	OID     OID
	Updated time.Time
	Token   Token
}

// WithoutUnusable returns the stamps that have an OID, and whether there were
// others. A stamp without an OID, which a source lists once a window, stands for
// the rows of the window whose key is NULL or otherwise no key.
func WithoutUnusable(stamps []Stamp) (usable []Stamp, unusable bool) {
	i := slices.IndexFunc(stamps, func(s Stamp) bool { return s.OID == "" })
	if i < 0 {
		return stamps, false
	}
	return append(slices.Clone(stamps[:i]), stamps[i+1:]...), true
}

// Same reports whether both stamps name the same version. A different one is
// fetched again, whether it looks newer or older: updateTime goes backwards in
// ordinary use.
func (s Stamp) Same(t Stamp) bool {
	return s.OID == t.OID && s.Updated.Equal(t.Updated) && s.Token == t.Token
}

// A FetchSeq orders fetches of one table: a fetch with a higher number took
// its snapshot later. Numbers survive a restart; 0 is before every fetch.
type FetchSeq uint64

// A DocHash is a hash of the built document, without updateTime.
type DocHash uint64

// A Version is the sequence number of the write that put a document into the
// index. 0 means that the index has no such document.
type Version uint64

// A Generation numbers the incarnations of a table's index, from 1. What was
// written to one says nothing about another.
type Generation uint32

// Meta is what is known of a document beside its content.
type Meta struct {
	Stamp
	Fetch   FetchSeq
	Fetched time.Time // the database's clock when it was read
	Hash    DocHash
	V       Version
	Gen     Generation
}

// A Doc is one row, with its children, on its way into the index.
type Doc struct {
	Meta
	Row Row
}

// A Page is a document as it was read, kept on disk. Body is Row's JSON.
type Page struct {
	Meta
	Body []byte
}

// A Reject is a row that can't become a document. OID is empty when the key
// itself is unusable.
//
// In a table with an ACL, Groups is that field of the row, read alone, and nil
// where it can't be read. Document is what the sink has made of the document
// that is left of the row.
type Reject struct {
	OID      OID
	Reason   string
	Groups   *Row
	Document Visibility
}

// A Batch is what one step of a fetch yields: documents, rows that cannot
// become one, and rows that are marked deleted, which must not be in the index.
// All of one fetch carry its number and the database's time.
type Batch struct {
	Fetch   FetchSeq
	At      time.Time
	Docs    []Doc
	Rejects []Reject
	Deleted []OID
}

// Indexed is what the index knows of a document by itself.
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
	Held        int      // removals held back by the guard
	Skipped     int      // unchanged, so not written
	Quarantined int      // rows set aside
	Late        Lateness // of the rows written
}

// Add adds the counts of another report; the window stays.
func (r *Report) Add(o Report) {
	r.Read += o.Read
	r.Compared += o.Compared
	r.Added += o.Added
	r.Updated += o.Updated
	r.Deleted += o.Deleted
	r.Held += o.Held
	r.Skipped += o.Skipped
	r.Quarantined += o.Quarantined
	r.Late.Add(o.Late)
}
