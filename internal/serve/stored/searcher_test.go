package stored

import (
	"maps"
	"testing"

	"indexerd/configs"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// Boosts, the parameters of the score and the title are the file's, whatever the index was
// built with.
func TestOptionsReachTheSearcher(t *testing.T) {
	s := Table{
		Conf:   configs.Table{Name: "film", Title: title.Default([]string{"title"}), Content: configs.Content{Boosts: []configs.Boost{{Field: "title", Factor: 3}, {Field: "actors", Factor: 0.5}}, BM25: query.BM25{K1: 2, B: 0.1}}},
		opened: opened{built: schema.Mapping{Content: []string{"title"}}},
	}
	if got, want := s.newSearcher().Boosts, map[string]float64{"title": 3, "actors": 0.5}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := *s.newSearcher().BM25, s.Conf.Content.BM25; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := s.newSearcher().Title.String(), "title"; got != want {
		t.Errorf("got the title %s, want %s", got, want)
	}
}
