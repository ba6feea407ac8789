// Package scrub counts what is read of stored files to find bytes that are not those
// that were written. The packages that store files read them, each with the checksums
// of its own format; a Run paces all of them, and has what they found.
package scrub

import (
	"context"
	"fmt"
	"time"

	"indexerd/internal/base/progress"
)

// stepBytes is how much is read between two rests.
const stepBytes = 4 << 20

// A Damage is a file whose bytes are not those that were written.
type Damage struct {
	File string
	What string // what is wrong
}

// String returns one line.
func (d Damage) String() string { return fmt.Sprintf("%s is damaged: %s", d.File, d.What) }

// A Run reads files once. It is used by one goroutine at a time.
type Run struct {
	Files   int
	Bytes   int64
	Damaged []Damage
	Meter   *progress.Meter // counts the bytes too; nil: it does not

	ctx   context.Context
	rest  func(ctx context.Context, worked time.Duration) error
	since time.Time // when the last rest ended
	read  int64     // bytes since then
}

// NewRun returns a Run that ends with ctx. rest is called after every few megabytes
// with the time that reading them took; nil: there is no rest.
func NewRun(ctx context.Context, rest func(ctx context.Context, worked time.Duration) error) *Run {
	return &Run{ctx: ctx, rest: rest, since: time.Now()}
}

// Read counts bytes that were read, and rests now and then. Its error is that of the
// context, or of the rest. The caller holds no lock.
func (r *Run) Read(bytes int) error {
	r.Bytes += int64(bytes)
	r.Meter.Add(int64(bytes))
	if r.read += int64(bytes); r.read < stepBytes {
		return nil
	}
	return r.Rest()
}

// Rest rests for what was read since the last rest.
func (r *Run) Rest() error {
	if r.rest != nil && r.read > 0 {
		if err := r.rest(r.ctx, time.Since(r.since)); err != nil {
			return err
		}
	}
	r.since, r.read = time.Now(), 0
	return r.ctx.Err()
}

// Found notes a damaged file.
func (r *Run) Found(file string, what error) {
	r.Damaged = append(r.Damaged, Damage{file, what.Error()})
}
