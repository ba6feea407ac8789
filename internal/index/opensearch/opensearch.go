// Package opensearch stores the full-text index of a table in an OpenSearch cluster. It
// alone sends requests to the cluster.
//
// # Layout
//
// Indexes of a table are named PREFIX-gN-RANDOM, N the generation. The alias PREFIX
// leads to the one in use. A document's _id is the base64url of its OID, and its
// _version is its doc.Version, written with version_type external_gte: a write is never
// replaced by an older one, and a write that is sent twice is accepted twice. The fields
// of a document are
//
//	NAME            a column, or the rows of a child, as JSON: for clients of the
//	                cluster, who also see it in _source
//	ix.key          the OID in hex, whose order is key order
//	ix.words.NAME   the terms of a text as package analysis makes them, or an alias of
//	                NAME, whose terms are the same
//	ix.values.NAME  the terms of a value, whose order is that of values
//	ix.numbers.NAME what aggregations compute with: numbers, milliseconds, 1 for true
//	ix.row          the other columns of the row as JSON, in _source only
//
// _source has ix.key, ix.values and ix.numbers too if every content column is shared, as
// below: leaving them out takes about 15 µs a row.
//
// Searches of indexerd read the fields of ix only, which have the terms of the embedded
// index. So both find the same documents, whatever analyzers and number formats the
// cluster has. The cost would be a second set of words, about 30 of the 110 µs that a row
// of 500 characters takes in the cluster, with the text of its terms. So a content column
// that the analyzer standard splits has one set: the cluster splits NAME, by a tokenizer
// whose characters are written into its settings. The few texts of which it would make
// other terms are folded first; they stand in ix.row as they are, and so does a text
// without a term, which has no NAME. See analysis.Analyzer.Plain. Columns of other
// analyzers, children, columns that are metadata too, and those of an index without
// positions keep two sets, and an index that was made before has two until a reindex.
// Config.Source leaves out what clients read.
//
// The mapping is strict. Its _meta.indexerd names the owner (a data directory), the
// generation, an epoch, the mapping and its fingerprint.
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
// the one before, so that writes of an older process are refused. Fence removes it.
//
// Each Open raises the epoch, durably, before it returns. The caller numbers its writes
// above Epoch<<EpochBits. So a data directory that was restored or copied never writes a
// version that the index has already.
//
// A listing, a count and a search fail if any shard is missing: they never return a
// part. They see every write that was acknowledged before.
//
// A request goes to another node if one does not answer, and if it can be repeated or
// was not sent. Examine notices that the index is another one, and that others have
// written to it: see tally.
//
// # Not covered
//
// The cluster drops the versions of removals after index.gc_deletes, and in a
// restart. A put that was delayed for longer than that brings its document back
// until the next sweep.
package opensearch

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/index/query"
)

var (
	// ErrFenced is the error of Apply if another daemon has opened the index since.
	ErrFenced = errors.New("another daemon has taken over the index: end one of the two")

	// ErrReplaced is the error if the index is not the one that was opened: it was
	// deleted, created again or restored.
	ErrReplaced = errors.New("the index was deleted, created again or restored")

	// ErrOwner is the error of Open if the index belongs to another data directory.
	ErrOwner = errors.New("the index belongs to another data directory: end its daemon, and run: indexerd run --take-over")

	// ErrAway is the error of any call while the cluster does not answer, or can't.
	ErrAway = errors.New("the cluster does not answer")

	// ErrMissing is the error of Open if there is no index.
	ErrMissing = errors.New("the cluster has no such index")

	// ErrForbidden is the error of Apply if the cluster refuses the user.
	ErrForbidden = errors.New("the user may not write to the index: grant indices:data/write/bulk*, index and delete on it, or write in Elasticsearch")

	// ErrNewer is the error of Apply if the index has a higher version of a document
	// or of its removal than the one written.
	ErrNewer = errors.New("the index has newer documents of another writer")
)

// EpochBits is the number of bits below the epoch in a doc.Version. With the epoch they
// fill the 53 bits of a version of page stores: 131,071 epochs of 7*10^10 numbers.
const EpochBits = 36

// oldBits are the bits of an epoch that was written without their number.
const oldBits = 40

// A Config is where the indexes of a table are, and what they store.
type Config struct {
	Nodes    []string // URLs without user and path
	User     string
	Password string
	APIKey   string // instead of User
	HTTP     *http.Client

	Name     string // PREFIX of the names
	Owner    string // id of the data directory
	TakeOver bool   // open also the index of another owner
	Term     uint64 // below no epoch; 0 for a data directory that elects no leader

	Mapping  schema.Mapping
	BM25     *query.BM25 // nil for the default
	Source   bool        // whether documents have the columns as JSON
	Shards   int
	Replicas int

	// Ctx ends all calls of the indexes; nil: Close ends those of one.
	Ctx context.Context

	// Dir is the local directory with the identity of the index in use.
	Dir string

	// Patience is how long Apply retries while the cluster is busy or away. After it
	// the index has failed: see Err.
	Patience time.Duration
}

// An Index is one index of the cluster. Its methods are safe for concurrent use.
type Index struct {
	fulltext.Requests
	config     Config
	wire       *wire
	name       string
	alias      string // for writes
	patience   time.Duration
	generation doc.Generation
	epoch      uint64
	identity   identity
	doubt      string
	built      string // fingerprint
	stores     stores
	several    bool // shards

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	refreshing sync.Mutex
	stale      atomic.Bool // writes since the last refresh
	tally      tally
	unserved   atomic.Bool // before Serve

	mu      sync.Mutex
	failure error
}

// identity is what changes when an index is replaced: a new index has another UUID,
// and a restored one other histories of its shards.
type identity struct {
	UUID      string   `json:"uuid"`
	Histories []string `json:"histories"`
}

// An epoch is the number of times that an index was opened, and at least Config.Term.
type epoch struct {
	Epoch uint64 `json:"epoch"`
	Bits  uint   `json:"epoch_bits,omitempty"` // below the epoch in a version; 0: oldBits
}

// current returns the epoch in units of EpochBits.
func (e epoch) current() uint64 {
	if e.Bits == 0 {
		return e.Epoch << (oldBits - EpochBits)
	}
	return e.Epoch
}

type meta struct {
	Owner      string         `json:"owner"`
	Generation doc.Generation `json:"generation"`
	epoch
	Fingerprint string         `json:"fingerprint"`
	Mapping     schema.Mapping `json:"mapping"`
}

// Create makes an empty index beside the one in use, and opens it. numbers is at least
// every number that the caller has used. Clean removes it if it is not put into use.
func (c Config) Create(ctx context.Context, gen doc.Generation, numbers uint64) (*Index, error) {
	s, err := schema.New(c.Mapping)
	if err != nil {
		return nil, err
	}
	name := c.newName(gen)
	if err := c.make(ctx, name, s, gen, numbers); err != nil {
		return nil, fmt.Errorf("create index %s: %w", name, err)
	}
	return c.open(ctx, name, gen)
}

func (c Config) newName(gen doc.Generation) string {
	return fmt.Sprintf("%s-g%d-%s", c.Name, gen, strings.ToLower(rand.Text()[:10]))
}

// make makes an empty index.
func (c Config) make(ctx context.Context, name string, s *schema.Schema, gen doc.Generation, numbers uint64) error {
	return newWire(c).ask(ctx, http.MethodPut, "/"+name, map[string]any{
		"settings": c.settings(s),
		"mappings": map[string]any{
			"dynamic": "strict", "_source": c.sourceOf(s), "properties": c.properties(s),
			"_meta": map[string]any{"indexerd": meta{c.Owner, gen, epoch{numbers >> EpochBits, EpochBits}, c.fingerprint(), c.Mapping}},
		},
	}, nil)
}

// Open opens the index in use, and fences every process that has opened it before. The
// error is ErrMissing if there is none. An index of another generation is doubted.
func (c Config) Open(ctx context.Context, gen doc.Generation) (*Index, error) {
	var answer map[string]struct{}
	err := newWire(c).ask(ctx, http.MethodGet, "/_alias/"+c.Name, nil, &answer)
	switch {
	case missing(err):
		return nil, fmt.Errorf("open index %s: %w", c.Name, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("open index %s: %w", c.Name, err)
	case len(answer) != 1:
		return nil, fmt.Errorf("open index %s: %w", c.Name, obstacle(fmt.Sprintf("the alias leads to %d indexes, not one: remove the others from it", len(answer))))
	}
	name := slices.Collect(maps.Keys(answer))[0]
	return c.open(ctx, name, gen)
}

// OpenReadOnly returns the index in use for searches. It does not ask the cluster, which
// may be away.
func (c Config) OpenReadOnly(gen doc.Generation) (*Index, error) {
	s, err := schema.New(c.Mapping)
	if err != nil {
		return nil, err
	}
	ix := &Index{Requests: fulltext.Requests{Schema: s}, config: c, wire: newWire(c), name: c.Name, generation: gen, failure: errReadOnly}
	ix.stale.Store(true)
	ix.ctx, ix.cancel = context.WithCancel(cmp.Or(c.Ctx, context.Background()))
	return ix, nil
}

// errReadOnly is the error of writes to an index that is opened read-only.
var errReadOnly = errors.New("the index is opened read-only")

func (c Config) open(ctx context.Context, name string, gen doc.Generation) (*Index, error) {
	ix := &Index{config: c, wire: newWire(c), name: name, generation: gen, patience: c.Patience}
	ix.stale.Store(true)
	if err := ix.open(ctx); err != nil {
		return nil, fmt.Errorf("open index %s: %w", name, err)
	}
	ix.ctx, ix.cancel = context.WithCancel(cmp.Or(c.Ctx, context.Background()))
	return ix, nil
}

// open takes the index over in this order: fence, then read what it is, then raise its
// epoch. A process that was fenced meanwhile writes nothing in the same epoch.
func (ix *Index) open(ctx context.Context) error {
	state, err := ix.state(ctx)
	if err != nil {
		return err
	}
	if err := ix.config.disowns(ix.name, state); err != nil {
		return err
	}
	if state.Settings.Index.Translog.Durability != "request" {
		return errors.New("its translog.durability is not request, so that a crash loses acknowledged documents: set it to request")
	}
	if err := ix.fence(ctx, state); err != nil {
		return err
	}
	if state, err = ix.state(ctx); err != nil {
		return err
	}
	m := state.Mappings.Meta.Indexerd
	if ix.Schema, err = schema.New(m.Mapping); err != nil {
		return err
	}
	shards, err := ix.primaries(ctx, state)
	if err != nil {
		return err
	}
	ix.identity = identity{state.Settings.Index.UUID, shards.histories}
	ix.tally.base, ix.tally.learns = &shards, true
	if ix.doubt, err = ix.recognize(m); err != nil {
		return err
	}
	ix.built, ix.stores, ix.several = m.Fingerprint, state.stores(), state.Settings.Index.Shards != "1"
	ix.unserved.Store(state.Settings.Index.Refresh == noRefresh)
	m.Owner, m.Generation = ix.config.Owner, ix.generation
	m.epoch = epoch{max(m.current()+1, ix.config.Term), EpochBits}
	ix.epoch = m.Epoch
	return ix.wire.ask(ctx, http.MethodPut, "/"+ix.name+"/_mapping", map[string]any{"_meta": map[string]any{"indexerd": m}}, nil)
}

// Built reports whether the index was built with the configuration, and returns what it
// was built with.
func (ix *Index) Built(c Config) (schema.Mapping, bool) {
	return ix.Mapping, ix.built == c.fingerprint()
}

// Epoch returns the epoch that Open has begun.
func (ix *Index) Epoch() uint64 { return ix.epoch }

// writeAlias is between the name of an index and the random end of its write alias.
const writeAlias = "-w-"

// fence replaces the write aliases by a new one, in one step.
func (ix *Index) fence(ctx context.Context, s indexState) error {
	ix.alias = ix.name + writeAlias + strings.ToLower(rand.Text())
	actions := []any{map[string]any{"add": map[string]any{"index": ix.name, "alias": ix.alias}}}
	for old := range s.Aliases {
		if strings.HasPrefix(old, ix.name+writeAlias) {
			actions = append(actions, map[string]any{"remove": map[string]any{"index": ix.name, "alias": old}})
		}
	}
	return ix.wire.ask(ctx, http.MethodPost, "/_aliases", map[string]any{"actions": actions}, nil)
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

// Bytes returns the size of the index on all nodes.
func (ix *Index) Bytes() (uint64, error) {
	var stats struct {
		All struct {
			Total struct {
				Store struct {
					Size uint64 `json:"size_in_bytes"`
				}
			}
		} `json:"_all"`
	}
	err := ix.wire.ask(ix.ctx, http.MethodGet, "/"+ix.name+"/_stats/store", nil, &stats)
	if err != nil {
		err = fmt.Errorf("size of index %s: %w", ix.name, err)
	}
	return stats.All.Total.Store.Size, err
}

// Close ends calls in progress.
func (ix *Index) Close() error {
	ix.cancel()
	return nil
}
