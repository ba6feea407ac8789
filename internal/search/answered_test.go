package search

import "context"

// answered is a search with all of its hits.
func answered(s *Searcher, p Params) (Answer, error) {
	r, err := s.Search(context.Background(), p)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{Table: r.Table, Total: r.Total, Hits: []Hit{}, Facets: r.Facets, Next: r.Next(r.Len)}
	for i := range r.Len {
		hit, err := r.Hit(context.Background(), i)
		if err != nil {
			return Answer{}, err
		}
		a.Hits = append(a.Hits, hit)
	}
	return a, nil
}
