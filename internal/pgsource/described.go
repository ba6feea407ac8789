package pgsource

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"indexerd/internal/doc"
)

// A result is the rows of one query. If its description differs from the
// view's, it has no rows and Close returns doc.ErrChangedResult.
//
// Rows are decoded by the positions and types found when the table was
// described. An ALTER TABLE changes both under a SELECT *. So before a row is
// used, the server's description of the same statement is compared with the
// view:
//
//   - A query of whole rows (query.returns) brings the description with it.
//   - A query of keys, updateTimes or digests (query.reads) does not show the
//     columns of which a digest is made. The view is described in the same
//     message, once in each transaction, without another round trip.
//
// A transaction locks what its statements refer to until its end, so a
// description holds for the whole transaction.
type result struct {
	reader   *pgconn.ResultReader // nil: none
	pipeline *pgconn.Pipeline     // nil: the query was sent without descriptions
	fault    error
}

func (r *result) NextRow() bool { return r.fault == nil && r.reader.NextRow() }

// Values returns the values of the row, valid until the next NextRow.
func (r *result) Values() [][]byte { return r.reader.Values() }

// Close reads the remaining rows.
func (r *result) Close() (pgconn.CommandTag, error) {
	var tag pgconn.CommandTag
	var err error
	if r.reader != nil {
		tag, err = r.reader.Close()
	}
	if r.pipeline != nil {
		err = errors.Join(err, r.pipeline.Close())
	}
	if r.fault != nil {
		err = r.fault
	}
	return tag, err
}

func (r *result) all() (rows [][][]byte, err error) {
	if r.fault == nil {
		rows = r.reader.Read().Rows
	}
	_, err = r.Close()
	return rows, err
}

// sendQuery sends a query. It calls stop, which ends the query on the server,
// if the result can't be used.
func (x *tx) sendQuery(ctx context.Context, q query, stop func()) *result {
	var r *result
	if views := x.undescribed(q.reads); len(views) > 0 {
		r = x.sendDescribed(ctx, q, views)
	} else {
		r = &result{reader: x.pg.ExecParams(ctx, q.sql, q.values, q.types, nil, nil)}
	}
	// A failed statement has no description.
	if q.returns != nil && r.fault == nil {
		if fields := r.reader.FieldDescriptions(); len(fields) > 0 {
			r.fault = q.returns.changed(fields[:len(fields)-1]) // without the token
		}
	}
	if errors.Is(r.fault, doc.ErrChangedResult) {
		stop()
	}
	return r
}

// undescribed returns the views not described yet in this transaction.
func (x *tx) undescribed(views []*view) (left []*view) {
	for _, v := range views {
		if !x.described[v] {
			left = append(left, v)
		}
	}
	return left
}

// sendDescribed sends a query together with descriptions of its views.
func (x *tx) sendDescribed(ctx context.Context, q query, views []*view) *result {
	r := &result{pipeline: x.pg.StartPipeline(ctx)}
	for _, v := range views {
		r.pipeline.SendPrepare("", v.describeSQL(), nil)
	}
	r.pipeline.SendQueryParams(q.sql, q.values, q.types, nil, nil)
	if r.fault = r.pipeline.Sync(); r.fault != nil {
		return r
	}
	for _, v := range views {
		if r.fault = v.receive(r.pipeline); r.fault != nil {
			return r
		}
		if x.described == nil {
			x.described = map[*view]bool{}
		}
		x.described[v] = true
	}
	r.reader, r.fault = next[*pgconn.ResultReader](r.pipeline)
	return r
}

func (v *view) receive(p *pgconn.Pipeline) error {
	described, err := next[*pgconn.StatementDescription](p)
	if err != nil {
		return err
	}
	return v.changed(described.Fields)
}

func next[T any](p *pgconn.Pipeline) (T, error) {
	answer, err := p.GetResults()
	one, ok := answer.(T)
	if err == nil && !ok {
		err = fmt.Errorf("the server answered with %T, want %T", answer, one)
	}
	return one, err
}

// describeSQL is the statement whose description is the view's.
func (v *view) describeSQL() string { return "SELECT " + v.sql.all() + " " + v.sql.from() }

// changed compares a description with the view's. The error is a
// doc.ErrChangedResult that names the first difference.
func (v *view) changed(fields []pgconn.FieldDescription) error {
	differ := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s: %s", doc.ErrChangedResult, v.paths.sql, fmt.Sprintf(format, args...))
	}
	for i, f := range fields[:min(len(fields), len(v.columns))] {
		c := v.columns[i]
		switch {
		case f.Name != c.name:
			return differ("column %d is %s, not %s", i+1, f.Name, c.name)
		case f.DataTypeOID != c.typ.oid || f.TypeModifier != c.mod:
			return differ("column %s has another type than %s", c.name, c.typ.name)
		case f.TableOID != c.origin || f.TableAttributeNumber != c.number:
			return differ("column %s is another column of the same name", c.name)
		}
	}
	if got, want := len(fields), len(v.columns); got != want {
		return differ("it has %d columns, not %d", got, want)
	}
	return nil
}

// described returns the part of the description that decides how a digest is
// read.
func (v *view) described() (parts []string) {
	for _, c := range v.columns {
		parts = append(parts, "column", c.name, c.typ.name)
	}
	return parts
}

// refersToMissing reports whether a statement refers to a column, table or
// operator that no longer exists (class 42). The statement was valid when the
// table was described, so the result has changed.
func refersToMissing(err error) bool {
	var server *serverError
	return errors.As(err, &server) && !errors.Is(err, doc.ErrUnavailable) && strings.HasPrefix(server.code, "42")
}

// ColumnsOf returns the names of the columns that an SQL returns now. Its
// errors are a *ConfigError or wrap doc.ErrUnavailable.
func (s *Source) ColumnsOf(ctx context.Context, sql string) (names []string, err error) {
	err = s.read(ctx, "", func(x *tx, _ opened) error {
		fields, err := x.prepare(ctx, wrap(sql), "sql")
		for _, f := range fields {
			names = append(names, f.Name)
		}
		return err
	})
	return names, err
}
