package fulltext

import (
	"strconv"

	"indexerd/internal/index/query"
)

// behindAll is greater than every key: the first byte of a key is its kind.
const behindAll = "\xff"

// at returns the candidate at a place.
func (o *order) at(s *Schema, p query.Place) (*candidate, error) {
	if len(p.Values) != len(o.sorts) {
		return nil, query.Errorf("write the sort values of the last hit", "a place has %d values and the search %d sorts", len(p.Values), len(o.sorts))
	}
	c := &candidate{keys: make([]key, len(o.sorts)), id: string(p.OID)}
	if c.id == "" {
		c.id = behindAll
	}
	for i, v := range p.Values {
		var err error
		switch {
		case o.fields[i] == "":
			if c.score, err = strconv.ParseFloat(v.Text, 64); err != nil {
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
func termOf(s *Schema, field, text string) (key, error) {
	f, err := s.Field(field)
	if err != nil {
		return key{}, err
	}
	terms, err := f.value(text)
	return key{true, []byte(terms.min)}, err
}

// compiled returns the sorts for other engines.
func (o *order) compiled() (sorts []CompiledSort) {
	for i, by := range o.sorts {
		sort := CompiledSort{Descending: by.Descending, Type: Type(o.types[i]), First: by.First, Missing: string(o.absent[i].term), Pick: by.Pick}
		if o.fields[i] != "" {
			sort.Field = exported(o.fields[i])
		}
		sorts = append(sorts, sort)
	}
	return sorts
}

// compiled returns the place of a candidate for other engines.
func (c *candidate) compiled(p query.Place) *CompiledPlace {
	place := &CompiledPlace{Score: c.score, Terms: make([]*string, len(c.keys)), OID: p.OID}
	for i, k := range c.keys {
		if term := string(k.term); k.present {
			place.Terms[i] = &term
		}
	}
	return place
}
