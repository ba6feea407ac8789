package main

import (
	"indexerd/internal/httpapi"
	"indexerd/internal/quarantine"
)

// Quarantine lists the rows of a table that can't become documents.
func (e *engine) Quarantine(name string, size int, after string) (httpapi.Quarantine, error) {
	t, err := e.searchable(name)
	if err != nil {
		return httpapi.Quarantine{}, err
	}
	rows, next := t.quarantine.List(after, size)
	q := httpapi.Quarantine{Table: name, Rows: make([]httpapi.SetAside, len(rows))}
	for i, r := range rows {
		q.Rows[i] = *setAside(r)
	}
	if next != "" {
		q.Next = &next
	}
	return q, nil
}

func setAside(r quarantine.Row) *httpapi.SetAside {
	s := &httpapi.SetAside{Reason: r.Reason, Since: httpapi.Time(r.Since), Tries: r.Tries, Document: string(r.Document)}
	if r.OID != "" {
		oid := r.OID.String()
		s.OID = &oid
	}
	return s
}
