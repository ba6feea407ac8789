package move

import (
	"maps"
	"slices"
	"sync"

	"indexerd/internal/base/doc"
)

// maxKeys is how many keys a Recorder has: 10 to 20 MB.
const maxKeys = 100_000

// A Recorder has the keys of pages that are written while they are copied. It records
// nothing before Start. Its methods are safe for concurrent use.
//
// Note a key when its write has returned, also with an error, which may have written it.
// A key that is noted before its write can be copied between the two, as it was before.
type Recorder struct {
	mu      sync.Mutex
	on      bool
	keys    map[doc.OID]struct{}
	forgets bool // there were more than maxKeys
}

// Start begins to record, from nothing.
func (r *Recorder) Start() { r.set(true) }

// Stop ends recording and forgets all keys.
func (r *Recorder) Stop() { r.set(false) }

func (r *Recorder) set(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on, r.keys, r.forgets = on, map[doc.OID]struct{}{}, false
}

// Note records keys.
func (r *Recorder) Note(keys ...doc.OID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.on || r.forgets {
		return
	}
	for _, k := range keys {
		r.keys[k] = struct{}{}
	}
	if len(r.keys) > maxKeys {
		r.keys, r.forgets = map[doc.OID]struct{}{}, true
	}
}

// forget makes the recorder incomplete until the next take.
func (r *Recorder) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys, r.forgets = map[doc.OID]struct{}{}, true
}

func (r *Recorder) incomplete() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.forgets
}

// few reports whether there are at most n keys.
func (r *Recorder) few(n int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.forgets && len(r.keys) <= n
}

// take returns the keys since the last take, and reports false if there were too many:
// then any page may have been written.
func (r *Recorder) take() (keys []doc.OID, complete bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	keys, complete = slices.Collect(maps.Keys(r.keys)), !r.forgets
	r.keys, r.forgets = map[doc.OID]struct{}{}, false
	return keys, complete
}
