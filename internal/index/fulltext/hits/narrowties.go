package hits

import (
	"cmp"
	"slices"

	"indexerd/internal/index/fulltext/segment"
)

// Many matches may have the number of the last of the first hits. If their keywords decide,
// the terms of the parts tell which of them are among the first, so that the docvalues of the
// others are not read.

// tied are matches of a part that have the number of the last of the first hits.
type tied struct {
	*narrowed
	before segment.Bits // matches whose number comes before
	rest   segment.Bits // those with the number whose terms were not read
	first  segment.Bits // those with the number that have the first terms
	all    bool         // no other document has one of the first terms
}

// narrowTies leaves out matches with the place last whose terms are behind those of the first
// matches of all parts.
func (c *collector) narrowTies(with []*narrowed, last uint64) error {
	field := c.order.TieTerms()
	if field == "" || c.after != nil {
		return nil
	}
	want, ties, parts := c.size+1, 0, make([]*tied, 0, len(with))
	for _, f := range with {
		column, err := f.Part.Column(field)
		if err != nil || column.Has() {
			return err
		}
		t := divide(f, last)
		want -= f.Count - t.rest.Count()
		ties += t.rest.Count()
		parts = append(parts, t)
	}
	if want <= 0 || ties <= 2*want {
		return nil
	}
	first := firstTerms{want: want, most: c.limits.Bytes}
	for _, t := range parts {
		if err := t.read(field, &first, c.limits.Terms); err != nil {
			return err
		}
	}
	if !first.full() {
		return nil // those without a term are among the first
	}
	for _, t := range parts {
		if t.all {
			t.first.Or(t.before)
			t.keepOnly(t.first)
		}
	}
	return nil
}

// divide divides the matches of a part into those before the place last and those at it.
func divide(f *narrowed, last uint64) *tied {
	docs := f.Part.Docs()
	t := &tied{narrowed: f, before: segment.NewBits(docs), rest: segment.NewBits(docs), first: segment.NewBits(docs)}
	f.places.UpTo(f.Docs, &last, func(doc uint32, place uint64) {
		if place == last {
			t.rest.Set(doc)
		} else {
			t.before.Set(doc)
		}
	})
	return t
}

// firstTerms are the terms of the first matches with one number, in order.
type firstTerms struct {
	terms []string // one for each match
	want  int      // matches
	bytes int      // of the terms
	most  int      // bytes
}

func (f *firstTerms) full() bool { return len(f.terms) == f.want }

// add adds the term of so many matches, and reports whether the terms take few enough bytes.
func (f *firstTerms) add(term string, matches int) (few bool) {
	at, _ := slices.BinarySearch(f.terms, term)
	matches = min(matches, f.want-at)
	f.terms = slices.Insert(f.terms, at, slices.Repeat([]string{term}, matches)...)
	f.bytes += matches * len(term)
	for last := len(f.terms) - 1; last >= f.want; last-- {
		f.bytes -= len(f.terms[last])
		f.terms = f.terms[:last]
	}
	return f.bytes <= f.most
}

// read adds the terms of the part's matches to the first ones, in order, until there are as
// many as wanted and none of the others comes before them. It ends earlier if it has read so
// many terms for each chunk of docvalues that those take less, or if the terms are too long.
func (t *tied) read(field string, first *firstTerms, termsPerChunk int) error {
	matches := t.rest.Count()
	left := termsPerChunk * min(matches, t.Part.Docs()/segment.ValuesChunk+1)
	t.all = true
	if matches == 0 {
		return nil
	}
	with := segment.NewBits(t.Part.Docs())
	return t.Part.Each(field, "", "", func(term []byte, of segment.Postings) (more bool, err error) {
		if first.full() && string(term) > first.terms[first.want-1] {
			return false, nil
		}
		if left--; left < 0 {
			t.all = false
			return false, nil
		}
		n, err := of.CountIn(t.rest)
		if err = cmp.Or(err, t.Part.Deadline.Step()); n == 0 || err != nil {
			return err == nil, err
		}
		clear(with)
		if err := of.AddTo(with); err != nil {
			return false, err
		}
		with.And(t.rest)
		t.first.Or(with)
		t.rest.AndNot(with) // one with several terms counts once
		t.all = first.add(string(term), n)
		return t.all, nil
	})
}
