// Package opensearch stores the full-text index of one table in an OpenSearch
// cluster. It is not yet offered by configs: children, dates, analyzers other than
// the cluster's own and searches are missing, and no pass has run on it.
//
// # Layout
//
// An index of the cluster is named PREFIX-gN, N its generation. A document's _id is
// the base64url of its OID, and its _version is its doc.Version, written with
// version_type external_gte: a write is never replaced by an older one, and a write
// that is sent twice is accepted twice. The fields of a document are
//
//	NAME    a content or metadata column, as _source has it
//	ix.key  the OID in hex, whose order is key order
//
// The mapping is strict. Its _meta.indexerd names the owner (a data directory), the
// generation, and the fingerprint of the mapping.
//
// # Guarantees
//
// Apply returns nil when every document is durable on all copies in sync
// (translog.durability is request). It looks at the answer of each item:
//
//	done      2xx; 404 of a delete; 409 if the index has the version, or nothing to
//	          delete. Any other 409 is ErrNewer
//	refused   400: Apply names the documents, and writes all others
//	busy      429, 503, a write block: sent again later, with increasing delays
//	unknown   no answer, 5xx, a missing item: read back, and sent again if absent
//	forbidden any other 403: the index has failed, no document is to blame
//	fenced    the write alias is gone: another daemon has taken it, or the index
//	          was deleted
//
// Writes go through an alias that each Open makes under a random name in place of
// the one before, so that writes of an older process are refused.
//
// A listing and a count fail if any shard is missing: they never return a part.
//
// # Not covered
//
// The cluster forgets the versions of removals after index.gc_deletes, and in a
// restart. A put that was delayed for longer than that brings its document back
// until the next sweep.
package opensearch

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/doc"
)

var (
	// ErrFenced is the error of Apply if another daemon has opened the index since.
	ErrFenced = errors.New("another daemon has taken over the index: end one of the two")

	// ErrReplaced is the error if the index is not the one that was opened: it was
	// deleted, created again or restored.
	ErrReplaced = errors.New("the index was deleted, created again or restored: rebuild it from the pages")

	// ErrOwner is the error of Open if the index belongs to another data directory.
	ErrOwner = errors.New("the index belongs to another data directory")

	// ErrForbidden is the error of Apply if the cluster refuses the user.
	ErrForbidden = errors.New("the user may not write to the index: grant indices:data/write/bulk*, index and delete on it")

	// ErrNewer is the error of Apply if the index has a higher version of a document
	// or of its removal than the one written.
	ErrNewer = errors.New("the index has newer documents of another writer")
)

// A Config is where an index is, and what it stores.
type Config struct {
	Nodes    []string // URLs without user and path
	User     string
	Password string
	HTTP     *http.Client

	Name    string // PREFIX of the name
	Owner   string // id of the data directory
	Mapping Mapping

	// Patience is how long Apply retries while the cluster is busy or away. After it
	// the index has failed: see Err.
	Patience time.Duration
}

// An Index is one index of the cluster. Its methods are safe for concurrent use.
type Index struct {
	wire       *wire
	mapping    Mapping
	name       string
	alias      string // for writes
	patience   time.Duration
	generation doc.Generation
	identity   identity

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	refreshing sync.Mutex
	stale      atomic.Bool // writes since the last refresh

	mu      sync.Mutex
	failure error
}

// identity is what changes when an index is replaced: a new index has another UUID,
// and a restored one other histories of its shards.
type identity struct {
	UUID      string
	Histories []string
}

type meta struct {
	Owner       string         `json:"owner"`
	Generation  doc.Generation `json:"generation"`
	Fingerprint string         `json:"fingerprint"`
}

// Create makes an empty index and opens it.
func Create(ctx context.Context, c Config, gen doc.Generation) (*Index, error) {
	name := indexName(c.Name, gen)
	body := map[string]any{
		"settings": map[string]any{"index": map[string]any{
			"translog.durability": "request", "refresh_interval": "1s", "gc_deletes": "1h",
			"number_of_shards": 1, "number_of_replicas": 0,
			"default_pipeline": "_none", "final_pipeline": "_none",
		}},
		"mappings": map[string]any{
			"dynamic":    "strict",
			"_meta":      map[string]any{"indexerd": meta{c.Owner, gen, c.Mapping.fingerprint()}},
			"properties": c.Mapping.properties(),
		},
	}
	if err := newWire(c).ask(ctx, http.MethodPut, "/"+name, body, nil); err != nil {
		return nil, fmt.Errorf("create index %s: %w", name, err)
	}
	return Open(ctx, c, gen)
}

func indexName(prefix string, gen doc.Generation) string { return fmt.Sprintf("%s-g%d", prefix, gen) }

// Open opens an index, and fences every process that has opened it before.
func Open(ctx context.Context, c Config, gen doc.Generation) (*Index, error) {
	ix := &Index{wire: newWire(c), mapping: c.Mapping, name: indexName(c.Name, gen), generation: gen, patience: c.Patience}
	ix.stale.Store(true)
	if err := ix.open(ctx, c.Owner); err != nil {
		return nil, fmt.Errorf("open index %s: %w", ix.name, err)
	}
	ix.ctx, ix.cancel = context.WithCancel(context.Background())
	return ix, nil
}

func (ix *Index) open(ctx context.Context, owner string) error {
	state, err := ix.state(ctx)
	if err != nil {
		return err
	}
	switch m := state.Mappings.Meta.Indexerd; {
	case m.Owner != owner:
		return ErrOwner
	case m.Generation != ix.generation:
		return fmt.Errorf("it has generation %d, not %d", m.Generation, ix.generation)
	case m.Fingerprint != ix.mapping.fingerprint():
		return errors.New("it was built with another mapping: build a new one from the pages")
	case state.Settings.Index.Translog.Durability != "request":
		return errors.New("its translog.durability is not request, so that a crash loses acknowledged documents: set it to request")
	}
	if ix.identity, err = ix.identify(ctx, state); err != nil {
		return err
	}
	return ix.fence(ctx, state)
}

// fence replaces the write aliases by a new one, in one step.
func (ix *Index) fence(ctx context.Context, s indexState) error {
	ix.alias = ix.name + "-w-" + strings.ToLower(rand.Text())
	actions := []any{map[string]any{"add": map[string]any{"index": ix.name, "alias": ix.alias}}}
	for old := range s.Aliases {
		if strings.HasPrefix(old, ix.name+"-w-") {
			actions = append(actions, map[string]any{"remove": map[string]any{"index": ix.name, "alias": old}})
		}
	}
	return ix.wire.ask(ctx, http.MethodPost, "/_aliases", map[string]any{"actions": actions}, nil)
}

// indexState is what the cluster says of an index.
type indexState struct {
	Aliases  map[string]json.RawMessage `json:"aliases"`
	Mappings struct {
		Meta struct {
			Indexerd meta `json:"indexerd"`
		} `json:"_meta"`
	} `json:"mappings"`
	Settings struct {
		Index struct {
			UUID     string `json:"uuid"`
			Translog struct {
				Durability string `json:"durability"`
			} `json:"translog"`
		} `json:"index"`
	} `json:"settings"`
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

func (ix *Index) identify(ctx context.Context, s indexState) (identity, error) {
	var stats struct {
		Indices map[string]struct {
			Shards map[string][]struct {
				Commit struct {
					UserData struct {
						History string `json:"history_uuid"`
					} `json:"user_data"`
				} `json:"commit"`
			} `json:"shards"`
		} `json:"indices"`
	}
	if err := ix.wire.ask(ctx, http.MethodGet, "/"+ix.name+"/_stats?level=shards", nil, &stats); err != nil {
		return identity{}, err
	}
	id := identity{UUID: s.Settings.Index.UUID}
	for number, copies := range stats.Indices[ix.name].Shards {
		for _, c := range copies {
			id.Histories = append(id.Histories, number+" "+c.Commit.UserData.History)
		}
	}
	slices.Sort(id.Histories)
	id.Histories = slices.Compact(id.Histories)
	return id, nil
}

// Examine returns ErrReplaced if the index is not the one that was opened, and
// ErrFenced if another process has opened it since.
func (ix *Index) Examine(ctx context.Context) error {
	state, err := ix.state(ctx)
	if missing(err) {
		return ErrReplaced
	}
	if err != nil {
		return err
	}
	now, err := ix.identify(ctx, state)
	if err != nil {
		return err
	}
	if now.UUID != ix.identity.UUID || !slices.Equal(now.Histories, ix.identity.Histories) {
		return ErrReplaced
	}
	if _, ok := state.Aliases[ix.alias]; !ok {
		return ErrFenced
	}
	return nil
}

// Generation returns the generation that was passed to Create.
func (ix *Index) Generation() doc.Generation { return ix.generation }

// Err returns the error after which nothing is written until the index is opened
// again.
func (ix *Index) Err() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.failure
}

// fail records an error, if it is the first.
func (ix *Index) fail(err error) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.failure == nil {
		ix.failure = fmt.Errorf("index %s: %w", ix.name, err)
	}
	return ix.failure
}

// Close ends calls in progress.
func (ix *Index) Close() error {
	ix.cancel()
	return nil
}
