package stamps

import (
	"context"

	"indexerd/internal/doc"
	"indexerd/store/bloom"
)

// falsePositives is the share of keys that a run is asked for in vain. At 1 %
// a filter takes 1.2 bytes a key.
const falsePositives = 0.01

// A filter excludes most keys that a run does not have. nil excludes none.
type filter struct {
	local *bloom.Local
}

// newFilter makes a filter for n keys of at most a number of bytes, nil where
// they do not suffice: then the run itself is asked.
func newFilter(n, most int64) (*filter, error) {
	if n == 0 {
		return nil, nil
	}
	size, err := bloom.SizeFor(uint64(n), falsePositives)
	if err != nil || int64(size.Bits/8) > most {
		return nil, err
	}
	return &filter{bloom.NewLocal(size)}, nil
}

func (f *filter) add(keys []doc.OID) error {
	if f == nil {
		return nil
	}
	return f.local.Add(context.Background(), keys)
}

func (f *filter) mayHold(key []byte) bool {
	if f == nil {
		return true
	}
	maybe, err := f.local.Maybe(context.Background(), []doc.OID{doc.OID(key)})
	return err != nil || maybe[0]
}

func (f *filter) bytes() int64 {
	if f == nil {
		return 0
	}
	return int64(f.local.Size().Bits / 8)
}
