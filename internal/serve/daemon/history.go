package daemon

import (
	"strconv"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/history"
)

// History returns what the passes of a table did.
func (e *Engine) History(name string, size int, after int64) (httpapi.History, error) {
	t, err := e.searchable(name)
	if err != nil {
		return httpapi.History{}, err
	}
	runs, next := t.history.Runs(size, after)
	h := httpapi.History{Table: name, Runs: make([]httpapi.HistoryRun, len(runs))}
	for i, r := range runs {
		h.Runs[i] = historyRun(r)
	}
	if next != 0 {
		s := strconv.FormatInt(next, 10)
		h.Next = &s
	}
	return h, nil
}

func historyRun(r history.Run) httpapi.HistoryRun {
	p := r.Report
	h := httpapi.HistoryRun{
		Run: r.ID(), Pass: r.Pass, Started: httpapi.Time(r.Started), TookMS: float64(r.Took.Microseconds()) / 1000,
		Read: p.Read, Compared: p.Compared, Added: p.Added, Updated: p.Updated, Deleted: p.Deleted,
		Skipped: p.Skipped, Quarantined: p.Quarantined, LateMaxMS: float64(p.Late.Max.Microseconds()) / 1000,
	}
	if r.Pass != "compare" {
		h.Window = &httpapi.WindowStatus{From: httpapi.Time(p.Window.From), To: httpapi.Time(p.Window.To)}
	}
	if r.Tier != "" {
		h.Tier = &r.Tier
	}
	if r.Err != "" {
		h.Error = &r.Err
	}
	return h
}
