package deletecheck

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
	"indexerd/timetrace"
)

// Files in the table's directory.
const (
	positionName = "sweep"       // how far a sweep has come
	goneName     = "sweep.gone"  // what it has found in the index alone
	askedName    = "sweep.asked" // of these, what was gone when asked again
	heldName     = "sweep.held"  // of these, what the guard held at the last sweep
)

// saveEvery is how much work a crash may undo.
const saveEvery = 5 * time.Second

// positionVersion is the format of a position.
const positionVersion = 1

// A phase is a part of a sweep.
type phase string

const (
	phaseRetry     phase = "quarantine" // what could not become a document before
	phaseRanges    phase = "ranges"     // both sides in one order
	phaseDocuments phase = "documents"  // each document's row
	phaseRows      phase = "rows"       // each row's document
	phasePages     phase = "pages"      // pages that have neither
	phaseRemove    phase = "remove"     // what was found gone
)

// A position is how far a sweep has come. One that is lost, damaged, or of
// another index, SQL or rewind, costs a sweep from the beginning, no more.
type position struct {
	Version    int            `json:"version"`
	Generation doc.Generation `json:"generation"`
	SQL        string         `json:"sql"`
	Rewinds    uint64         `json:"rewinds"`
	Started    time.Time      `json:"started"` // the database's time
	Phase      phase          `json:"phase"`
	Next       string         `json:"next"`    // hex of the key where the phase goes on
	Gone       int64          `json:"gone"`    // bytes of the spool that are durable
	Unpaged    bool           `json:"unpaged"` // a document without a page was found
	Done       int64          `json:"done"`    // documents and rows listed
	Report     doc.Report     `json:"report"`
}

// next is the key where the phase goes on.
func (p *position) next() doc.OID {
	b, _ := hex.DecodeString(p.Next) // load has tried it
	return doc.OID(b)
}

func (p *position) setNext(oid doc.OID) { p.Next = hex.EncodeToString([]byte(oid)) }

// newPosition is the beginning of a sweep.
func newPosition(marks timetrace.Table, now time.Time) position {
	return position{
		Version: positionVersion, Generation: marks.Generation, SQL: marks.SQL, Rewinds: marks.Rewinds,
		Started: now, Phase: phaseRetry,
	}
}

// goesOn reports whether a sweep may go on from here. A sweep that has ended,
// and left its position behind, has not.
func (p *position) goesOn(marks timetrace.Table) bool {
	return p.Version == positionVersion && p.Generation == marks.Generation && p.SQL == marks.SQL &&
		p.Rewinds == marks.Rewinds && p.Started.After(marks.Sweep)
}

// load reads the position. There is none where it can't be read.
func load(fsys atomicfile.FS, dir string) (p position, ok bool, err error) {
	text, err := atomicfile.Read(fsys, filepath.Join(dir, positionName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return position{}, false, nil
	case err != nil:
		return position{}, false, fmt.Errorf("read the position: %w", err)
	}
	if json.Unmarshal(text, &p) != nil {
		return position{}, false, nil
	}
	_, bad := hex.DecodeString(p.Next)
	return p, bad == nil, nil
}

// save makes the position durable, and first what it speaks of.
func (p *position) save(fsys atomicfile.FS, dir string, gone *spool) error {
	if err := gone.sync(); err != nil {
		return err
	}
	p.Gone = gone.size
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Write(fsys, filepath.Join(dir, positionName), append(text, '\n'))
}
