// Package quarantine keeps a durable list of the rows that can't become documents,
// with the reasons: a NULL key, an SQL error of the row, more text than the limits. A
// row leaves the list when it has become a document or is gone. Rows without a key are
// one entry for each reason, which leaves the list when a listing of all such rows does
// not have the reason. Documents that lack values of their rows are listed beside them:
// see partial.go.
//
// The file is a log of JSON lines, one for each change of a row. The last line of a
// row counts; tries 0 removes the row:
//
//	{"key":"118000000000000007","oid":"7","reason":"...","since":"2026-11-21T10:15:30.5Z","tries":2}
//	{"key":"118000000000000007","oid":"7","tries":0}
//
// A document that lacks values has a line of another kind:
//
//	{"key":"118000000000000007","oid":"7","kind":"partial","reason":"...","columns":[{"column":"rating","reason":"..."}],"hash":"...","since":"...","tries":1}
//
// Each line ends with its checksum, "crc", which lines of an older release lack. Open
// skips a damaged line, and Damaged reports it: the next sweep lists the row again.
//
// In a table with an ACL a line also has the visibility of the row's last document:
// "document":"visible" or "document":"hidden".
//
// Invariant: a change is synced when Add or Clear returns nil. Open reads the log
// and rewrites it without superseded lines, so that no line follows one that a crash
// has cut. OpenReadOnly writes nothing: it skips a cut line in memory, and Add and
// Clear return errors.
//
// OpenIn keeps the list in a Store, for daemons that share it: one value for each row, the
// last line, by the hex of its key.
//
// Cost: about 300 bytes of memory for each row.
package quarantine

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/sealed"
)

// A Row is a row in quarantine, or a partial one. OID is empty if the key is unusable.
type Row struct {
	OID    doc.OID
	Reason string
	Since  time.Time // the database's time when it was first quarantined
	Tries  int

	Document doc.Visibility // of the last document of the row

	Flaws []doc.Flaw  // of a partial row; nil: the row is in quarantine
	Hash  doc.DocHash // of the document of a partial row

	fetch doc.FetchSeq // the newest that has added it since the list was opened
	seen  doc.Stamp    // the version that was rejected since then; without a token: unknown
}

// line is a Row on disk. Tries 0 removes the row.
type line struct {
	Key    doc.HexOID `json:"key"`
	OID    string     `json:"oid"` // for readers of the file
	Reason string     `json:"reason,omitempty"`
	Since  time.Time  `json:"since,omitzero"`
	Tries  int        `json:"tries"`

	Document doc.Visibility `json:"document,omitempty"`

	Kind    string     `json:"kind,omitempty"`
	Columns []doc.Flaw `json:"columns,omitempty"`
	Hash    hexHash    `json:"hash,omitzero"`
}

// A Quarantine is the list of one table. Its file is open only while it is written.
type Quarantine struct {
	log    log                               // writes what changes
	reload func() (map[string][]byte, error) // nil: the list is a file

	damaged error // of the first line that was skipped

	// A change is written without mu, since a store is on another machine: it holds
	// writing, and takes mu to apply what is durable. So readers wait for no write.
	writing chan struct{}

	mu   sync.Mutex
	rows map[string]Row // by id

	visible, hidden int             // rows with a last document that is visible or hidden
	partials        int             // partial rows
	doubts          map[string]bool // ids of partial rows whose document may be another
}

func newQuarantine(l log) *Quarantine {
	return &Quarantine{rows: map[string]Row{}, doubts: map[string]bool{}, log: l, writing: make(chan struct{}, 1)}
}

// change begins a change, and returns what ends it. Until then the caller may read the
// rows without mu.
func (q *Quarantine) change() (end func()) {
	q.writing <- struct{}{}
	return func() { <-q.writing }
}

// A log makes changes of rows durable. rows is the list without the changes.
type log interface {
	append(changes []Row, rows map[string]Row) error
}

// OpenReadOnly reads the list, which is empty if there is no file.
func OpenReadOnly(fsys atomicfile.FS, name string) (*Quarantine, error) {
	q := newQuarantine(&file{broken: atomicfile.ErrReadOnly})
	text, err := atomicfile.Read(fsys, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	q.replay(text)
	q.doubtAll()
	return q, nil
}

// Open reads the list, or creates an empty one.
func Open(fsys atomicfile.FS, name string) (*Quarantine, error) {
	q, err := OpenReadOnly(fsys, name)
	if err != nil {
		return nil, err
	}
	text, err := encode(q.sorted())
	if err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	if err := atomicfile.Keep(fsys, name, text); err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	q.log = &file{fsys: fsys, name: name, size: int64(len(text))}
	return q, nil
}

// replay applies the lines of a file up to the first incomplete one. An incomplete
// line has no end, or it has zero bytes: after a power cut a later block may be on
// the disk and an earlier one not.
func (q *Quarantine) replay(text []byte) {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		if !bytes.HasSuffix(l, []byte("\n")) || bytes.IndexByte(l, 0) >= 0 {
			return
		}
		row, err := decode(l)
		if err != nil {
			q.damaged = cmp.Or(q.damaged, fmt.Errorf("line %d: %w", n, err))
			continue
		}
		q.apply(row)
	}
}

// Damaged returns the error of the first line that Open has skipped, nil if there is none.
func (q *Quarantine) Damaged() error { return q.damaged }

// apply adds, replaces or removes a row.
func (q *Quarantine) apply(r Row) {
	id := r.id()
	q.count(q.rows[id], -1)
	if r.Tries == 0 {
		delete(q.rows, id)
		delete(q.doubts, id)
		return
	}
	q.count(r, 1)
	q.rows[id] = r
}

func (q *Quarantine) count(r Row, by int) {
	switch {
	case r.IsPartial():
		q.partials += by
	case r.Document == doc.Visible:
		q.visible += by
	case r.Document == doc.Hidden:
		q.hidden += by
	}
}

// id returns what identifies the row in the list: its key, or the reason where there is
// none.
func (r Row) id() string {
	if r.IsPartial() {
		return partialID + string(r.OID)
	}
	return cmp.Or(string(r.OID), "\x00"+r.Reason)
}

// A hexHash is a hash as 16 hex digits.
type hexHash doc.DocHash

// MarshalText implements encoding.TextMarshaler.
func (h hexHash) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(h)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *hexHash) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	*h = hexHash(n)
	return err
}

func decode(l []byte) (Row, error) {
	if err := sealed.CheckObject(l); err != nil {
		return Row{}, err
	}
	var in line
	if err := json.Unmarshal(l, &in); err != nil {
		return Row{}, err
	}
	r := Row{OID: doc.OID(in.Key), Reason: in.Reason, Since: in.Since, Tries: in.Tries, Document: in.Document}
	if in.Kind == kindPartial {
		r.Flaws, r.Hash = append([]doc.Flaw{}, in.Columns...), doc.DocHash(in.Hash)
	}
	return r, nil
}

// encode returns a line for each row.
func encode(rows []Row) ([]byte, error) {
	var b []byte
	for _, r := range rows {
		out := line{Key: doc.HexOID(r.OID), Reason: r.Reason, Since: r.Since, Tries: r.Tries, Document: r.Document}
		if r.OID != "" {
			out.OID = r.OID.String()
		}
		if r.IsPartial() {
			out.Kind, out.Columns, out.Hash = kindPartial, r.Flaws, hexHash(r.Hash)
		}
		l, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		b = append(sealed.AppendObject(b, l), '\n')
	}
	return b, nil
}

// Add adds the rejects of a batch, or counts another try of them. Rows without a key that
// are listed already stay as they are.
func (q *Quarantine) Add(b doc.Batch) error {
	defer q.change()()
	return q.append(append(q.tried(b), q.listed(doc.OIDs(b.Rejects), partialID)...))
}

// tried returns the rows of a batch's rejects, with their new tries.
func (q *Quarantine) tried(b doc.Batch) []Row {
	var rows []Row
	for _, r := range b.Rejects {
		row := newRow(r)
		row.Since, row.Tries, row.fetch, row.seen = b.At.UTC(), 1, b.Fetch, r.Seen
		if old, ok := q.rows[row.id()]; ok {
			row.Since, row.Tries = old.Since, old.Tries+1
			if row.OID == "" {
				continue
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// maxReason limits a reason, in bytes. A database may quote the whole text of a row in
// an error.
const maxReason = 1 << 10

// newRow returns the row of a reject, without tries. It makes the reason valid UTF-8
// for JSON.
func newRow(r doc.Reject) Row {
	reason := r.Reason
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	return Row{OID: r.OID, Reason: strings.ToValidUTF8(reason, "\uFFFD"), Document: r.Document}
}

// Clear removes rows that are gone, or of which nothing is known any more.
func (q *Quarantine) Clear(oids []doc.OID) error { return q.Repaired(oids, oids) }

// Keyless replaces the rows without a key by those of a complete listing. A row that
// is not listed has been repaired.
func (q *Quarantine) Keyless(listing []doc.Reject, at time.Time) error {
	defer q.change()()
	keyless := slices.DeleteFunc(slices.Clone(listing), func(r doc.Reject) bool { return r.OID != "" })
	rows := q.tried(doc.Batch{At: at, Rejects: keyless})
	listed := make(map[string]bool, len(keyless))
	for _, r := range keyless {
		listed[newRow(r).id()] = true
	}
	for id, r := range q.rows {
		if r.OID == "" && !listed[id] {
			rows = append(rows, Row{Reason: r.Reason})
		}
	}
	return q.append(rows)
}

// append writes the rows durably, and then applies them.
func (q *Quarantine) append(rows []Row) error {
	if err := q.log.append(rows, q.rows); err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range rows {
		q.apply(r)
	}
	return nil
}
