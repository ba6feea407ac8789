package search

import (
	"fmt"
	"time"

	"indexerd/internal/base/doc"
)

// A Document is one document as stored in its page. Updated is null if the row's
// updateTime is NULL.
type Document struct {
	Table   string  `json:"table"`
	OID     string  `json:"oid"`
	Updated *string `json:"updated"`
	Token   string  `json:"token"`
	Fetched string  `json:"fetched"`
	Fields  Fields  `json:"fields"`
}

// Doc returns one document. If there is none, the error is an *Error with the code
// not_found.
func (s *Searcher) Doc(oid doc.OID) (Document, error) {
	page, row, ok, err := s.page(oid)
	if err != nil {
		return Document{}, err
	}
	if _, _, err := s.view(oid); !ok && s.damaged(err) {
		return Document{}, &Error{Code: "not_ready", Message: fmt.Sprintf("the page of %s %s is damaged", s.Table, oid), Hint: "its row is fetched again: ask again later"}
	}
	if !ok {
		return Document{}, s.noDocument(oid)
	}
	return Document{
		Table:   s.Table,
		OID:     oid.String(),
		Updated: updatedOf(page.Updated),
		Token:   page.Token.String(),
		Fetched: formatTime(page.Fetched),
		Fields:  s.fieldsOf(row, s.fields()),
	}, nil
}

func (s *Searcher) noDocument(oid doc.OID) *Error {
	return &Error{Code: "not_found", Message: fmt.Sprintf("%s has no document %s", s.Table, oid)}
}

// Versions are the stored versions of a document, newest first. More is true if
// older ones are left out because of their size.
type Versions struct {
	Table    string    `json:"table"`
	OID      string    `json:"oid"`
	Versions []Version `json:"versions"`
	More     bool      `json:"more,omitempty"`
}

// maxVersions limits the content of the versions in one answer, in bytes.
const maxVersions = 8 << 20

// A Version is a document as of one fetch.
type Version struct {
	Updated *string `json:"updated"`
	Fetched string  `json:"fetched"`
	Fields  Fields  `json:"fields"`
}

// Versions returns the versions of one document. If there is none, the error is an
// *Error with the code not_found.
func (s *Searcher) Versions(oid doc.OID) (Versions, error) {
	pages, more, err := s.Pages.NewestVersions(oid, maxVersions)
	if err != nil {
		if _, ok, metaErr := s.Pages.Meta(oid); metaErr == nil && !ok {
			return Versions{}, s.noDocument(oid)
		}
		return Versions{}, fmt.Errorf("versions of %s of %s: %w", oid, s.Table, err)
	}
	v := Versions{Table: s.Table, OID: oid.String(), Versions: make([]Version, len(pages)), More: more}
	for i, page := range pages {
		row, err := doc.ParseRow(page.Body)
		if err != nil {
			return Versions{}, fmt.Errorf("page %s of %s: %w", oid, s.Table, err)
		}
		v.Versions[i] = Version{Updated: updatedOf(page.Updated), Fetched: formatTime(page.Fetched), Fields: s.fieldsOf(row, s.fields())}
	}
	return v, nil
}

// updatedOf formats an updateTime; nil if it is NULL.
func updatedOf(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	updated := formatTime(at)
	return &updated
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// page reads a page, and reports false if there is none. The row is a copy of the
// page's bytes. A page that is written meanwhile, after its document, is read again.
func (s *Searcher) page(oid doc.OID) (meta doc.Meta, row doc.Row, ok bool, err error) {
	if meta, row, err = s.view(oid); err == nil {
		return meta, row, true, nil
	}
	if s.damaged(err) {
		return doc.Meta{}, doc.Row{}, false, nil
	}
	if _, there, metaErr := s.Pages.Meta(oid); metaErr == nil && !there {
		return doc.Meta{}, doc.Row{}, false, nil
	}
	if meta, row, err = s.view(oid); err == nil {
		return meta, row, true, nil
	}
	return doc.Meta{}, doc.Row{}, false, fmt.Errorf("page %s of %s: %w", oid, s.Table, err)
}

// damaged reports whether an error is that of a damaged page.
func (s *Searcher) damaged(err error) bool { return s.Damaged != nil && s.Damaged(err) }

func (s *Searcher) view(oid doc.OID) (meta doc.Meta, row doc.Row, err error) {
	err = s.Pages.View(oid, func(p doc.Page) (err error) {
		meta = p.Meta
		row, err = doc.ParseRow(p.Body)
		return err
	})
	return meta, row, err
}
