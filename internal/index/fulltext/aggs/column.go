package aggs

import (
	"math"
	"slices"

	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A column reads the values of one field. A value has a key: a keyword its number in
// order of appearance, and everything else the bits of its query.BucketValue.Number.
type column struct {
	field   schema.Field
	name    string // in the index
	ids     map[string]uint64
	texts   []string
	values  []uint64       // keys of the values of the current document, each once
	numbers numbers.Column // of the current part, if its documents have a number at most
}

// open opens the numbers of a part. Without them the terms of each document are added.
func (c *column) open(p *plan.Part) error {
	c.numbers = numbers.Column{}
	if c.field.Type != schema.Number && c.field.Type != schema.Date {
		return nil
	}
	if numbers, err := p.Column(c.name); err != nil || !numbers.Several() {
		c.numbers = numbers
		return err
	}
	return nil
}

// read sets the values to those of a document, if the part has numbers.
func (c *column) read(doc uint32) {
	c.values = c.values[:0]
	if !c.numbers.Has() {
		return
	}
	if n, ok := c.numbers.Least(doc); ok {
		c.values = append(c.values, math.Float64bits(c.field.Type.OfNumber(n)))
	}
}

func newColumn(f schema.Field) *column {
	return &column{field: f, name: schema.MetadataField(f.Name), ids: map[string]uint64{}}
}

// add adds a value of the current document. It returns the memory of a new text.
func (c *column) add(term []byte) (grown int, err error) {
	key, grown, err := c.keyOf(term)
	if err == nil && !slices.Contains(c.values, key) {
		c.values = append(c.values, key)
	}
	return grown, err
}

// keyOf returns the key of a term.
func (c *column) keyOf(term []byte) (key uint64, grown int, err error) {
	if c.field.Type != schema.Keyword {
		n, err := c.field.Type.Float(term)
		return math.Float64bits(n), 0, err
	}
	if id, known := c.ids[string(term)]; known {
		return id, 0, nil
	}
	text := string(term)
	key = uint64(len(c.texts))
	c.ids[text], c.texts = key, append(c.texts, text)
	return key, len(text) + order.ValueOverhead, nil
}

// value returns the value of a key.
func (c *column) value(key uint64) query.BucketValue {
	if c.field.Type == schema.Keyword {
		return query.BucketValue{Text: c.texts[key]}
	}
	return query.BucketValue{Number: math.Float64frombits(key)}
}

// find returns the key of a value; false if no value had it yet.
func (c *column) find(v query.BucketValue) (uint64, bool) {
	if c.field.Type == schema.Keyword {
		key, known := c.ids[v.Text]
		return key, known
	}
	return math.Float64bits(v.Number), true
}
