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

	"indexerd/internal/atomicfile"
)

// identityFile holds the identity of the index that was opened last.
const identityFile = "cluster.json"

// A known index is the content of identityFile.
type known struct {
	Name  string `json:"name"`
	Epoch uint64 `json:"epoch"`
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
	case k.Epoch != m.Epoch:
		return "the index was opened by another data directory since, or a start was killed", nil
	case !slices.Equal(k.Histories, ix.identity.Histories):
		return "the index was restored", nil
	}
	return "", nil
}

// Doubt returns why the documents may not be those that this data directory has left; ""
// if they are. The caller makes its marks doubt them, and then calls Trust.
func (ix *Index) Doubt() string { return ix.doubt }

// Trust records the identity of the index and its epoch, durably.
func (ix *Index) Trust() error { return ix.writeIdentity(ix.config.Dir) }

// CopyTo copies the identity, for a backup. The documents stay in the cluster.
func (ix *Index) CopyTo(dir string) error { return ix.writeIdentity(dir) }

func (ix *Index) writeIdentity(dir string) error {
	b, err := json.Marshal(known{ix.name, ix.epoch, ix.identity})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(atomicfile.OS, filepath.Join(dir, identityFile), b)
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
		return fmt.Errorf("examine index %s: %w", ix.name, err)
	}
	now, err := ix.identify(ctx, state)
	if err != nil {
		return fmt.Errorf("examine index %s: %w", ix.name, err)
	}
	if now.UUID != ix.identity.UUID || !slices.Equal(now.Histories, ix.identity.Histories) {
		return ErrReplaced
	}
	if _, ok := state.Aliases[ix.alias]; !ok {
		return ErrFenced
	}
	if _, ok := state.Aliases[ix.config.Name]; !ok {
		return ErrReplaced // another index is in use
	}
	return nil
}
