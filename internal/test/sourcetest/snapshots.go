package sourcetest

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync/atomic"

	"indexerd/internal/base/doc"
)

var snapshotBehaviours = []behaviour{
	{"a fetch shows what was committed before its number, and nothing later", false, numberIsSnapshot},
	{"every document carries the number and the time of its fetch", false, documentsCarryFetch},
	{"a fetch is open while its batch is handled, and ends however the reading ends", false, fetchesEnd},
	{"a number that is refused is the error", false, refusedNumber},
	{"a batch is of one snapshot with its children and marks", false, batchIsSnapshot},
}

func numberIsSnapshot(r *run) {
	numbers := r.sink()
	table := r.rows(shape{key: []string{"{int}"}, children: true, config: Config{Numbers: numbers}})
	next := 0
	put := func(doc.FetchSeq) {
		next++
		r.put(table, row(next, "text"))
	}
	numbers.before, numbers.after = put, put // odd rows come before, even ones after
	keys := oidsOf(numbered(9))
	for i, w := range []way{ways[0], ways[1], ways[0], ways[1]} {
		read := w.read(r.Context(), table, ever, keys)
		if want := printed(keys[:2*i+1]); read.err != nil || read.keys() != want {
			r.Errorf("%s: got %s, %v, want %s", w.name, read.keys(), read.err, want)
		}
	}
}

func documentsCarryFetch(r *run) {
	numbers := r.sink()
	table := r.rows(shape{key: []string{"{int}"}, config: Config{Batch: 3, Numbers: numbers}}, numbered(8)...)
	last := doc.FetchSeq(0)
	for _, w := range []way{ways[0], ways[1], ways[0]} {
		before, err := table.Now(r.Context())
		read := w.read(r.Context(), table, ever, oidsOf(numbered(8)))
		if err != nil || read.err != nil || len(read.batches) < 3 {
			r.Fatalf("%s: got %d batches, %v, %v, want 3", w.name, len(read.batches), err, read.err)
		}
		times := map[doc.FetchSeq]string{}
		for i, b := range read.batches {
			if b.Fetch < last || i == 0 && b.Fetch == last || b.At.Before(before) {
				r.Errorf("%s: got batch %d of fetch %d at %v, want it after fetch %d and %v", w.name, i, b.Fetch, b.At, last, before)
			}
			last = b.Fetch
			if at := times[b.Fetch]; at != "" && at != b.At.String() {
				r.Errorf("%s: got the times %s and %v of fetch %d, want one", w.name, at, b.At, b.Fetch)
			}
			times[b.Fetch] = b.At.String()
			for _, d := range b.Docs {
				if d.Fetch != b.Fetch || !d.Fetched.Equal(b.At) {
					r.Errorf("%s: got %v of fetch %d at %v, want %d at %v", w.name, d.OID, d.Fetch, d.Fetched, b.Fetch, b.At)
				}
			}
		}
	}
	if last != numbers.last {
		r.Errorf("got the last fetch %d of %d", last, numbers.last)
	}
}

func fetchesEnd(r *run) {
	numbers := r.sink()
	table := r.mixedRows(numbers)
	broken := errors.New("broken")
	for name, batches := range map[string]func(func(doc.Batch, error) bool){
		"Range": table.Range(r.Context(), all), "Docs": table.Docs(r.Context(), oidsOf(numbered(9))),
	} {
		for b, err := range batches {
			if open := numbers.fetches(); err != nil || len(open) != 1 || open[0] != b.Fetch {
				r.Errorf("%s: got open fetches %v while a batch of fetch %d is handled, %v", name, open, b.Fetch, err)
			}
		}
		func() {
			defer func() {
				if recover() != broken {
					r.Errorf("%s: got another panic, want the caller's", name)
				}
			}()
			batches(func(doc.Batch, error) bool { panic(broken) })
		}()
		if open := numbers.fetches(); len(open) > 0 {
			r.Errorf("%s: got open fetches %v after it ended, want none", name, open)
		}
	}
	r.checkDeleted(table, "4 5 6 7 8 9", "1 2 3")
}

func refusedNumber(r *run) {
	numbers := r.sink()
	table := r.mixedRows(numbers)
	numbers.refuse = errors.New("no number left")
	for _, w := range ways[:2] {
		if read := w.read(r.Context(), table, ever, []doc.OID{oid(1)}); !errors.Is(read.err, numbers.refuse) || errors.Is(read.err, doc.ErrUnavailable) || read.pages > 0 {
			r.Errorf("%s: got %d batches, %v, want %v", w.name, read.pages, read.err, numbers.refuse)
		}
	}
	numbers.refuse = nil
	r.checkDeleted(table, "4 5 6 7 8 9", "1 2 3")
}

var stateName = regexp.MustCompile(`state \d+`)

// A writer puts all rows and their children into the next state in one
// transaction, again and again. The marks move with the state.
func batchIsSnapshot(r *run) {
	const rows = 6
	table := r.rows(shape{key: marked.key, children: true, marks: true})
	state := func(n int) (all []Row) {
		for i := range rows {
			name := fmt.Sprintf("state %d", n)
			all = append(all, Row{Key: []any{int64(i)}, Text: name, Updated: at(1), Marked: (i+n)%3 == 0, Children: []string{name, name}})
		}
		return all
	}
	r.put(table, state(0)...)
	var end atomic.Bool
	done := make(chan error)
	go func() {
		var err error
		for n := 1; err == nil && !end.Load(); n++ {
			err = table.Put(state(n)...)
		}
		done <- err
	}()
	keys := oidsOf(state(0))
	seen := map[string]bool{}
	for i := 0; i < 60 || i < 100_000 && len(seen) < 3; i++ {
		for _, w := range ways[:2] {
			read := w.read(r.Context(), table, ever, keys)
			if errors.Is(read.err, doc.ErrUnavailable) {
				continue // the writer may lock the table
			}
			if read.err != nil {
				r.Fatal(read.err)
			}
			for _, b := range read.batches {
				r.checkState(w.name, b, seen)
			}
		}
	}
	end.Store(true)
	if err := <-done; err != nil {
		r.Error(err)
	}
	if len(seen) < 2 {
		r.Errorf("got the states %v, want several", slices.Sorted(maps.Keys(seen)))
	}
}

// checkState checks that the texts and marks of a batch are of one state.
func (r *run) checkState(way string, b doc.Batch, seen map[string]bool) {
	r.Helper()
	states := map[string]bool{}
	var n int
	for _, d := range b.Docs {
		for _, name := range stateName.FindAllString(body(r, d), -1) {
			states[name], seen[name] = true, true
			_, _ = fmt.Sscanf(name, "state %d", &n)
		}
	}
	if len(states) != 1 || len(b.Docs) != 4 {
		r.Errorf("%s: got %d documents of the states %v in a batch, want 4 of one", way, len(b.Docs), states)
	}
	for _, o := range b.Deleted {
		parts, err := o.Parts()
		if err != nil || way == "Docs" && (parts[0].(int64)+int64(n))%3 != 0 {
			r.Errorf("%s: got %v deleted in state %d, %v, want the marks of the documents' state", way, o, n, err)
		}
	}
}
