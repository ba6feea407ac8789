package sink

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/fakeworld"
)

// A history is what a table's writers and several passes do, and when.
type history struct {
	seed   uint64 // of how long each step takes
	writes []write
	passes [][]read
}

// A write changes a row, marks it deleted, or deletes it.
type write struct {
	at   time.Duration
	row  int
	kind string
}

// mark begins the titles of rows that are marked deleted.
const mark = "marked: "

// A read is one fetch of a pass, and what it finds is put or deleted.
type read struct {
	pause time.Duration
	rows  []int
}

func drawHistory(t *rapid.T) history {
	row := rapid.IntRange(0, 4)
	milliseconds := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.IntRange(0, 30).Draw(t, "ms")) * time.Millisecond
	})
	return history{
		seed: rapid.Uint64().Draw(t, "seed"),
		writes: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) write {
			return write{milliseconds.Draw(t, "at"), row.Draw(t, "row"), rapid.SampledFrom([]string{"put", "mark", "delete"}).Draw(t, "kind")}
		}), 0, 20).Draw(t, "writes"),
		passes: rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) read {
			return read{milliseconds.Draw(t, "pause"), rapid.SliceOfNDistinct(row, 1, 5, rapid.ID).Draw(t, "rows")}
		}), 0, 8), 2, 4).Draw(t, "passes"),
	}
}

// jitter makes each step take up to 9 ms.
func jitter(seed uint64) func(string) error {
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 0))
	return func(string) error {
		mu.Lock()
		d := time.Duration(r.IntN(10)) * time.Millisecond
		mu.Unlock()
		time.Sleep(d)
		return nil
	}
}

// A play is a history under way.
type play struct {
	*world
	sink  *Sink
	table *fakeworld.Table

	mu     sync.Mutex
	newest map[doc.OID]found
}

// A found is what a fetch found of a row.
type found struct {
	fetch doc.FetchSeq
	there bool
	title string
}

func (p *play) note(oid doc.OID, f found) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.newest[oid].fetch < f.fetch {
		p.newest[oid] = f
	}
}

// run plays the history and returns what is wrong in the end.
func (h history) run(ctx context.Context) error {
	p := &play{world: newWorld(), table: fakeworld.NewTable(100), newest: map[doc.OID]found{}}
	p.sink = p.start()
	p.table.Numbers = p.sink
	p.table.Before = jitter(h.seed)
	p.before(jitter(h.seed + 1))

	var acting sync.WaitGroup
	errs := make([]error, len(h.passes))
	for i, w := range h.writes {
		acting.Go(func() {
			time.Sleep(w.at)
			switch title := fmt.Sprintf("write %d", i); w.kind {
			case "put":
				p.table.Put(fakeworld.Key(w.row), title)
			case "mark":
				p.table.Put(fakeworld.Key(w.row), mark+title)
			case "delete":
				p.table.Delete(fakeworld.Key(w.row))
			}
		})
	}
	for i, reads := range h.passes {
		acting.Go(func() {
			for _, r := range reads {
				time.Sleep(r.pause)
				if errs[i] = p.read(ctx, r.rows); errs[i] != nil {
					return
				}
			}
		})
	}
	acting.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return p.check()
}

// read is what a pass does with some rows.
func (p *play) read(ctx context.Context, rows []int) error {
	var oids []doc.OID
	for _, n := range rows {
		oids = append(oids, fakeworld.Key(n))
	}
	for batch, err := range p.table.Docs(ctx, oids) {
		if err != nil {
			return err
		}
		there := map[doc.OID]bool{}
		docs := batch.Docs
		batch.Docs = nil
		for _, d := range docs {
			there[d.OID] = true
			value, _ := d.Row.Get("title")
			if title := doc.FormatText(value); strings.HasPrefix(title, mark) {
				batch.Deleted = append(batch.Deleted, d.OID)
				p.note(d.OID, found{fetch: batch.Fetch})
			} else {
				batch.Docs = append(batch.Docs, d)
				p.note(d.OID, found{batch.Fetch, true, title})
			}
		}
		if _, err := p.sink.Put(ctx, batch); err != nil {
			return err
		}
		for _, oid := range oids {
			if there[oid] {
				continue
			}
			p.note(oid, found{fetch: batch.Fetch})
			if err := p.remove(ctx, oid, batch.Fetch); err != nil {
				return err
			}
		}
	}
	return nil
}

// remove removes whatever older fetches put of a row, as long as they do.
func (p *play) remove(ctx context.Context, oid doc.OID, fetch doc.FetchSeq) error {
	for range 100 {
		page, ok := p.pages.Page(oid)
		if ok && page.Fetch > fetch {
			return nil
		}
		stamp := page.Stamp
		stamp.OID = oid
		if _, err := p.sink.Delete(ctx, []doc.Stamp{stamp}, fetch, 1); err != nil {
			return err
		}
		if _, ok := p.pages.Page(oid); !ok {
			return nil
		}
	}
	return fmt.Errorf("row %v can't be removed", oid)
}

// check compares what is stored of each row with what its newest fetch found.
func (p *play) check() error {
	titles := p.index.Titles()
	for oid, want := range p.newest {
		title, indexed := titles[oid]
		page, paged := p.pages.Page(oid)
		d, _ := p.index.Doc(oid)
		switch {
		case indexed != want.there || title != want.title:
			return fmt.Errorf("row %v: the index has %q (%t), the newest fetch, %d, found %q (%t)", oid, title, indexed, want.fetch, want.title, want.there)
		case paged != want.there:
			return fmt.Errorf("row %v: there is a page: %t, want %t", oid, paged, want.there)
		case paged && (page.Fetch != want.fetch || page.V != d.V):
			return fmt.Errorf("row %v: the page is of fetch %d and version %d, want %d and %d", oid, page.Fetch, page.V, want.fetch, d.V)
		}
	}
	if len(p.sink.absent)+len(p.sink.held)+len(p.sink.inFlight) > 0 {
		return fmt.Errorf("when nothing is in flight: remembered %v, held %v, in flight %v", p.sink.absent, p.sink.held, p.sink.inFlight)
	}
	return nil
}

// For any interleaving of passes, each row ends as its newest fetch found it.
func TestInterleavedPassesEndWithTheNewestFetch(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := drawHistory(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = h.run(t.Context()) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}
