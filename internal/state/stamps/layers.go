package stamps

import "slices"

// A layer is a run with a floor: records below it were pruned after the run was
// written. They count as removals, since they still hide their keys in older runs.
type layer struct {
	*run
	floor int64
}

// layers are the runs of a tree, the newest first.
type layers []layer

func (ls layers) hold() {
	for _, l := range ls {
		l.run.hold()
	}
}

func (ls layers) release() (err error) {
	for _, l := range ls {
		if releaseErr := l.run.release(); err == nil {
			err = releaseErr
		}
	}
	return err
}

// records returns the number of records, with all versions of a key.
func (ls layers) records() (n int64) {
	for _, l := range ls {
		n += l.run.records
	}
	return n
}

func (ls layers) bytes() (n int64) {
	for _, l := range ls {
		n += l.run.bytes()
	}
	return n
}

// mayHold returns false only for a key that no run has.
func (ls layers) mayHold(key []byte) bool {
	return slices.ContainsFunc(ls, func(l layer) bool { return l.run.mayHold(key) })
}

// get returns the newest version of a key, or its removal.
func (ls layers) get(key []byte) (record, bool, error) {
	for _, l := range ls {
		r, ok, err := l.run.get(key)
		if ok && r.u < l.floor {
			r.u = gone
		}
		if ok || err != nil {
			return r, ok, err
		}
	}
	return record{}, false, nil
}

func (ls layers) broken() bool {
	return slices.ContainsFunc(ls, func(l layer) bool { return l.run.broken.Load() })
}
