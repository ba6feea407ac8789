package daemon

import (
	"context"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/quarantine"
)

// Quarantine lists the rows of a table that can't be indexed.
func (e *Engine) Quarantine(name string, size int, after string) (httpapi.Quarantine, error) {
	t, err := e.searchable(name)
	if err != nil {
		return httpapi.Quarantine{}, err
	}
	rows, next := t.quarantine.List(after, size)
	q := httpapi.Quarantine{Table: name, Rows: make([]httpapi.QuarantinedRow, len(rows))}
	for i, r := range rows {
		q.Rows[i] = *quarantinedRow(r)
	}
	if next != "" {
		q.Next = &next
	}
	return q, nil
}

// reloadQuarantine reads the list again, for a standby.
func (s *storage) reloadQuarantine() error {
	s.mu.Lock()
	q := s.quarantine
	s.mu.Unlock()
	if q == nil {
		return nil
	}
	return q.Reload()
}

// hideUnknown hides the documents of rows that were quarantined before the table
// had an acl, until the next sweep reads their groups. It needs no database.
func (t *table) hideUnknown(ctx context.Context) error {
	if !t.isOpen() {
		return nil
	}
	var rows []doc.Reject
	for _, r := range t.quarantine.Rows() {
		if r.OID != "" && r.Document == "" {
			rows = append(rows, doc.Reject{OID: r.OID, Reason: r.Reason})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := t.lane.Take(ctx); err != nil {
		return err
	}
	defer t.lane.Give()
	n, err := t.sink.HideUnknown(ctx, rows)
	if n > 0 {
		t.log.Info("documents of rows in quarantine are hidden", "documents", n, "why", "their groups have not been read", "until", "the next sweep")
	}
	return t.dieIfBroken("quarantine", err)
}

func quarantinedRow(r quarantine.Row) *httpapi.QuarantinedRow {
	s := &httpapi.QuarantinedRow{Reason: r.Reason, Since: httpapi.Time(r.Since), Tries: r.Tries, Document: string(r.Document)}
	if r.OID != "" {
		oid := r.OID.String()
		s.OID = &oid
	}
	return s
}
