package tables

import (
	"context"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/state/quarantine"
)

// hideUnknown hides the documents of rows that were quarantined before the table
// had an acl, until the next sweep reads their groups. It needs no database.
func (t *Table) hideUnknown(ctx context.Context) error {
	if !t.IsOpen() {
		return nil
	}
	var rows []doc.Reject
	for _, r := range t.Quarantine.Rows() {
		if r.OID != "" && r.Document == "" && !r.IsPartial() {
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
	n, err := t.Sink.HideUnknown(ctx, rows)
	if n > 0 {
		t.log.Info("documents of rows in quarantine are hidden", "documents", n, "why", "their groups have not been read", "until", "the next sweep")
	}
	return t.dieIfBroken("quarantine", err)
}

// QuarantinedRow returns a row in quarantine, or a partial one, as callers see it.
func QuarantinedRow(r quarantine.Row) *httpapi.QuarantinedRow {
	kind := httpapi.KindRejected
	if r.IsPartial() {
		kind = httpapi.KindPartial
	}
	s := &httpapi.QuarantinedRow{Kind: kind, Columns: append([]doc.Flaw{}, r.Flaws...), Reason: r.Reason, Since: httpapi.Time(r.Since), Tries: r.Tries, Document: string(r.Document)}
	if r.OID != "" {
		oid := r.OID.String()
		s.OID = &oid
	}
	return s
}
