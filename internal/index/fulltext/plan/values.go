package plan

import (
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/index/fulltext/numbers"
)

// Values read the values of some fields, one document after another: from columns where a
// segment has them, else from docvalues. One goroutine uses them at a time.
type Values struct {
	s       *Session
	fields  []string
	part    *Part         // whose fields are open
	columns []valueColumn // of the part
	rest    index.DocValueReader
	term    []byte
}

// A valueColumn is a field that has a column in a part.
type valueColumn struct {
	numbers.Column
	field string
	all   index.DocValueReader // nil while no document has several numbers
}

// Values returns the values of fields, each of which is listed once.
func (s *Session) Values(fields []string) *Values { return &Values{s: s, fields: fields} }

// Visit calls f with the terms of a document. A term is valid until f returns.
func (v *Values) Visit(p *Part, doc uint32, f func(field string, term []byte)) error {
	if p != v.part {
		if err := v.open(p); err != nil {
			return err
		}
	}
	for i := range v.columns {
		c := &v.columns[i]
		n, ok := c.Least(doc)
		if !ok {
			continue
		}
		if c.Several() {
			if greatest, _ := c.Greatest(doc); n != greatest {
				if err := v.visitSeveral(c, doc, f); err != nil {
					return err
				}
				continue
			}
		}
		v.term = numbers.Append(v.term[:0], n)
		f(c.field, v.term)
	}
	if v.rest == nil {
		return nil
	}
	return v.rest.VisitDocValues(p.ID(doc), f)
}

// open opens the fields of a part.
func (v *Values) open(p *Part) (err error) {
	v.part, v.columns, v.rest = p, v.columns[:0], nil
	var rest []string
	for _, field := range v.fields {
		c, err := p.Column(field)
		if err != nil {
			return err
		}
		if c.Has() {
			v.columns = append(v.columns, valueColumn{Column: c, field: field})
		} else {
			rest = append(rest, field)
		}
	}
	if len(rest) > 0 {
		v.rest, err = v.s.Reader.DocValueReader(rest)
	}
	return err
}

// visitSeveral calls f with the numbers of a document that has several.
func (v *Values) visitSeveral(c *valueColumn, doc uint32, f func(field string, term []byte)) (err error) {
	if c.all == nil {
		if c.all, err = v.s.Reader.DocValueReader([]string{c.field}); err != nil {
			return err
		}
	}
	return c.all.VisitDocValues(v.part.ID(doc), f)
}
