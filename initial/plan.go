package initial

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
)

// record is the first line of a plan's file. It is written before the first row
// is read.
type record struct {
	Generation  doc.Generation
	At          time.Time // database time before the load
	Rows        int64     // in the table at that time, for progress
	Start       Start
	Breakpoints []doc.OID
}

// recordLine is a record as JSON. Keys are in hex.
type recordLine struct {
	Generation  doc.Generation `json:"generation"`
	At          time.Time      `json:"at"`
	Rows        int64          `json:"rows"`
	Settled     time.Time      `json:"settled"`
	Mode        string         `json:"mode"`
	Server      string         `json:"server,omitempty"`
	Clock       time.Time      `json:"clock,omitzero"`
	Local       time.Time      `json:"local,omitzero"`
	Breakpoints []string       `json:"breakpoints"`
}

// finished is each later line: a range whose rows are durable.
type finished struct {
	Range int `json:"range"`
	Rows  int `json:"rows"`
}

// A Plan is the file of a running load: the record, then one synced line for
// each finished range. If a crash cut the last line, its range is read again.
type Plan struct {
	record
	ranges []doc.Range
	fsys   atomicfile.FS
	name   string

	mu     sync.Mutex
	file   atomicfile.File
	failed error // of Finish; the end of the file is unknown after it
	done   map[int]bool
	loaded int64 // rows of the finished ranges when the plan was opened
}

// createPlan writes the record durably.
func createPlan(fsys atomicfile.FS, name string, r record) (*Plan, error) {
	line := recordLine{
		Generation: r.Generation, At: r.At.UTC(), Rows: r.Rows,
		Settled: r.Start.Settled.UTC(), Mode: r.Start.Mode,
		Server: r.Start.Server, Clock: r.Start.Clock.UTC(), Local: r.Start.Local.UTC(),
		Breakpoints: make([]string, len(r.Breakpoints)),
	}
	for i, oid := range r.Breakpoints {
		line.Breakpoints[i] = hex.EncodeToString([]byte(oid))
	}
	text, err := json.Marshal(line)
	if err != nil {
		return nil, fmt.Errorf("load plan %s: %w", name, err)
	}
	if err := atomicfile.Write(fsys, name, append(text, '\n')); err != nil {
		return nil, err
	}
	return openPlan(fsys, name, r.Generation)
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
	p := &Plan{fsys: fsys, name: name, done: map[int]bool{}}
	whole, err := p.parse(text)
	if err != nil {
		return nil, fmt.Errorf("load plan %s: %w: remove the file to load the table from scratch", name, err)
	}
	if p.Generation != generation {
		return nil, nil
	}
	p.ranges = cut(p.Breakpoints)
	// Rewrite the file without a cut line. After a failed sync the page cache may
	// also have lines that the disk lost, and an appended line would follow a gap.
	if err := atomicfile.Write(fsys, name, text[:whole]); err != nil {
		return nil, fmt.Errorf("load plan: rewrite: %w", err)
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
		if whole == 0 {
			p.record, err = parseRecord(line)
		} else {
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

func parseRecord(text []byte) (record, error) {
	var line recordLine
	if err := json.Unmarshal(text, &line); err != nil {
		return record{}, err
	}
	r := record{
		Generation: line.Generation, At: line.At, Rows: line.Rows,
		Start:       Start{Settled: line.Settled, Mode: line.Mode, Server: line.Server, Clock: line.Clock, Local: line.Local},
		Breakpoints: make([]doc.OID, len(line.Breakpoints)),
	}
	for i, key := range line.Breakpoints {
		b, err := hex.DecodeString(key)
		if err != nil {
			return record{}, fmt.Errorf("breakpoint %d: %w", i, err)
		}
		r.Breakpoints[i] = doc.OID(b)
	}
	return r, nil
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
func cut(breakpoints []doc.OID) []doc.Range {
	ranges := make([]doc.Range, len(breakpoints)+1)
	for i, b := range breakpoints {
		ranges[i].To = b
		ranges[i+1].From = b
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
	if p.failed == nil {
		p.failed = p.append(append(text, '\n'))
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
func (p *Plan) Close() error { return p.file.Close() }

// Remove removes the file.
func (p *Plan) Remove() error {
	if err := p.fsys.Remove(p.name); err != nil {
		return fmt.Errorf("load plan: %w", err)
	}
	return nil
}
