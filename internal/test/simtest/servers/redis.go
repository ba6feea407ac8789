package servers

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/store/bloom"
)

// A FilterServer is a Redis with filters. It models bloom.Redis: a filter belongs to a run
// of the server, and is lost after it. A filter has no false positives.
type FilterServer struct {
	// Excluded is called with each key that a filter surely does not have, and the process
	// that has asked.
	Excluded func(by string, key doc.OID)

	run     int
	tokens  int
	filters map[string]filter
	saved   map[string]filter // as of the last Save
}

// A filter is the state of one filter.
type filter struct {
	marker int // run of the server in which it has all keys; 0: none
	token  int // of the process that rebuilds it
	keys   map[doc.OID]bool
}

// NewFilterServer returns a Redis without filters.
func NewFilterServer() *FilterServer {
	return &FilterServer{run: 1, filters: map[string]filter{}, Excluded: func(string, doc.OID) {}}
}

// Save writes an RDB.
func (s *FilterServer) Save() {
	s.saved = map[string]filter{}
	for key, f := range s.filters {
		f.keys = maps.Clone(f.keys)
		s.saved[key] = f
	}
}

// Restart ends the server, and starts it from the last RDB.
func (s *FilterServer) Restart() {
	s.run++
	s.filters = map[string]filter{}
	for key, f := range s.saved {
		f.keys = maps.Clone(f.keys)
		s.filters[key] = f
	}
}

// Connect returns a filter as a process sees it.
func (s *FilterServer) Connect(by string, gate Gate, key string) *Filter {
	return &Filter{s, by, gate, key}
}

// A Filter is a pagetable.Filter.
type Filter struct {
	server *FilterServer
	by     string
	gate   Gate
	key    string
}

// Name implements pagetable.Filter.
func (f *Filter) Name() string { return f.key }

// change has the server change the filter, or read it. It returns an error if the server
// does not answer, or that of do.
func (f *Filter) change(ctx context.Context, request string, do func(now *filter) error) error {
	answers := make(chan error, 1) // do may run after a caller that has given up
	err := f.gate.Send(ctx, Redis, request, atOnce(func() {
		now := f.server.filters[f.key]
		if now.keys == nil {
			now.keys = map[doc.OID]bool{}
		}
		answers <- do(&now)
		f.server.filters[f.key] = now
	}))
	if err != nil {
		return err
	}
	return <-answers
}

func (f *Filter) lost(now *filter) error {
	if now.marker != f.server.run {
		return bloom.ErrLost
	}
	return nil
}

// Add implements pagetable.Filter.
func (f *Filter) Add(ctx context.Context, keys []doc.OID) error {
	keys = slices.Clone(keys)
	return f.change(ctx, fmt.Sprint("add ", keys), func(now *filter) error {
		for _, key := range keys {
			now.keys[key] = true
		}
		return f.lost(now)
	})
}

// Maybe implements pagetable.Filter.
func (f *Filter) Maybe(ctx context.Context, keys []doc.OID) ([]bool, error) {
	keys = slices.Clone(keys)
	found := make(chan []bool, 1)
	err := f.change(ctx, fmt.Sprint("maybe ", keys), func(now *filter) error {
		if err := f.lost(now); err != nil {
			return err
		}
		maybe := make([]bool, len(keys))
		for i, key := range keys {
			if maybe[i] = now.keys[key]; !maybe[i] {
				f.server.Excluded(f.by, key)
			}
		}
		found <- maybe
		return nil
	})
	if err != nil {
		return nil, err
	}
	return <-found, nil
}

// Rebuild implements pagetable.Filter.
func (f *Filter) Rebuild(ctx context.Context, keys iter.Seq2[[]doc.OID, error]) error {
	began := make(chan filter, 1)
	err := f.change(ctx, "begin", func(now *filter) error {
		f.server.tokens++
		now.marker, now.token = 0, f.server.tokens
		began <- filter{marker: f.server.run, token: now.token}
		return nil
	})
	if err != nil {
		return err
	}
	mine := <-began
	same := func(now *filter) error {
		if now.token != mine.token || f.server.run != mine.marker {
			return bloom.ErrLost
		}
		return nil
	}
	for batch, err := range keys {
		if err != nil {
			return err
		}
		batch = slices.Clone(batch)
		err := f.change(ctx, fmt.Sprint("list ", batch), func(now *filter) error {
			for _, key := range batch {
				now.keys[key] = true
			}
			return same(now)
		})
		if err != nil {
			return err
		}
	}
	return f.change(ctx, "finish", func(now *filter) error {
		if err := same(now); err != nil {
			return err
		}
		now.marker = mine.marker
		return nil
	})
}
