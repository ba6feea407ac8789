package leader

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/sealed"
	"indexerd/internal/state/history"
	"indexerd/internal/sync/sink"
)

// movedRemovals are, in the directory of a table, the removals that its guard had counted
// when the marks were moved to a file. History from before that does not count.
type movedRemovals struct {
	Moved    time.Time       `json:"moved"`
	Removals []sink.Removals `json:"removals"`
}

const movedRemovalsFile = "guard.json"

// RecentRemovals returns what a guard must remember without etcd, the oldest first.
func RecentRemovals(dir string, h *history.History) ([]sink.Removals, error) {
	var before movedRemovals
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(dir, movedRemovalsFile))
	if err == nil {
		err = sealed.CheckObject(text)
	}
	if err == nil {
		err = json.Unmarshal(text, &before)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("removals that were moved: %w", err)
	}
	recent := before.Removals
	runs, _ := h.Runs(1000, 0)
	for i := len(runs) - 1; i >= 0; i-- {
		if r := runs[i]; r.Report.Deleted > 0 && r.Started.After(before.Moved) {
			recent = append(recent, sink.Removals{At: r.Started.Add(r.Took), N: r.Report.Deleted})
		}
	}
	return recent, nil
}
