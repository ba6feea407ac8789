package segment

import (
	"math"

	"indexerd/internal/index/fulltext/numbers"
)

// The column of a field, if it has one, is between its docvalues and its record. zapx passes
// over it. Segments of earlier versions have no columns. A merge writes them again.

// Column returns the column of a field. The segment may have none.
func (r *Reader) Column(field string) (numbers.Column, error) {
	for _, f := range r.src.fields {
		if f.name == field {
			c, err := r.src.column(f)
			return c, r.src.name(err)
		}
	}
	return numbers.Column{}, nil
}

func (s *source) column(f field) (numbers.Column, error) {
	d := decoder{data: s.data, at: f.record}
	_, end := d.uvarint(), d.uvarint()
	if d.broken || end == math.MaxUint64 || end == f.record {
		return numbers.Column{}, nil
	}
	if end > f.record {
		return numbers.Column{}, errBroken
	}
	c, ok := numbers.OpenColumn(s.data[end:f.record], s.docs)
	if !ok {
		return numbers.Column{}, errBroken
	}
	return c, nil
}
