package stamps

import (
	"bytes"
	"errors"
	"iter"
)

// overlay returns the newest record of each key of a memory and of older layers, in
// key order. It holds one block of each layer.
func overlay(newest iter.Seq[record], older layers) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		m := newMerge(older)
		for r := range newest {
			if !m.yieldBefore(r.key, yield) || !yield(r, nil) {
				return
			}
		}
		m.yieldBefore(nil, yield)
	}
}

// A merge reads one record of each key of several layers: the newest one, or with
// join, the joined one.
type merge struct {
	cursors []*cursor // newest first
	first   *cursor   // at the next record; nil until find is called
	join    bool
}

func newMerge(ls layers) *merge {
	m := &merge{}
	for _, l := range ls {
		m.cursors = append(m.cursors, &cursor{layer: l, passed: true})
	}
	return m
}

// yieldBefore yields the records before a key, or all if it is nil, and skips the
// record with this key. It returns false if the iteration ends.
func (m *merge) yieldBefore(key []byte, yield func(record, error) bool) bool {
	for {
		if err := m.find(); err != nil {
			yield(record{}, err)
			return false
		}
		order := -1
		if m.first != nil && key != nil {
			order = bytes.Compare(m.first.record.key, key)
		}
		switch {
		case m.first == nil || order > 0:
			return true
		case order < 0 && !yield(m.first.record, nil):
			return false
		}
		m.first.passed, m.first = true, nil
	}
}

// find sets first to the next record, or leaves it nil at the end.
func (m *merge) find() error {
	if m.first != nil {
		return nil
	}
	for _, c := range m.cursors {
		if c.passed {
			if err := c.advance(); err != nil {
				return err
			}
		}
		order := -1
		if m.first != nil && !c.end {
			order = bytes.Compare(c.record.key, m.first.record.key)
		}
		switch {
		case c.end || order > 0:
		case order < 0:
			m.first = c
		default:
			c.passed = true // a newer layer hides it, or has it joined
			if m.join {
				m.first.record.join(c.record)
			}
		}
	}
	return nil
}

// A cursor is at a record of a layer.
type cursor struct {
	layer
	record record
	passed bool
	end    bool

	reader blockReader
	next   int // block
	buf    []byte
}

// advance moves to the next record, or to the end.
func (c *cursor) advance() error {
	r, ok, err := c.reader.next()
	if err != nil {
		return c.fault(c.next-1, err)
	}
	if !ok {
		return c.enter()
	}
	c.set(r)
	return nil
}

// enter moves to the first record of the next block.
func (c *cursor) enter() (err error) {
	c.passed, c.end = false, c.next == len(c.blocks)
	if c.end {
		return nil
	}
	i := c.next
	c.next++
	if c.record.key != nil && string(c.record.key) >= c.blocks[i].first {
		return c.fault(i, errOrder)
	}
	if c.reader, c.buf, err = c.block(i, c.buf); err != nil {
		return err
	}
	r, ok, err := c.reader.next()
	if err != nil {
		return c.fault(i, err)
	}
	if !ok || string(r.key) != c.blocks[i].first {
		return c.fault(i, errors.New("first key differs from the index"))
	}
	c.set(r)
	return nil
}

func (c *cursor) set(r record) {
	if r.u < c.floor {
		r.u = gone
	}
	c.record, c.passed = r, false
}
