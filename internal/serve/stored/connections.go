package daemon

import (
	"net/http"

	"indexerd/configs"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/serve/database"
	"indexerd/store/bloom"
)

// connections are those to the servers of two daemons. The simulation replaces them.
type connections struct {
	database func(configs.Source) database.Database
	index    *http.Client
	pages    pagetable.Store
	filter   func(key string, size bloom.Size) (pagetable.Filter, func() error, error)
}

// client returns the client of the cluster.
func (s *storage) client() *http.Client {
	if s.over != nil {
		return s.over.index
	}
	return httpClient(s.cfg.Index)
}

// connectOver makes the store of pages that of the connections.
func (p *pageStore) connectOver(over *connections) {
	if over != nil {
		p.open = func() (pagetable.Store, error) { return over.pages, nil }
	}
}

// openFilter opens the filter before the pages. close ends its connection.
func (s *storage) openFilter(size bloom.Size) (f pagetable.Filter, close func() error, err error) {
	key := s.cfg.Bloom.Key + ":" + s.conf.Name
	switch {
	case s.cfg.Bloom.Engine == configs.Local:
		return bloom.NewLocal(size), func() error { return nil }, nil
	case s.over != nil:
		return s.over.filter(key, size)
	}
	r, err := bloom.OpenRedis(s.cfg.Bloom.Address(), key, size)
	if err != nil {
		return nil, nil, err
	}
	return r, r.Close, nil
}
