package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/doc"
)

// A pageOperation is what a fault falls into.
type pageOperation struct {
	name     string
	before   func(*mishap) error // what is there when it begins
	run      func(*mishap) error
	compacts bool
}

var pageOperations = []pageOperation{
	{name: "put", before: (*mishap).someFill, run: (*mishap).puts},
	{name: "grow", before: (*mishap).nothing, run: (*mishap).grows},
	{name: "compaction", before: (*mishap).fills, run: (*mishap).compacts, compacts: true},
	{name: "reopen", before: (*mishap).fills, run: (*mishap).reopens},
}

// prepare returns what is to be copied for each run.
func (op pageOperation) prepare(t *testing.T) *mishap {
	t.Helper()
	base := newMishap(t, op, pageFault{}, 0, nil)
	if err := op.before(base); err != nil {
		t.Fatal(err)
	}
	return base
}

// writes puts pages, with bodies of some hundred bytes as never before.
func (m *mishap) writes(numbers ...int) error {
	m.round++
	m.pending = m.known.clone()
	var pages []doc.Page
	for _, n := range numbers {
		pages = append(pages, testPage(n, fmt.Sprintf("%d of round %d %s", n, m.round, strings.Repeat("x", 100+n%7*50))))
		m.pending.put(0, pages[len(pages)-1])
	}
	return m.acknowledged(m.m.Put(pages))
}

func (m *mishap) removes(numbers ...int) error {
	m.pending = m.known.clone()
	var oids []doc.OID
	for _, n := range numbers {
		oids = append(oids, testOID(n))
		m.pending.delete(0, oids[len(oids)-1])
	}
	return m.acknowledged(m.m.Delete(oids))
}

func (m *mishap) acknowledged(err error) error {
	if err == nil {
		m.known = m.pending
	}
	return err
}

func (m *mishap) nothing() error { return nil }

func (m *mishap) someFill() error { return m.writes(upTo(8)...) }

// fills leaves several segments of which the first are closed.
func (m *mishap) fills() error {
	return first(
		func() error { return m.writes(upTo(12)...) },
		func() error { return m.writes(upTo(24)[12:]...) },
		func() error { return m.writes(upTo(30)[20:]...) },
		m.m.Sync,
	)
}

// puts replaces pages and adds some, over the ends of segments.
func (m *mishap) puts() error {
	for round := range 4 {
		if err := m.writes(upTo(6 + 4*round)[2*round:]...); err != nil {
			return err
		}
	}
	return m.m.Sync()
}

// grows puts pages whose slots lie in two shards only, so that each is made
// larger some times, and saves them each time.
func (m *mishap) grows() error {
	var crowded []int
	for n := 0; len(crowded) < 36; n++ {
		if m.m.Family(0).hash(testOID(n))%shardCount < 2 {
			crowded = append(crowded, n)
		}
	}
	for batch := range slices.Chunk(crowded, 12) {
		if err := first(func() error { return m.writes(batch...) }, m.m.Sync); err != nil {
			return err
		}
	}
	return nil
}

// compacts removes and replaces pages until segments are rewritten: first by the
// keeper's round, then all of them.
func (m *mishap) compacts() error {
	compaction := func(compact func(context.Context) error) func() error {
		return func() error {
			m.compacting = true
			defer func() { m.compacting = false }()
			return compact(context.Background())
		}
	}
	return first(
		func() error { return m.removes(upTo(9)...) },
		func() error { return m.writes(upTo(18)[9:]...) },
		compaction(m.m.tend),
		func() error { return m.removes(10, 20, 25) },
		func() error { return m.writes(1, 25) },
		compaction(m.m.Compact),
	)
}

// reopens ends a map and opens it, with an address.idx and without.
func (m *mishap) reopens() error {
	return first(
		func() error { return m.removes(3, 4) },
		func() error { return m.writes(5) },
		func() error { return m.m.Close() },
		m.open,
		func() error { return m.writes(6) },
		m.open, // as after a kill
	)
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// first runs steps until one fails.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
