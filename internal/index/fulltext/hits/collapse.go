package hits

import (
	"container/heap"
	"slices"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/order"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

// A collapse keeps the first match of each value of a field. Documents without a value
// are one group. It holds no more groups than hits are returned: a group that is left
// out comes back with a match that is better than all before.
type collapse struct {
	field   schema.Field
	name    string // in the index
	current group  // of the match being read
	groups  map[group]*order.Candidate
	of      map[*order.Candidate]group
}

// A group is the documents with one value.
type group struct {
	term    string
	present bool
}

// newCollapse checks the field of a request whose hits are collapsed.
func newCollapse(s *schema.Schema, req query.Request) (*collapse, error) {
	f, err := s.Field(req.Collapse)
	switch {
	case err != nil:
		return nil, err
	case f.Type != schema.Keyword && f.Type != schema.Number:
		return nil, query.Errorf("use a keyword or a number", "hits are not collapsed by field %s: it is a %s", query.Shorten(req.Collapse), f.Type)
	case req.Tuned:
		return nil, query.Errorf("leave relevance out, or write plain", "hits are not collapsed with relevance tuned")
	case (req.After != "" || req.Behind != nil) && (len(req.Sort) != 1 || req.Sort[0].Field != req.Collapse):
		return nil, query.Errorf("sort by this field alone", "the hits after others are collapsed by field %s, and sorted by something else", query.Shorten(req.Collapse))
	}
	return &collapse{field: f, name: schema.MetadataField(f.Name), groups: map[group]*order.Candidate{}, of: map[*order.Candidate]group{}}, nil
}

// begin forgets the value of the match before.
func (c *collapse) begin() { c.current = group{} }

// addValue adds a value of the current match.
func (c *collapse) addValue(field string, term []byte) error {
	if field != c.name {
		return nil
	}
	if c.current.present && c.current.term != string(term) {
		return query.Errorf("collapse by a field with one value in each document", "hits are collapsed by a field that has several values in a document")
	}
	c.current = group{string(term), true}
	return nil
}

// add keeps a candidate as the first of the current group.
func (c *collapse) add(one *order.Candidate) {
	c.groups[c.current], c.of[one] = one, c.current
}

// keepFirst keeps the current match if it is the first of its group, and the group among
// the first.
func (c *collector) keepFirst() error {
	known := c.collapse.groups[c.collapse.current]
	switch {
	case known != nil:
		at, err := c.order.Compare(&c.current, known)
		if err != nil || at >= 0 {
			return err
		}
		c.replace(slices.Index(c.kept, known))
	case len(c.kept) < c.size:
		c.addBytes(c.current.Size() + order.ValueOverhead + len(c.collapse.current.term))
		one := c.current.Clone()
		c.collapse.add(one)
		heap.Push(c, one)
	default:
		at, err := c.order.Compare(&c.current, c.kept[0])
		if err != nil {
			return err
		}
		if c.more = true; at < 0 {
			c.replace(0)
		}
	}
	return c.err
}

// replace puts the current match, and its group, in the place of another one.
func (c *collector) replace(i int) {
	last := c.kept[i]
	group := c.collapse.of[last]
	c.addBytes(c.current.Size() - last.Size() + len(c.collapse.current.term) - len(group.term))
	delete(c.collapse.groups, group)
	delete(c.collapse.of, last)
	c.kept[i] = c.current.Clone()
	c.collapse.add(c.kept[i])
	heap.Fix(c, i)
}

// compiled returns the field by which the cluster collapses hits.
func (c *collapse) compiled() *compiled.Field {
	if c == nil {
		return nil
	}
	f := compiled.FieldOf(c.field)
	return &f
}
