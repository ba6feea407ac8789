package fakeworld

import (
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/sourcetest"
)

// TestConformance runs the behaviours of all sources that need no SQL.
func TestConformance(t *testing.T) {
	sourcetest.Run(t, sourcetest.Harness{
		Rows: func(_ testing.TB, c sourcetest.Config) sourcetest.Rows {
			table := NewTable(2000)
			if table.Numbers = c.Numbers; c.Numbers == nil {
				table.Numbers = unnumbered{}
			}
			if c.Batch > 0 {
				table.Batch = c.Batch
			}
			if c.Page > 0 {
				table.Page = c.Page
			}
			table.Timeless = c.Timeless
			return conformanceRows{table}
		},
	})
}

// unnumbered gives every fetch the number 0.
type unnumbered struct{}

func (unnumbered) Begin(open func() error) (doc.FetchSeq, error) { return 0, open() }
func (unnumbered) End(doc.FetchSeq)                              {}

// conformanceRows are a sourcetest.Rows.
type conformanceRows struct{ *Table }

// Put implements sourcetest.Rows.
func (t conformanceRows) Put(rows ...sourcetest.Row) error {
	x := t.Begin()
	for _, row := range rows {
		oid, err := doc.NewOID(row.Key...)
		if err != nil {
			x.Rollback()
			return err
		}
		x.PutRow(oid, Row{Updated: row.Updated, Title: row.Text, Children: strings.Join(row.Children, "; "), Marked: row.Marked, Outside: row.Outside})
	}
	x.Commit()
	return nil
}

// Delete implements sourcetest.Rows.
func (t conformanceRows) Delete(oids ...doc.OID) error {
	x := t.Begin()
	for _, oid := range oids {
		x.Delete(oid)
	}
	x.Commit()
	return nil
}
