package fulltext

import "indexerd/internal/doc"

// Misfits builds documents without an index, and returns those that would go
// to quarantine, with the reason.
func Misfits(m Mapping, docs []doc.Doc) ([]doc.Reject, error) {
	s, err := newSchema(m)
	if err != nil {
		return nil, err
	}
	var rejects []doc.Reject
	for _, d := range docs {
		_, err := s.build(d.Row)
		if err == nil {
			_, err = d.Row.AppendJSON(nil)
		}
		if err != nil {
			rejects = append(rejects, doc.Reject{OID: d.OID, Reason: err.Error()})
		}
	}
	return rejects, nil
}
