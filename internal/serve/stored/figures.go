package stored

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/terminal"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/history"
	"indexerd/internal/sync/sink"
	"indexerd/store"
)

// Measures returns the sizes of what is stored; false where nothing is open.
func (s *Table) Measures() (httpapi.TableMetrics, bool) {
	if s.Waits.Load() != nil {
		return httpapi.TableMetrics{}, false
	}
	s.mu.Lock()
	index, pages, history := s.Index, s.Pages, s.History
	s.mu.Unlock()
	if index == nil {
		return httpapi.TableMetrics{}, false
	}
	bytes, err := index.Bytes()
	if err != nil { // just closed, or broken, which status shows
		return httpapi.TableMetrics{}, false
	}
	var stats store.Stats // other machines have metrics of their own
	if p, ok := pages.(*store.FileMap); ok {
		stats = p.Stats()
	}
	var asked, saved uint64
	if p, ok := pages.(remotePages); ok {
		asked, saved = p.Saved()
	}
	return httpapi.TableMetrics{
		PagesAsked: asked, PagesSaved: saved,
		Table: s.Conf.Name, IndexBytes: bytes,
		Pages: stats.Pages, PageVersions: stats.Records, PageBytes: stats.Bytes + stats.KeyBytes, PageGarbage: stats.Garbage, PageMemory: stats.IndexBytes,
		Lateness: history.Lateness(),
	}, true
}

// BytesOnDisk returns the size of the files of the table on this machine, as far as they
// can be read. It is for showing progress.
func (s *Table) BytesOnDisk() (size int64) {
	_ = filepath.WalkDir(s.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil { // it may be gone
			size += info.Size()
		}
		return nil
	})
	return size
}

// Status adds the figures of what is stored.
func (s *Table) Status(to *httpapi.TableStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Index == nil {
		return
	}
	to.Quarantined = s.Quarantine.Len()
	to.QuarantinedVisible, to.QuarantinedHidden = s.Quarantine.Documents()
	to.Partial = s.Quarantine.Partials()
	to.Held = s.heldStatus(s.Guard.Held())
	if s.Tree != nil {
		to.Tree.Entries, to.Tree.Bytes, to.Tree.SpilledBytes = s.Tree.Stats()
	}
	to.Storage = s.storage()
	to.LatenessMS = lateness(s.History.Lateness(), s.Conf.AssumedTimeout())
}

// storage is what the table takes on disk here; nil if that is not known now. The caller
// holds mu, so no other machine is asked.
func (s *Table) storage() *httpapi.StorageStatus {
	to := &httpapi.StorageStatus{}
	if _, remote := s.Index.(Examined); !remote {
		bytes, err := s.Index.Bytes()
		if err != nil { // just closed, or broken, which the table's error says
			return nil
		}
		to.IndexBytes = bytes
	}
	if p, ok := s.Pages.(*store.FileMap); ok {
		pages := p.Stats()
		to.PagesBytes, to.GarbageBytes = pages.Bytes+pages.KeyBytes, pages.Garbage
	}
	return to
}

// heldStatus is what the guard holds; nil where it holds nothing.
func (s *Table) heldStatus(h sink.Held) *httpapi.Held {
	if h.Removals == 0 {
		return nil
	}
	return &httpapi.Held{
		Removals: h.Removals, Of: h.Of, Since: httpapi.Time(h.Since),
		Do: s.Command("sweep", "--allow", strconv.Itoa(h.Removals)),
	}
}

// Command returns what a person types about the table, in whatever directory.
func (s *Table) Command(verb string, flags ...string) string {
	file, err := filepath.Abs(s.Config.File)
	if err != nil { // the working directory is gone
		file = s.Config.File
	}
	if strings.ContainsAny(file, " '\"$&;|<>()*?\\") {
		file = terminal.Quote(file)
	}
	words := append([]string{"indexerd", verb, s.Conf.Name}, flags...)
	return strings.Join(append(words, "-c", file), " ")
}

// lateness is the distribution of how late rows were seen; nil while there is
// none.
func lateness(l doc.Lateness, lastTimeout time.Duration) *httpapi.LatenessStatus {
	if l.Count() == 0 {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &httpapi.LatenessStatus{
		Count: l.Count(), P50: ms(l.Quantile(0.5)), P99: ms(l.Quantile(0.99)), Max: ms(l.Max),
		Advice: history.Advice(&l, lastTimeout),
	}
}
