package stored

import (
	"net/http"

	"indexerd/configs"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/serve/database"
	"indexerd/store/bloom"
)

// Connections are those to the servers of two daemons. The simulation replaces them.
type Connections struct {
	Database func(configs.Source) database.Database
	Index    *http.Client
	Pages    pagetable.Store
	Filter   func(key string, size bloom.Size) (pagetable.Filter, func() error, error)
}

// client returns the client of the cluster.
func (s *Table) client() *http.Client {
	if s.Over != nil {
		return s.Over.Index
	}
	return httpClient(s.Config.Index)
}

// ConnectOver makes the store of pages that of the connections.
func (p *PageStore) ConnectOver(over *Connections) {
	if over != nil {
		p.open = func() (pagetable.Store, error) { return over.Pages, nil }
	}
}

// openFilter opens the filter before the pages. close ends its connection.
func (s *Table) openFilter(size bloom.Size) (f pagetable.Filter, close func() error, err error) {
	key := s.Config.Bloom.Key + ":" + s.Conf.Name
	switch {
	case s.Config.Bloom.Engine == configs.Local:
		return bloom.NewLocal(size), func() error { return nil }, nil
	case s.Over != nil:
		return s.Over.Filter(key, size)
	}
	r, err := bloom.OpenRedis(s.Config.Bloom.Address(), key, size)
	if err != nil {
		return nil, nil, err
	}
	return r, r.Close, nil
}
