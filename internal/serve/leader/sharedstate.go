package leader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/release"
	"indexerd/internal/base/sealed"
	"indexerd/internal/state/etcd"
	"indexerd/internal/state/quarantine"
	"indexerd/timetrace"
)

// A State is all that daemons share in etcd, as of one moment, by its keys. It can be
// written as the files that a data directory without etcd has: to move marks to a file, and
// for a backup.
type State map[string][]byte

// Snapshot writes what is shared as files to a directory. It fails if this daemon does not
// lead, or if the marks don't count.
func (s *Shared) Snapshot(ctx context.Context, dir string) error {
	term := s.Term()
	if term == nil {
		return fmt.Errorf("%w: it is the standby", etcd.ErrLost)
	}
	values, err := s.Client.Read(ctx, "")
	if err != nil {
		return err
	}
	kept := State(values)
	if err := movedAway(s.Client.Prefix, kept.Under("place/")); err != nil {
		return err
	}
	if err := term.Confirm(); err != nil { // it led when that was read
		return err
	}
	return kept.save(dir)
}

// save writes marks, rows in quarantine and removals to a directory.
func (k State) save(dir string) error {
	marks, err := k.Marks()
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(marks)) {
		_, err := k.SaveQuarantine(table, filepath.Join(dir, table))
		if err == nil {
			err = k.SaveRemovals(table, filepath.Join(dir, table))
		}
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	trace, err := timetrace.Open(atomicfile.OS, dir, release.Version)
	if err != nil {
		return err
	}
	return trace.Replace(marks)
}

// Under returns the values below a key, by the rest of their keys.
func (k State) Under(key string) map[string][]byte {
	values := map[string][]byte{}
	for name, value := range k {
		if rest, ok := strings.CutPrefix(name, key); ok {
			values[rest] = value
		}
	}
	return values
}

// Marks returns the marks of all tables.
func (k State) Marks() (timetrace.State, error) {
	trace, err := timetrace.OpenIn(keptPart{k, "marks/"}, release.Version)
	if err != nil {
		return nil, err
	}
	return trace.Tables(), nil
}

// SaveQuarantine writes the rows of a table in quarantine to its directory, and returns how
// many there are.
func (k State) SaveQuarantine(table, dir string) (rows int, err error) {
	q, err := quarantine.OpenIn(keptPart{k, "quarantine/" + table + "/"})
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	return q.Len(), q.Save(atomicfile.OS, quarantine.Name(dir))
}

// SaveRemovals writes the removals that the guard of a table has counted to its directory.
func (k State) SaveRemovals(table, dir string) error {
	before := movedRemovals{Moved: time.Now().UTC()}
	if text := k["guard/"+table]; text != nil {
		if err := json.Unmarshal(text, &before.Removals); err != nil {
			return err
		}
	}
	text, err := json.Marshal(before)
	if err != nil {
		return err
	}
	return atomicfile.Write(atomicfile.OS, filepath.Join(dir, movedRemovalsFile), append(sealed.AppendObject(nil, text), '\n'))
}

// A keptPart is the part of a sharedState below a key. It is a store that can't be written.
type keptPart struct {
	state State
	under string
}

func (p keptPart) Read() (map[string][]byte, error) { return p.state.Under(p.under), nil }

func (keptPart) Write(map[string][]byte) error {
	return errors.New("a copy of what is shared is not written")
}

func (p keptPart) String() string { return "etcd, " + p.under }
