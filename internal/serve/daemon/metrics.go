package daemon

import (
	"indexerd/internal/serve/httpapi"
	"indexerd/store"
)

// Meters counts what the engine does.
func (e *Engine) Meters() *httpapi.Meters { return e.meters }

// TableMetrics returns the sizes of what is stored.
func (e *Engine) TableMetrics() []httpapi.TableMetrics {
	var all []httpapi.TableMetrics
	for _, t := range e.tables {
		if m, ok := t.measures(); ok {
			all = append(all, m)
		}
	}
	return all
}

func (s *storage) measures() (httpapi.TableMetrics, bool) {
	if s.waits.Load() != nil {
		return httpapi.TableMetrics{}, false
	}
	s.mu.Lock()
	index, pages, history := s.index, s.pages, s.history
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
		Table: s.conf.Name, IndexBytes: bytes,
		Pages: stats.Pages, PageVersions: stats.Records, PageBytes: stats.Bytes + stats.KeyBytes, PageGarbage: stats.Garbage, PageMemory: stats.IndexBytes,
		Lateness: history.Lateness(),
	}, true
}
