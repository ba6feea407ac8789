package pgsource

import (
	"context"
	"errors"
	"strings"

	"indexerd/internal/doc"
)

// A row for which the SQL itself fails, as by a division by zero, fails the
// whole query, and with it every row beside it. Such a query is asked again by
// keys, halved until the row is alone: a poisoned one costs twice the logarithm
// of the batch in fetches, each of its own, since a failed statement ends its
// transaction.

// poisoned reports whether an error may be one row's fault: of its data, or of
// a limit that it exceeds.
func poisoned(err error) bool {
	var server *serverError
	if !errors.As(err, &server) || errors.Is(err, doc.ErrUnavailable) {
		return false
	}
	return strings.HasPrefix(server.code, "22") || // data exception
		strings.HasPrefix(server.code, "54") || // program limit exceeded
		server.code == "21000" // a subquery returned several rows
}

// docs reads one chunk of OIDs. It reports whether the consumer wants more.
func (t *Table) docs(ctx context.Context, oids []doc.OID, yield func(doc.Batch, error) bool) (more bool, err error) {
	more, err = t.fetch(ctx, yield, func(f *fetch) (bool, error) { return f.keyed(ctx, oids) })
	if !more || !poisoned(err) {
		return more, err
	}
	if len(oids) == 1 {
		return t.alone(ctx, oids[0], err, yield)
	}
	middle := len(oids) / 2
	if more, err := t.docs(ctx, oids[:middle], yield); !more || err != nil {
		return more, err
	}
	return t.docs(ctx, oids[middle:], yield)
}

// rangeByKeys reads a range of which some row is poisoned: pages of keys, and
// then the rows by key.
func (t *Table) rangeByKeys(ctx context.Context, r doc.Range, yield func(doc.Batch, error) bool) error {
	var page keyPage
	for {
		more, err := t.fetch(ctx, yield, func(f *fetch) (_ bool, err error) {
			page, err = t.keyPage(ctx, f.tx, r, page.last)
			f.batch.Rejects = page.rejects
			return true, err
		})
		if more && err == nil && len(page.oids) > 0 {
			more, err = t.docs(ctx, page.oids, yield)
		}
		if !more || err != nil {
			return err
		}
		if page.rows < t.batch {
			break
		}
	}
	if r.To != "" {
		return nil
	}
	_, err := t.fetch(ctx, yield, func(f *fetch) (_ bool, err error) {
		f.batch.Rejects, err = t.keyless(ctx, f.tx)
		return true, err
	})
	return err
}
