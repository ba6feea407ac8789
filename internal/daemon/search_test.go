package daemon

import (
	"maps"
	"testing"

	"indexerd/configs"
	"indexerd/internal/fulltext"
)

// Boosts are the file's, whatever the index was built with.
func TestBoostsReachTheSearcher(t *testing.T) {
	s := storage{
		conf:  configs.Table{Name: "film", Content: configs.Content{Boosts: []configs.Boost{{Field: "title", Factor: 3}, {Field: "actors", Factor: 0.5}}}},
		built: fulltext.Mapping{Content: []string{"title"}},
	}
	if got, want := s.newSearcher().Boosts, map[string]float64{"title": 3, "actors": 0.5}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
