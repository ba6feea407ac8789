package segment

import (
	"slices"

	index "github.com/blevesearch/bleve_index_api"
)

// addValues appends the terms of the next row, at one position after another.
func (w *words) addValues(terms []string) {
	first := w.total
	w.pos = 0
	for i, t := range terms {
		w.token = append(w.token[:0], t...)
		w.occur(w.find(w.token), i+1)
	}
	w.endRow(first)
}

// writeValues writes a field of exact terms, with docvalues and perhaps a column.
func (b *builder) writeValues(f *builtField, docs int) error {
	w := f.values
	w.order()
	b.docTerms = slices.Grow(b.docTerms[:0], docs)[:docs]
	for i := range b.docTerms {
		b.docTerms[i] = b.docTerms[i][:0]
	}
	var err error
	if w.places.isNarrow {
		err = writeExact(b, w, w.places.narrow, docs)
	} else {
		err = writeExact(b, w, w.places.wide, docs)
	}
	if err != nil {
		return err
	}
	return b.finishField(&f.field, docs, func(add addTerms) error {
		for doc, terms := range b.docTerms {
			if len(terms) > 0 {
				add(doc, terms)
			}
		}
		return nil
	})
}

// writeExact writes exact terms, whose places are all, and adds them to docTerms.
func writeExact[P place](b *builder, w *words, all []P, docs int) error {
	from := uint32(0)
	for _, t := range w.sorted {
		p := placesOf[P]{all[from:t.end], w.places.shift}
		from = t.end
		term := w.text(t.id)
		b.list.start(p.docs(), docs)
		for i := range p.places {
			doc := p.doc(i)
			if i > 0 && doc == p.doc(i-1) {
				continue // a value twice means no more than once
			}
			b.list.add(doc)
			b.list.tf = append(b.list.tf, 0) // no frequency
			b.docTerms[doc] = append(append(b.docTerms[doc], term...), index.DocValueTermSeparator)
		}
		if err := b.dict.Insert(term, b.writeList()); err != nil {
			return err
		}
	}
	return nil
}
