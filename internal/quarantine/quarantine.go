// Package quarantine keeps, durably, the rows that can't become documents, and
// why: a NULL key, a number that does not fit its field, text that is not
// UTF-8. A row leaves it when it has become a document after all, or is gone.
// Rows without a key are one for each reason, and leave it when a listing of all
// of them no longer has that reason.
//
// It is a log of JSON lines, one for each row set aside or let go, the last
// one of a row standing:
//
//	{"key":"118000000000000007","oid":"7","reason":"...","since":"2026-11-21T10:15:30.5Z","tries":2}
//	{"key":"118000000000000007","oid":"7","tries":0}
//
// In a table with an ACL a line also has the visibility of the row's last
// document: "document":"visible" or "document":"hidden".
//
// Invariant: what Add and Clear have acknowledged is synced. Open reads the
// log whole and replaces it by one without superseded lines, so that what a
// crash tore off the last append is gone before the next one.
//
// OpenReadOnly changes nothing on disk: what an append has torn off is left out
// in memory only, and rows can be neither added nor cleared.
//
// Cost: the rows in memory, about 200 bytes each. Nothing while it is empty.
package quarantine

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
)

// A Row is one row set aside. OID is empty when the key itself is unusable.
type Row struct {
	OID    doc.OID
	Reason string
	Since  time.Time // the database's time when it was first set aside
	Tries  int

	Document doc.Visibility // of the last document of the row
}

// line is a Row on disk. Tries 0 lets the row go.
type line struct {
	Key    string    `json:"key"` // hex of the OID's bytes
	OID    string    `json:"oid"` // for people
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Tries  int       `json:"tries"`

	Document doc.Visibility `json:"document,omitempty"`
}

// A Quarantine is the list of one table.
type Quarantine struct {
	file atomicfile.File // nil: opened read-only

	mu     sync.Mutex
	size   int64          // of the acknowledged lines in the file
	rows   map[string]Row // by OID; a row without one by its reason
	broken error          // the fault after which the file's end is not known

	visible, hidden int // how many rows have a last document that is either
}

// OpenReadOnly reads the list, which is empty where there is no file.
func OpenReadOnly(fsys atomicfile.FS, name string) (*Quarantine, error) {
	q := &Quarantine{rows: map[string]Row{}, broken: atomicfile.ErrReadOnly}
	text, err := atomicfile.Read(fsys, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	if err := q.replay(text); err != nil {
		return nil, fmt.Errorf("quarantine: %s: %w", name, err)
	}
	return q, nil
}

// Open reads the list, or starts one.
func Open(fsys atomicfile.FS, name string) (*Quarantine, error) {
	q, err := OpenReadOnly(fsys, name)
	if err != nil {
		return nil, err
	}
	q.broken = nil
	text, err := encode(q.sorted())
	if err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	if err := atomicfile.Write(fsys, name, text); err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	q.size = int64(len(text))
	if q.file, err = fsys.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	return q, nil
}

// replay applies the lines of a file up to the first that an append did not
// finish: it has no end, or a hole, as a power cut leaves where a later block
// came to the disk before an earlier one. No line of JSON has a zero byte.
func (q *Quarantine) replay(text []byte) error {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		if !bytes.HasSuffix(l, []byte("\n")) || bytes.IndexByte(l, 0) >= 0 {
			return nil
		}
		row, err := decode(l)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		q.apply(row)
	}
	return nil
}

// apply sets a row aside, or lets it go.
func (q *Quarantine) apply(r Row) {
	q.count(q.rows[r.id()].Document, -1)
	if r.Tries == 0 {
		delete(q.rows, r.id())
		return
	}
	q.count(r.Document, 1)
	q.rows[r.id()] = r
}

func (q *Quarantine) count(d doc.Visibility, by int) {
	switch d {
	case doc.Visible:
		q.visible += by
	case doc.Hidden:
		q.hidden += by
	}
}

func (r Row) id() string { return cmp.Or(string(r.OID), "\x00"+r.Reason) }

func decode(l []byte) (Row, error) {
	var in line
	if err := json.Unmarshal(l, &in); err != nil {
		return Row{}, err
	}
	key, err := hex.DecodeString(in.Key)
	if err != nil {
		return Row{}, fmt.Errorf("key: %w", err)
	}
	return Row{OID: doc.OID(key), Reason: in.Reason, Since: in.Since, Tries: in.Tries, Document: in.Document}, nil
}

// encode writes a line a row.
func encode(rows []Row) ([]byte, error) {
	var b []byte
	for _, r := range rows {
		out := line{Key: hex.EncodeToString([]byte(r.OID)), Reason: r.Reason, Since: r.Since, Tries: r.Tries, Document: r.Document}
		if r.OID != "" {
			out.OID = r.OID.String()
		}
		l, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		b = append(append(b, l...), '\n')
	}
	return b, nil
}

// Add sets the rejects of a batch aside, or counts another try.
func (q *Quarantine) Add(b doc.Batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.append(q.tried(b))
}

// tried returns the rows of a batch's rejects, with their tries.
func (q *Quarantine) tried(b doc.Batch) []Row {
	var rows []Row
	for _, r := range b.Rejects {
		row := newRow(r)
		row.Since, row.Tries = b.At.UTC(), 1
		if old, ok := q.rows[row.id()]; ok {
			row.Since, row.Tries = old.Since, old.Tries+1
		}
		rows = append(rows, row)
	}
	return rows
}

// maxReason bounds a reason, in bytes: a database may quote all of a row's text
// in its error.
const maxReason = 1 << 10

// newRow is a row that was not tried yet. A reason may quote the row's text,
// and JSON has only valid UTF-8.
func newRow(r doc.Reject) Row {
	reason := r.Reason
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	return Row{OID: r.OID, Reason: strings.ToValidUTF8(reason, "\uFFFD"), Document: r.Document}
}

// Clear lets rows go that have become documents.
func (q *Quarantine) Clear(oids []doc.OID) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.rows) == 0 {
		return nil
	}
	var rows []Row
	for _, oid := range oids {
		if _, ok := q.rows[string(oid)]; ok {
			rows = append(rows, Row{OID: oid})
		}
	}
	return q.append(rows)
}

// Keyless makes the rows without a key exactly those of a complete listing: one
// that is not listed has been mended, which nothing else could tell.
func (q *Quarantine) Keyless(listing []doc.Reject, at time.Time) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	rows := q.tried(doc.Batch{At: at, Rejects: slices.DeleteFunc(slices.Clone(listing), func(r doc.Reject) bool { return r.OID != "" })})
	listed := make(map[string]bool, len(rows))
	for _, r := range rows {
		listed[r.id()] = true
	}
	for id, r := range q.rows {
		if r.OID == "" && !listed[id] {
			rows = append(rows, Row{Reason: r.Reason})
		}
	}
	return q.append(rows)
}

// append writes the rows durably, then remembers them.
func (q *Quarantine) append(rows []Row) error {
	if len(rows) == 0 {
		return nil
	}
	if q.broken != nil {
		return fmt.Errorf("quarantine: %w: run indexerd again once the disk is well", q.broken)
	}
	b, err := encode(rows)
	if err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	if err := q.write(b); err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	for _, r := range rows {
		q.apply(r)
	}
	return nil
}

// write appends lines durably. A write that fails, as on a full disk, is
// undone. Where that fails too, or a sync, which may have lost what it was to
// keep, a further line might stand behind half of one: then nothing is written
// until Open has read what there is.
func (q *Quarantine) write(lines []byte) error {
	if _, err := q.file.Write(lines); err != nil {
		q.broken = q.file.Truncate(q.size)
		return err
	}
	if err := q.file.Sync(); err != nil {
		q.broken = err
		return err
	}
	q.size += int64(len(lines))
	return nil
}

// Close closes the file.
func (q *Quarantine) Close() error {
	if q.file == nil {
		return nil
	}
	return q.file.Close()
}

// Name is the file's name in a table's directory.
func Name(dir string) string { return filepath.Join(dir, "quarantine.jsonl") }
