package search

import (
	"fmt"
	"time"

	"indexerd/internal/doc"
)

// A Document is one document as its page has it. Updated is null where the
// row's updateTime is NULL.
type Document struct {
	Table   string         `json:"table"`
	OID     string         `json:"oid"`
	Updated *string        `json:"updated"`
	Token   string         `json:"token"`
	Fetched string         `json:"fetched"`
	Fields  map[string]any `json:"fields"`
}

// Doc returns one document; there is none: an *Error of not_found.
func (s *Searcher) Doc(oid doc.OID) (Document, error) {
	page, ok, err := s.page(oid)
	if err != nil {
		return Document{}, err
	}
	if !ok {
		return Document{}, &Error{Code: "not_found", Message: fmt.Sprintf("%s has no document %s", s.Table, oid)}
	}
	row, err := doc.ParseRow(page.Body)
	if err != nil {
		return Document{}, fmt.Errorf("page %s of %s: %w", oid, s.Table, err)
	}
	d := Document{
		Table:   s.Table,
		OID:     oid.String(),
		Token:   page.Token.String(),
		Fetched: formatTime(page.Fetched),
		Fields:  pick(row, s.fields()),
	}
	if !page.Updated.IsZero() {
		updated := formatTime(page.Updated)
		d.Updated = &updated
	}
	return d, nil
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }
