package deletecheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/sealed"
	"indexerd/timetrace"
)

// Files in the table's directory.
const (
	positionName = "sweep"       // position of a sweep
	goneName     = "sweep.gone"  // candidates for removal
	askedName    = "sweep.asked" // candidates whose row is gone
	heldName     = "sweep.held"  // removals that the guard held in the last sweep

	betweenName = "compare.gone" // sweep.gone of a comparison between two sweeps, which continues none
)

// saveEvery is how often a sweep saves its position. A crash costs that much
// work.
const saveEvery = 5 * time.Second

// positionVersion is the version of the format.
const positionVersion = 1

// A phase is a part of a sweep.
type phase string

const (
	phaseRetry     phase = "quarantine" // fetch the rows in quarantine again
	phaseRanges    phase = "ranges"     // compare documents and rows in key order
	phaseDocuments phase = "documents"  // look for each document's row
	phaseRows      phase = "rows"       // compare each row's document
	phasePages     phase = "pages"      // look for pages with neither document nor row
	phaseRemove    phase = "remove"     // remove the documents of gone rows
)

// A position is how far a sweep has come. If it is lost, damaged, or of another
// index, SQL or rewind, the sweep starts from scratch.
type position struct {
	Version    int            `json:"version"`
	Generation doc.Generation `json:"generation"`
	SQL        string         `json:"sql"`
	Rewinds    uint64         `json:"rewinds"`
	Started    time.Time      `json:"started"` // the database's time
	Phase      phase          `json:"phase"`
	Next       doc.HexOID     `json:"next"`    // the key where the phase continues
	Gone       int64          `json:"gone"`    // durable bytes of the spool
	Unpaged    bool           `json:"unpaged"` // a document without a page was found
	Done       int64          `json:"done"`    // documents and rows listed
	Report     doc.Report     `json:"report"`
}

// newPosition returns the position of a new sweep.
func newPosition(marks timetrace.Table, now time.Time) position {
	return position{
		Version: positionVersion, Generation: marks.Generation, SQL: marks.SQL, Rewinds: marks.Rewinds,
		Started: now, Phase: phaseRetry,
	}
}

// valid reports whether a sweep can continue here. It can't if the sweep has
// ended, and a crash left its position behind.
func (p *position) valid(marks timetrace.Table) bool {
	return p.Version == positionVersion && p.Generation == marks.Generation && p.SQL == marks.SQL &&
		p.Rewinds == marks.Rewinds && p.Started.After(marks.Sweep)
}

// load reads the position. ok is false if there is none, or a damaged one.
func load(fsys atomicfile.FS, dir string) (p position, ok bool, err error) {
	text, err := atomicfile.Read(fsys, filepath.Join(dir, positionName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return position{}, false, nil
	case err != nil:
		return position{}, false, fmt.Errorf("position: %w", err)
	}
	if sealed.CheckObject(text) != nil || json.Unmarshal(text, &p) != nil {
		return position{}, false, nil
	}
	return p, true, nil
}

// save makes the spool durable, and then the position.
func (p *position) save(fsys atomicfile.FS, dir string, gone *spool) error {
	if err := gone.sync(); err != nil {
		return err
	}
	p.Gone = gone.size
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return atomicfile.Write(fsys, filepath.Join(dir, positionName), append(sealed.AppendObject(nil, text), '\n'))
}
