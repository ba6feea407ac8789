package stdsql

import (
	"context"
	"slices"

	"indexerd/internal/source/dialect"
)

// Query returns the rows of a query of the catalog, which are few.
func Query(ctx context.Context, s dialect.Session, sql string, args ...any) (rows []Row, err error) {
	st := dialect.Statement{SQL: sql}
	for _, a := range args {
		st.Args = append(st.Args, dialect.Arg{Value: a})
	}
	_, err = s.Query(ctx, st, func(raw []any) bool {
		rows = append(rows, slices.Clone(raw))
		return true
	})
	return rows, err
}

// A Row is a row of a query of the catalog.
type Row []any

// Text returns a text; "" for NULL and every other type.
func (r Row) Text(i int) string {
	s, _ := r[i].(string)
	return s
}

// Number returns an integer; 0 for NULL and every other type.
func (r Row) Number(i int) int64 {
	n, _ := r[i].(int64)
	return n
}
