// Package history keeps a log of the passes of a table: one JSON line for each run
// that did something. Users see from it how their tiers work, and how late rows
// become visible.
//
// No pass depends on the log, so lines are not synced, and a crash may lose the
// last ones. Each line ends with its checksum, "crc", which lines of an older release
// lack. Open drops a last line that was cut, and a line that is damaged or has a zero byte:
// after a power cut a later block may be on the disk and an earlier one not. If the file
// is larger than 16 MB, Open keeps the newest lines of half that size.
//
// Cost: the newest 10,000 runs in memory, about 300 bytes each, and up to 1 KB of an
// error.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/sealed"
)

const (
	maxBytes = 16 << 20
	maxRuns  = 10_000
	maxErr   = 1 << 10 // bytes; a database may quote the whole text of a row in an error
)

// A Run is one run of a pass. Started is of this machine's clock, the window of the
// report of the database's.
type Run struct {
	Number  int64
	Pass    string
	Tier    string // of compensation: the name of a tier, or exact
	Started time.Time
	Took    time.Duration
	Report  doc.Report
	Err     string
}

// line is a Run on disk.
type line struct {
	Run         int64          `json:"run"`
	Pass        string         `json:"pass"`
	Tier        string         `json:"tier,omitempty"`
	Started     time.Time      `json:"started"`
	TookUS      int64          `json:"took_us"`
	From        time.Time      `json:"from,omitzero"`
	To          time.Time      `json:"to,omitzero"`
	Read        int            `json:"read,omitempty"`
	Compared    int            `json:"compared,omitempty"`
	Added       int            `json:"added,omitempty"`
	Updated     int            `json:"updated,omitempty"`
	Deleted     int            `json:"deleted,omitempty"`
	Skipped     int            `json:"skipped,omitempty"`
	Quarantined int            `json:"quarantined,omitempty"`
	LateMaxUS   int64          `json:"late_max_us,omitempty"`
	Late        map[int]uint32 `json:"late,omitempty"` // rows by bucket of doc.Lateness
	Err         string         `json:"error,omitempty"`
}

// A History is the log of one table. Its file is open only while a line is written:
// a table may have none for days.
type History struct {
	fsys atomicfile.FS // nil: opened read-only
	name string

	mu   sync.Mutex
	next int64
	size int64 // of the complete lines in the file
	runs []Run // the newest runs, oldest first
	late doc.Lateness
}

// Name returns the name of the file in a table's directory.
func Name(dir string) string { return filepath.Join(dir, "history.jsonl") }

// OpenReadOnly reads the log, and writes nothing. Append returns an error.
func OpenReadOnly(fsys atomicfile.FS, name string) (*History, error) {
	h, _, err := load(fsys, name)
	return h, err
}

// Open reads the log, or creates one.
func Open(fsys atomicfile.FS, name string) (*History, error) {
	h, text, err := load(fsys, name)
	if err != nil {
		return nil, err
	}
	h.fsys, h.name = fsys, name
	if err := atomicfile.Keep(fsys, name, text); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return h, nil
}

// load reads the log, and returns the lines to keep.
func load(fsys atomicfile.FS, name string) (*History, []byte, error) {
	text, err := atomicfile.Read(fsys, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("history: %w", err)
	}
	if len(text) > maxBytes {
		text = text[len(text)-maxBytes/2:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	text = whole(text)
	h := &History{next: 1, size: int64(len(text))}
	if err := h.replay(text); err != nil {
		return nil, nil, fmt.Errorf("history: %s: %w: remove the file to start an empty history", name, err)
	}
	return h, text, nil
}

// whole drops the lines that are damaged, or that a crash cut or left with zero bytes.
func whole(text []byte) []byte {
	var kept []byte
	for l := range bytes.Lines(text) {
		if bytes.HasSuffix(l, []byte("\n")) && bytes.IndexByte(l, 0) < 0 && sealed.CheckObject(l) == nil && json.Valid(l) {
			kept = append(kept, l...)
		}
	}
	return kept
}

func (h *History) replay(text []byte) error {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		var in line
		if err := json.Unmarshal(l, &in); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		h.remember(in.run())
	}
	return nil
}

// remember adds a run in memory.
func (h *History) remember(r Run) {
	h.next = max(h.next, r.Number+1)
	h.late.Add(r.Report.Late)
	h.runs = append(h.runs, r)
	if len(h.runs) > 2*maxRuns {
		h.runs = append(h.runs[:0], h.runs[len(h.runs)-maxRuns:]...)
	}
}

// Append adds a run, and returns the number that it gets.
func (h *History) Append(r Run) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fsys == nil {
		return 0, fmt.Errorf("history: %w", atomicfile.ErrReadOnly)
	}
	r.Number = h.next
	if len(r.Err) > maxErr {
		r.Err = strings.ToValidUTF8(r.Err[:maxErr], "") + "..."
	}
	text, err := json.Marshal(r.line())
	if err != nil {
		return 0, fmt.Errorf("history: %w", err)
	}
	text = append(sealed.AppendObject(nil, text), '\n')
	if err := h.write(text); err != nil {
		return 0, fmt.Errorf("history: %w", err)
	}
	h.size += int64(len(text))
	h.remember(r)
	return r.Number, nil
}

// write appends a line. After an error the file is as it was: the next line must not
// follow part of this one.
func (h *History) write(text []byte) error {
	file, err := h.fsys.OpenFile(h.name, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if _, err := file.Write(text); err != nil {
		return errors.Join(err, file.Truncate(h.size), file.Close())
	}
	return file.Close()
}

// Runs returns up to size runs with numbers below after, newest first. after 0
// means the newest runs. next is the after of the next call, 0 at the end.
func (h *History) Runs(size int, after int64) (runs []Run, next int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.runs) - 1; i >= 0; i-- {
		if after != 0 && h.runs[i].Number >= after {
			continue
		}
		if len(runs) == size {
			return runs, runs[size-1].Number
		}
		runs = append(runs, h.runs[i])
	}
	return runs, 0
}

// Lateness returns the distribution over all runs of the log.
func (h *History) Lateness() doc.Lateness {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.late
}

func (r Run) line() line {
	p := r.Report
	return line{
		Run: r.Number, Pass: r.Pass, Tier: r.Tier, Started: r.Started.UTC(), TookUS: r.Took.Microseconds(),
		From: p.Window.From, To: p.Window.To,
		Read: p.Read, Compared: p.Compared, Added: p.Added, Updated: p.Updated, Deleted: p.Deleted,
		Skipped: p.Skipped, Quarantined: p.Quarantined,
		LateMaxUS: p.Late.Max.Microseconds(), Late: sparse(p.Late), Err: r.Err,
	}
}

// sparse returns the buckets that are not empty.
func sparse(l doc.Lateness) map[int]uint32 {
	counts := map[int]uint32{}
	for b, n := range l.Counts {
		if n > 0 {
			counts[b] = n
		}
	}
	return counts
}

func dense(counts map[int]uint32, most time.Duration) doc.Lateness {
	l := doc.Lateness{Max: most}
	for b, n := range counts {
		if b >= 0 && b < len(l.Counts) {
			l.Counts[b] = n
		}
	}
	return l
}

func (l line) run() Run {
	return Run{
		Number: l.Run, Pass: l.Pass, Tier: l.Tier, Started: l.Started, Took: time.Duration(l.TookUS) * time.Microsecond, Err: l.Err,
		Report: doc.Report{
			Window: doc.Window{From: l.From, To: l.To},
			Read:   l.Read, Compared: l.Compared, Added: l.Added, Updated: l.Updated, Deleted: l.Deleted,
			Skipped: l.Skipped, Quarantined: l.Quarantined,
			Late: dense(l.Late, time.Duration(l.LateMaxUS)*time.Microsecond),
		},
	}
}

// ID returns the number as users see it.
func (r Run) ID() string { return strconv.FormatInt(r.Number, 10) }
