package initial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/sealed"
)

// record is the first line of a plan's file. It is written before the first row
// is read.
type record struct {
	Generation doc.Generation `json:"generation"`
	At         time.Time      `json:"at"`   // database time before the load
	Rows       int64          `json:"rows"` // in the table at that time, for progress
	Start
	Breakpoints []doc.HexOID `json:"breakpoints"`
}

// finished is each later line: a range whose rows are durable.
type finished struct {
	Range int `json:"range"`
	Rows  int `json:"rows"`
}

// A Plan is the file of a running load: the record, then one synced line for
// each finished range, each with its checksum. If a crash cut the last line, its range is
// read again.
//
// A plan of one range has no file: a load that was killed has nothing to resume, and a
// thousand small tables do not wait for the disk three times each.
type Plan struct {
	record
	ranges []doc.Range
	fsys   atomicfile.FS
	name   string

	mu     sync.Mutex
	file   atomicfile.File // nil: the plan has none
	failed error           // of Finish; the end of the file is unknown after it
	done   map[int]bool
	loaded int64 // rows of the finished ranges when the plan was opened
}

// createPlan writes the record durably, unless there is only one range.
func createPlan(fsys atomicfile.FS, name string, r record) (*Plan, error) {
	for _, at := range []*time.Time{&r.At, &r.Settled, &r.Clock, &r.Local} {
		*at = at.UTC()
	}
	if len(r.Breakpoints) == 0 {
		p := &Plan{record: r, ranges: cut(nil), fsys: fsys, name: name, done: map[int]bool{}}
		return p, p.Remove() // that of another generation
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("load plan %s: %w", name, err)
	}
	return startPlan(fsys, name, append(sealed.AppendObject(nil, text), '\n'))
}

// openPlan reads a plan. It returns nil if there is none, or one for another
// generation of the index.
func openPlan(fsys atomicfile.FS, name string, generation doc.Generation) (*Plan, error) {
	text, err := atomicfile.Read(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load plan: %w", err)
	}
	p := &Plan{done: map[int]bool{}}
	whole, err := p.parse(text)
	if err != nil {
		return nil, fmt.Errorf("load plan %s: %w: remove the file to load the table from scratch", name, err)
	}
	if p.Generation != generation {
		return nil, nil
	}
	// Rewrite the file without a cut line. After a failed sync the page cache may
	// also have lines that the disk lost, and an appended line would follow a gap.
	if p, err = startPlan(fsys, name, text[:whole]); err != nil {
		return nil, fmt.Errorf("load plan: rewrite: %w", err)
	}
	return p, nil
}

// startPlan writes a plan of complete lines, and opens it for more.
func startPlan(fsys atomicfile.FS, name string, text []byte) (*Plan, error) {
	p := &Plan{fsys: fsys, name: name, done: map[int]bool{}}
	_, err := p.parse(text)
	if err != nil {
		return nil, fmt.Errorf("load plan %s: %w", name, err)
	}
	p.ranges = cut(p.Breakpoints)
	if err := atomicfile.Write(fsys, name, text); err != nil {
		return nil, err
	}
	if p.file, err = fsys.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, fmt.Errorf("load plan: %w", err)
	}
	return p, nil
}

// parse reads the lines and returns the length of the complete ones.
func (p *Plan) parse(text []byte) (whole int, err error) {
	for line := range bytes.Lines(text) {
		if line[len(line)-1] != '\n' {
			break
		}
		err = sealed.CheckObject(line)
		if err == nil && whole == 0 {
			err = json.Unmarshal(line, &p.record)
		} else if err == nil {
			err = p.parseFinished(line)
		}
		if err != nil {
			return 0, err
		}
		whole += len(line)
	}
	if whole == 0 {
		return 0, errors.New("the first line is missing")
	}
	return whole, nil
}

func (p *Plan) parseFinished(text []byte) error {
	var line finished
	if err := json.Unmarshal(text, &line); err != nil {
		return err
	}
	if line.Range < 0 || line.Range > len(p.Breakpoints) {
		return fmt.Errorf("range %d does not exist", line.Range)
	}
	p.done[line.Range] = true
	p.loaded += int64(line.Rows)
	return nil
}

// cut returns the ranges (-inf, b1), [b1, b2) ... [bn, +inf).
func cut(breakpoints []doc.HexOID) []doc.Range {
	ranges := make([]doc.Range, len(breakpoints)+1)
	for i, b := range breakpoints {
		ranges[i].To = doc.OID(b)
		ranges[i+1].From = doc.OID(b)
	}
	return ranges
}

// Done reports whether a range was finished.
func (p *Plan) Done(i int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[i]
}

// Finish records that the rows of a range are durable. After an error every
// later call fails too, until the plan is opened again.
func (p *Plan) Finish(i, rows int) error {
	text, err := json.Marshal(finished{Range: i, Rows: rows})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed == nil && p.file != nil {
		p.failed = p.append(append(sealed.AppendObject(nil, text), '\n'))
	}
	if p.failed != nil {
		return fmt.Errorf("load plan: record range %d: %w", i, p.failed)
	}
	p.done[i] = true
	return nil
}

func (p *Plan) append(line []byte) error {
	if _, err := p.file.Write(line); err != nil {
		return err // part of the line may be written, so nothing may be appended to it
	}
	return p.file.Sync()
}

// Close closes the file.
func (p *Plan) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// Remove removes the file, if there is one.
func (p *Plan) Remove() error {
	if err := p.fsys.Remove(p.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("load plan: %w", err)
	}
	return nil
}
