package opensearch

import (
	"context"
	"encoding/json"
	"net/http"
)

// stores lists what documents of an index have beside the fields of searches.
type stores struct {
	columns bool            // under their names
	rest    bool            // of the row, in ix.row
	numbers bool            // what aggregations compute with
	shared  map[string]bool // columns whose words are indexed under their names only
}

// indexState is what the cluster reports of an index.
type indexState struct {
	Aliases  map[string]json.RawMessage `json:"aliases"`
	Mappings struct {
		Meta struct {
			Indexerd meta `json:"indexerd"`
		} `json:"_meta"`
		Source struct {
			Enabled *bool `json:"enabled"` // nil: true
		} `json:"_source"`
		Properties struct {
			Ix struct {
				Properties struct {
					Row     json.RawMessage `json:"row"`
					Numbers json.RawMessage `json:"numbers"`
					Words   struct {
						Properties map[string]struct {
							Type string `json:"type"`
						} `json:"properties"`
					} `json:"words"`
				} `json:"properties"`
			} `json:"ix"`
		} `json:"properties"`
	} `json:"mappings"`
	Settings struct {
		Index struct {
			UUID     string `json:"uuid"`
			Shards   string `json:"number_of_shards"`
			Refresh  string `json:"refresh_interval"`
			Translog struct {
				Durability string `json:"durability"`
			} `json:"translog"`
		} `json:"index"`
	} `json:"settings"`
}

func (s indexState) stores() stores {
	enabled, own := s.Mappings.Source.Enabled, s.Mappings.Properties.Ix.Properties
	shared := map[string]bool{}
	for name, field := range own.Words.Properties {
		shared[name] = field.Type == "alias"
	}
	return stores{columns: enabled == nil || *enabled, rest: own.Row != nil, numbers: own.Numbers != nil, shared: shared}
}

func (ix *Index) state(ctx context.Context) (indexState, error) {
	var answer map[string]indexState
	if err := ix.wire.ask(ctx, http.MethodGet, "/"+ix.name, nil, &answer); err != nil {
		return indexState{}, err
	}
	s, ok := answer[ix.name]
	if !ok {
		return indexState{}, ErrReplaced // an alias or index of that name leads to another one
	}
	return s, nil
}
