package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"indexerd/internal/base/atomicfile"
)

// identityFile holds the identity of the index that was opened last.
const identityFile = "cluster.json"

// A known index is the content of identityFile.
type known struct {
	Name string `json:"name"`
	epoch
	identity
}

// recognize returns why the index can't be what this data directory has left: "" if it
// is.
func (ix *Index) recognize(m meta) (doubt string, err error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(ix.config.Dir, identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "the index is unknown", nil
	}
	if err != nil {
		return "", err
	}
	var k known
	if err := json.Unmarshal(text, &k); err != nil {
		return "the index is unknown", nil //nolint:nilerr // as if the file were missing
	}
	switch {
	case m.Generation != ix.generation:
		return "the index is of another load", nil
	case m.Owner != ix.config.Owner:
		return "the index was taken over", nil
	case k.Name != ix.name || k.UUID != ix.identity.UUID:
		return "the index is another one", nil
	case k.current() != m.current():
		return "the index was opened by another data directory since, or a start was killed", nil
	case !slices.Equal(k.Histories, ix.identity.Histories):
		return "the index was restored", nil
	}
	return "", nil
}

// Doubt returns why the documents may not be those that this data directory has left; ""
// if they are. The caller makes its marks doubt them, and then calls Trust.
func (ix *Index) Doubt() string { return ix.doubt }

// WasUsed reports whether an index in a cluster was used last with a directory.
func WasUsed(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, identityFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Forget has WasUsed report false.
func Forget(dir string) error { return os.Remove(filepath.Join(dir, identityFile)) }

// Trust records the identity of the index and its epoch, durably.
func (ix *Index) Trust() error { return ix.writeIdentity(ix.config.Dir) }

// CopyTo copies the identity, for a backup. The documents stay in the cluster.
func (ix *Index) CopyTo(dir string) error { return ix.writeIdentity(dir) }

func (ix *Index) writeIdentity(dir string) error {
	b, err := json.Marshal(known{ix.name, epoch{ix.epoch, EpochBits}, ix.identity})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(atomicfile.OS, filepath.Join(dir, identityFile), b)
}

// primaries are the primary shards of an index.
type primaries struct {
	histories  []string
	nodes      []string
	operations int64 // that all shards have had
}

// primaries reads the primary shards. It fails if one is missing: a red index tells
// nothing of it.
func (ix *Index) primaries(ctx context.Context, s indexState) (all primaries, err error) {
	var stats struct {
		Indices map[string]struct {
			Shards map[string][]shardStats `json:"shards"`
		} `json:"indices"`
	}
	if err := ix.wire.ask(ctx, http.MethodGet, "/"+ix.name+"/_stats?level=shards", nil, &stats); err != nil {
		return primaries{}, err
	}
	for number, copies := range stats.Indices[ix.name].Shards {
		for _, c := range copies {
			if c.serves() {
				all.histories = append(all.histories, number+" "+c.Commit.UserData.History)
				all.nodes = append(all.nodes, number+" "+c.Routing.Node)
				all.operations += c.SeqNo.Max + 1
			}
		}
	}
	if got := strconv.Itoa(len(all.nodes)); got != s.Settings.Index.Shards {
		return primaries{}, fmt.Errorf("%w: the index is red: %s of %s primary shards answered", ErrAway, got, s.Settings.Index.Shards)
	}
	slices.Sort(all.histories)
	slices.Sort(all.nodes)
	return all, nil
}

// shardStats is what the cluster reports of one copy of a shard.
type shardStats struct {
	Routing struct {
		State   string `json:"state"`
		Primary bool   `json:"primary"`
		Node    string `json:"node"`
	} `json:"routing"`
	Commit struct {
		UserData struct {
			History string `json:"history_uuid"`
		} `json:"user_data"`
	} `json:"commit"`
	SeqNo struct {
		Max int64 `json:"max_seq_no"`
	} `json:"seq_no"`
}

// serves reports whether the copy is the primary that takes writes.
func (s shardStats) serves() bool {
	return s.Routing.Primary && (s.Routing.State == "STARTED" || s.Routing.State == "RELOCATING")
}

// Examine returns ErrReplaced if the index is not the one that was opened, ErrFenced if
// another process has opened it since, and ErrForeign if others have written to it.
func (ix *Index) Examine(ctx context.Context) error {
	still, resume := ix.tally.pause()
	defer resume()
	now, err := ix.same(ctx)
	if err != nil {
		return err
	}
	return ix.tally.compare(now, still)
}

// same returns the primary shards, or why the index is not the one that was opened.
func (ix *Index) same(ctx context.Context) (primaries, error) {
	state, err := ix.state(ctx)
	var now primaries
	if err == nil {
		now, err = ix.primaries(ctx, state)
	}
	switch {
	case missing(err): // also if it was deleted in between
		return primaries{}, ErrReplaced
	case err != nil:
		return primaries{}, fmt.Errorf("examine index %s: %w", ix.name, err)
	case state.Settings.Index.UUID != ix.identity.UUID || !slices.Equal(now.histories, ix.identity.Histories):
		return primaries{}, ErrReplaced
	}
	if _, ok := state.Aliases[ix.alias]; !ok {
		return primaries{}, ErrFenced
	}
	if _, ok := state.Aliases[ix.config.Name]; !ok {
		return primaries{}, ErrReplaced // another index is in use
	}
	return now, nil
}
