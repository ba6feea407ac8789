package order

import (
	"strconv"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// behindAll is greater than every key: the first byte of a key is its kind.
const behindAll = "\xff"

// At returns the candidate at a place.
func (o *Order) At(s *schema.Schema, p query.Place) (*Candidate, error) {
	if len(p.Values) != len(o.sorts) {
		return nil, query.Errorf("write the sort values of the last hit", "a place has %d values and the search %d sorts", len(p.Values), len(o.sorts))
	}
	c := &Candidate{keys: make([]key, len(o.sorts)), ID: string(p.OID)}
	if c.ID == "" {
		c.ID = behindAll
	}
	for i, v := range p.Values {
		var err error
		switch {
		case o.fields[i] == "":
			if c.Score, err = strconv.ParseFloat(v.Text, 64); err != nil {
				err = query.Errorf("write the score of the last hit", "score %s is not a number", query.Shorten(v.Text))
			}
		case v.Type != "":
			c.keys[i], err = termOf(s, o.sorts[i].Field, v.Text)
		}
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

// termOf returns the key that a text is in a field.
func termOf(s *schema.Schema, field, text string) (key, error) {
	f, err := s.Field(field)
	if err != nil {
		return key{}, err
	}
	terms, err := f.Value(text)
	return key{true, []byte(terms.Min)}, err
}

// Compiled returns the sorts for other engines.
func (o *Order) Compiled() (sorts []compiled.Sort) {
	for i, by := range o.sorts {
		sort := compiled.Sort{Descending: by.Descending, Type: schema.Type(o.types[i]), First: by.First, Missing: string(o.absent[i].term), Pick: by.Pick}
		if o.fields[i] != "" {
			sort.Field = schema.Exported(o.fields[i])
		}
		sorts = append(sorts, sort)
	}
	return sorts
}

// Compiled returns the place of a candidate for other engines.
func (c *Candidate) Compiled(p query.Place) *compiled.Place {
	place := &compiled.Place{Score: c.Score, Terms: make([]*string, len(c.keys)), OID: p.OID}
	for i, k := range c.keys {
		if term := string(k.term); k.present {
			place.Terms[i] = &term
		}
	}
	return place
}
