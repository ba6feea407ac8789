package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

var sessionBehaviours = []behaviour{
	{"an iterator that is left early leaves nothing open", false, leftEarly},
	{"an iterator ends after an error", true, endAfterError},
	{"a cancelled context is the error, and the next read works", false, cancelled},
	{"a connection that is killed makes the database unavailable, and the next read works", true, killed},
	{"a lock makes the table unavailable, and the next read works", true, locked},
}

// An iterate reads an iterator. It calls stop after each step, and returns the
// last error.
type iterate func(_ context.Context, stop func() bool) error

func steps[T any](pages func(context.Context) iter.Seq2[T, error]) iterate {
	return func(ctx context.Context, stop func() bool) (last error) {
		for _, last = range pages(ctx) {
			if stop() {
				break
			}
		}
		return last
	}
}

// iterators returns all iterators of a table.
func iterators(t Table) map[string]iterate {
	return map[string]iterate{
		"Range":         steps(func(ctx context.Context) iter.Seq2[doc.Batch, error] { return t.Range(ctx, all) }),
		"Docs":          steps(func(ctx context.Context) iter.Seq2[doc.Batch, error] { return t.Docs(ctx, oidsOf(numbered(9))) }),
		"Stamps":        steps(func(ctx context.Context) iter.Seq2[[]doc.Stamp, error] { return t.Stamps(ctx, ever) }),
		"StampsInRange": steps(func(ctx context.Context) iter.Seq2[[]doc.Stamp, error] { return t.StampsInRange(ctx, all) }),
		"Left":          steps(func(ctx context.Context) iter.Seq2[[]doc.OID, error] { return t.Left(ctx, ever) }),
	}
}

// mixedRows returns a table of nine rows, of which three are marked deleted.
func (r *run) mixedRows(numbers Numbers) Rows {
	r.Helper()
	rows := numbered(9)
	for i := range rows {
		rows[i].Marked, rows[i].Children = i < 3, []string{"child"}
	}
	s := marked
	s.config.Numbers = numbers
	return r.rows(s, rows...)
}

func leftEarly(r *run) {
	numbers := r.sink()
	table := r.mixedRows(numbers)
	ctx, cancel := context.WithTimeout(r.Context(), time.Minute)
	defer cancel()
	for name, iterate := range iterators(table) {
		for range 9 { // more often than a source has connections
			if err := iterate(ctx, func() bool { return true }); err != nil {
				r.Fatalf("%s: %v", name, err)
			}
			if open := numbers.fetches(); len(open) > 0 {
				r.Fatalf("%s: got open fetches %v, want none", name, open)
			}
		}
	}
	r.checkDeleted(table, "4 5 6 7 8 9", "1 2 3")
	if r.db != nil { // an open transaction would lock the table
		r.exec("DROP TABLE part", "DROP TABLE doc")
	}
}

func endAfterError(r *run) {
	table := r.mixedRows(r.sink())
	r.exec("DROP TABLE doc")
	for name, iterate := range iterators(table) {
		pages := 0
		if err := iterate(r.Context(), func() bool { pages++; return false }); err == nil || pages != 1 {
			r.Errorf("%s: got %d steps and %v at last, want one step, the error", name, pages, err)
		}
	}
}

func cancelled(r *run) {
	numbers := r.sink()
	table := r.mixedRows(numbers)
	for when, prepare := range map[string]func(cancel func()) (stop func() bool){
		"before": func(cancel func()) func() bool { cancel(); return func() bool { return false } },
		"after a page": func(cancel func()) func() bool {
			return func() bool { cancel(); return false }
		},
		"in a fetch": func(cancel func()) func() bool {
			numbers.after = func(doc.FetchSeq) { cancel() }
			return func() bool { return false }
		},
	} {
		for name, iterate := range iterators(table) {
			if when == "in a fetch" && name != "Range" && name != "Docs" {
				continue
			}
			ctx, cancel := context.WithCancel(r.Context())
			stop := prepare(cancel)
			if err := iterate(ctx, stop); err != nil && (!errors.Is(err, context.Canceled) || errors.Is(err, doc.ErrUnavailable)) || err == nil && when == "before" {
				r.Errorf("%s, cancelled %s: got %v, want %v", name, when, err, context.Canceled)
			}
			numbers.after = nil
			cancel()
			if open := numbers.fetches(); len(open) > 0 {
				r.Errorf("%s, cancelled %s: got open fetches %v, want none", name, when, open)
			}
		}
		r.checkDeleted(table, "4 5 6 7 8 9", "1 2 3")
	}
	gone, cancel := context.WithCancel(r.Context())
	cancel()
	_, of := table.StampsOf(gone, []doc.OID{oid(1)})
	_, count := table.Count(gone)
	_, points := table.Breakpoints(gone, 2)
	_, keyless := table.Keyless(gone)
	_, unusable := table.Unusable(gone, ever)
	_, now := table.Now(gone)
	for i, err := range []error{of, count, points, keyless, unusable, now} {
		if !errors.Is(err, context.Canceled) || errors.Is(err, doc.ErrUnavailable) {
			r.Errorf("method %d: got %v, want %v", i, err, context.Canceled)
		}
	}
}

// The connections are killed while a fetch has its snapshot, and while they are
// idle.
func killed(r *run) {
	killer := r.db.(Killer)
	numbers := r.sink()
	table := r.mixedRows(numbers)
	kill := func() {
		if err := killer.Kill(); err != nil {
			r.Error(err)
		}
	}
	for _, w := range ways {
		kill()
		read := w.read(r.Context(), table, ever, oidsOf(numbered(9)))
		if read.err != nil && !errors.Is(read.err, doc.ErrUnavailable) {
			r.Errorf("%s on a dead connection: got %v, want %v or none", w.name, read.err, doc.ErrUnavailable)
		}
		if read := w.read(r.Context(), table, ever, oidsOf(numbered(9))); read.err != nil {
			r.Errorf("%s afterwards: got %v, want none", w.name, read.err)
		}
	}
	for _, w := range ways[:2] {
		numbers.after = func(doc.FetchSeq) { kill() }
		read := w.read(r.Context(), table, ever, oidsOf(numbered(9)))
		if !errors.Is(read.err, doc.ErrUnavailable) || errors.Is(read.err, doc.ErrChangedResult) || len(read.rejects) > 0 {
			r.Errorf("%s: got %v and rejects %q, want %v", w.name, read.err, read.reasons(), doc.ErrUnavailable)
		}
		numbers.after = nil
		if open := numbers.fetches(); len(open) > 0 {
			r.Errorf("%s: got open fetches %v, want none", w.name, open)
		}
	}
	_, _ = table.Now(r.Context()) // may be the first use of another dead connection
	r.checkDeleted(table, "4 5 6 7 8 9", "1 2 3")
}

func locked(r *run) {
	locker := r.db.(Locker)
	r.exec("CREATE TABLE doc (id {int}, u {time})", "INSERT INTO doc VALUES (1, {@1})")
	lock := func() (unlock func()) {
		end, err := locker.Lock()
		if err != nil {
			r.Fatal(err)
		}
		return func() {
			if err := end(); err != nil {
				r.Fatal(err)
			}
		}
	}
	unlock := lock()
	if _, err := r.describe(Config{}); !errors.Is(err, doc.ErrUnavailable) {
		r.Errorf("got %v when the table is described, want %v", err, doc.ErrUnavailable)
	}
	unlock()
	table := r.open(Config{Numbers: r.sink()})
	unlock = lock()
	for _, w := range []way{ways[0], ways[4]} {
		read := w.read(r.Context(), table, ever, []doc.OID{oid(1)})
		if !errors.Is(read.err, doc.ErrUnavailable) || errors.Is(read.err, doc.ErrLocked) != r.h.Facts.TableLocks || read.rows() > 0 || strings.Contains(fmt.Sprint(read.err), "\n") {
			r.Errorf("%s: got %d rows, %v, want %v", w.name, read.rows(), read.err, doc.ErrUnavailable)
		}
	}
	unlock()
	r.agree(table, oid(1))
}
