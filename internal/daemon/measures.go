package daemon

import "indexerd/internal/httpapi"

// Meters counts what the engine does.
func (e *Engine) Meters() *httpapi.Meters { return e.meters }

// Measures are the sizes of what is stored.
func (e *Engine) Measures() []httpapi.TableMeasures {
	var all []httpapi.TableMeasures
	for _, t := range e.tables {
		if m, ok := t.measures(); ok {
			all = append(all, m)
		}
	}
	return all
}

func (t *table) measures() (httpapi.TableMeasures, bool) {
	t.mu.Lock()
	index, pages, history := t.index, t.pages, t.history
	t.mu.Unlock()
	if index == nil {
		return httpapi.TableMeasures{}, false
	}
	bytes, err := index.Bytes()
	if err != nil { // it has just been closed, or it broke, which the status says
		return httpapi.TableMeasures{}, false
	}
	s := pages.Stats()
	return httpapi.TableMeasures{
		Table: t.conf.Name, IndexBytes: bytes,
		Pages: s.Pages, PageVersions: s.Records, PageBytes: s.Bytes + s.KeyBytes, PageGarbage: s.Garbage, PageMemory: s.IndexBytes,
		Lateness: history.Lateness(),
	}, true
}
