package order

import (
	"math"

	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/query"
)

// Places returns the places of the documents of a part, by the first value by which they are
// sorted. It returns nil if that is not a number, or if the part has no column of them.
func (o *Order) Places(p *plan.Part) (*numbers.Places, error) {
	if o.fields[0] == "" {
		return nil, nil
	}
	column, err := p.Column(o.fields[0])
	if err != nil || !column.Has() {
		return nil, err
	}
	by := o.sorts[0]
	places := &numbers.Places{Column: column, Greatest: by.Descending, Descending: by.Descending}
	if by.Pick != "" {
		places.Greatest = by.Pick == query.PickMax
	}
	var ok bool
	if places.Absent, ok = o.placeOf(key{}, places); !ok {
		return nil, nil
	}
	return places, nil
}

// PlaceOf returns the place of a candidate, false if its value is not a number.
func (o *Order) PlaceOf(c *Candidate, p *numbers.Places) (place uint64, ok bool) {
	return o.placeOf(c.keys[0], p)
}

func (o *Order) placeOf(k key, p *numbers.Places) (place uint64, ok bool) {
	if !k.present {
		k = o.absent[0]
	}
	switch {
	case k.present:
		n, ok := numbers.Of(k.term)
		return p.Of(n), ok
	case o.sorts[0].First:
		return 0, true
	}
	return math.MaxUint64, true
}

// Terms returns the field by whose terms candidates are sorted first: one comes before
// another if its first term does, or in descending order its last one, and those without
// terms are the last. It returns "" for another order.
func (o *Order) Terms() (field string, descending bool) { return o.terms(0) }

func (o *Order) terms(i int) (field string, descending bool) {
	by := o.sorts[i]
	if by.First || by.Missing != "" || by.Pick == query.PickMin && by.Descending || by.Pick == query.PickMax && !by.Descending {
		return "", false
	}
	return o.fields[i], by.Descending
}

// TieTerms returns the field by whose terms candidates with one place are sorted: one comes
// before another if its first term does, and those without terms are the last. It returns ""
// for another order.
func (o *Order) TieTerms() (field string) {
	if len(o.sorts) < 2 || o.sorts[1].Descending {
		return ""
	}
	field, _ = o.terms(1)
	return field
}
