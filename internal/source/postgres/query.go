package postgres

import (
	"context"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A query is a statement with its parameters in text form.
type query struct {
	sql    string
	values [][]byte
	types  []uint32
	reads  []*dialect.Described
	name   string // of the prepared statement; "": unnamed
}

//go:embed queries.sql
var queriesFile string

// queries are the statements of queries.sql by name.
var queries = parseQueries(queriesFile)

func parseQueries(file string) map[string]string {
	all := map[string]string{}
	for _, section := range strings.Split(file, "\n-- :")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		for strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "\n")
		}
		for part, sql := range all {
			text = strings.ReplaceAll(text, "{"+part+"}", sql)
		}
		all[name] = strings.TrimSpace(text)
	}
	return all
}

// stored returns a statement of queries.sql.
func stored(name string) query { return query{sql: queries[name]} }

// repeated returns a statement of queries.sql that is run again and again, every
// second or for each table. Where no pooler is in between, it is prepared: parsing and
// planning it would take most of the server's time.
func repeated(name string) query { return query{sql: queries[name], name: name} }

// bind returns the query with one more parameter.
func (q query) bind(oid uint32, value string) query {
	q.values, q.types = append(q.values, []byte(value)), append(q.types, oid)
	return q
}

func newQuery(s dialect.Statement) query {
	q := query{sql: s.SQL, reads: s.Reads}
	for _, a := range s.Args {
		single := a.As != nil && nativeOf(a.As).oid == pgtype.Float4OID
		value, oid := encode(rounded(a.Value, single))
		switch {
		case a.List != nil && a.As == nil:
			value, oid = []byte(arrayOf(a.List)), pgtype.TextArrayOID
		case a.List != nil:
			for i := range a.List {
				a.List[i] = rounded(a.List[i], single)
			}
			value, oid = []byte(arrayOf(a.List)), nativeOf(a.As).array
		case a.As != nil:
			oid = nativeOf(a.As).param
		}
		q.values, q.types = append(q.values, value), append(q.types, oid)
	}
	return q
}

// rounded returns a value that is compared with a real of single precision. It has
// that precision: the server rejects a number that is too large for it.
func rounded(value any, single bool) any {
	if v, ok := value.(float64); ok && single {
		return strconv.FormatFloat(float64(float32(v)), 'g', -1, 32)
	}
	return value
}

// encode returns a parameter's text form, nil for NULL, and the type of a parameter
// that is compared with no column.
func encode(value any) (text []byte, oid uint32) {
	switch v := value.(type) {
	case nil:
		return nil, pgtype.TextOID
	case string:
		return []byte(v), pgtype.TextOID
	case int64:
		return strconv.AppendInt(nil, v, 10), pgtype.Int8OID
	case float64:
		return strconv.AppendFloat(nil, v, 'f', -1, 64), pgtype.Float8OID // an integer type takes no exponent
	case bool:
		return strconv.AppendBool(nil, v), pgtype.BoolOID
	case [16]byte:
		return []byte(doc.FormatUUID(v)), pgtype.UUIDOID
	case doc.Blob:
		return []byte(`\x` + hex.EncodeToString([]byte(v))), pgtype.ByteaOID
	}
	return fmt.Append(nil, value), pgtype.TextOID
}

var itemEscape = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// arrayOf returns the text form of an array of one dimension.
func arrayOf[T any](items []T) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		text, _ := encode(item)
		if text == nil {
			b.WriteString("NULL")
			continue
		}
		b.WriteByte('"')
		itemEscape.WriteString(&b, string(text))
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// Query implements dialect.Session. Each value is nil or a *string.
func (x *session) Query(ctx context.Context, s dialect.Statement, row func(raw []any) bool) (all bool, err error) {
	if s.Slow && !x.unlimited {
		if _, err := x.rows(ctx, query{sql: "SELECT set_config('statement_timeout', '0', true), set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)"}); err != nil {
			return false, err
		}
		x.unlimited = true
	}
	ctx, cancel := x.limit(ctx)
	defer cancel()
	r := x.send(ctx, newQuery(s), cancel)
	for r.next() {
		if !row(x.load(r.reader.Values())) {
			cancel() // stops the statement on the server
			_ = r.close()
			return false, nil
		}
	}
	return true, x.fault(ctx, r.close())
}

// limit returns the context of a statement. It ends within the statement timeout
// plus roundTripTimeout, even if the network has failed and the server's answer
// can't arrive.
func (x *session) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if x.unlimited {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, x.db.statementTimeout+roundTripTimeout, errNoAnswer)
}

// load copies a row's values, since the driver reuses their buffers, into one
// string that all of them share.
func (x *session) load(values [][]byte) []any {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	var b strings.Builder
	b.Grow(size)
	for _, v := range values {
		b.Write(v)
	}
	if len(x.texts) < len(values) {
		x.texts, x.raw = make([]string, len(values)), make([]any, len(values))
	}
	text, at := b.String(), 0
	for i, v := range values {
		if v == nil {
			x.raw[i] = nil
			continue
		}
		x.texts[i] = text[at : at+len(v)]
		x.raw[i] = &x.texts[i]
		at += len(v)
	}
	return x.raw[:len(values)]
}

// rows runs a query and returns its rows.
func (x *session) rows(ctx context.Context, q query) ([][][]byte, error) {
	ctx, cancel := x.limit(ctx)
	defer cancel()
	if q.name != "" && x.db.direct.Load() {
		if err := x.prepare(ctx, q); err != nil {
			return nil, x.fault(ctx, err)
		}
		r := x.pg.ExecPrepared(ctx, q.name, q.values, nil, nil).Read()
		return r.Rows, x.fault(ctx, r.Err)
	}
	r := x.pg.ExecParams(ctx, q.sql, q.values, q.types, nil, nil).Read()
	return r.Rows, x.fault(ctx, r.Err)
}

// prepare prepares a statement, once on each connection.
func (x *session) prepare(ctx context.Context, q query) error {
	done := x.pg.CustomData()
	if done[q.name] != nil {
		return nil
	}
	_, err := x.pg.Prepare(ctx, q.name, q.sql, q.types)
	if err == nil {
		done[q.name] = true
	}
	return err
}

// many runs a query whose columns have the names of the fields of T.
func many[T any](ctx context.Context, x *session, q query) ([]T, error) {
	q.sql = "SELECT row_to_json(r) FROM (" + q.sql + ") r"
	rows, err := x.rows(ctx, q)
	if err != nil {
		return nil, err
	}
	all := make([]T, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row[0], &all[i]); err != nil {
			return nil, fmt.Errorf("row of the catalog: %w", err)
		}
	}
	return all, nil
}

// one is many for a query that returns one row.
func one[T any](ctx context.Context, x *session, q query) (row T, err error) {
	all, err := many[T](ctx, x, q)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("the server returned %d rows, want 1", len(all))
	}
	if err != nil {
		return row, err
	}
	return all[0], nil
}

// A micros is a time in microseconds since 1970, which no session setting changes;
// zero: NULL.
type micros struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *micros) UnmarshalJSON(text []byte) (err error) {
	if string(text) != "null" {
		m.Time, err = parseMicros(text)
	}
	return err
}

// A result is the rows of one statement. If an SQL that the statement reads
// returns other columns than when it was described, the result has no rows and
// close returns doc.ErrChangedResult.
//
// Rows are decoded by the positions and types found when the SQL was described,
// which an ALTER TABLE changes under a SELECT *. So the message with the first
// statement on an SQL in a transaction describes the SQL too. A transaction locks
// what its statements refer to, so the description holds until its end.
type result struct {
	reader   *pgconn.ResultReader // nil: none
	pipeline *pgconn.Pipeline     // nil: the statement was sent without descriptions
	fault    error
}

func (r *result) next() bool { return r.fault == nil && r.reader.NextRow() }

// close reads the remaining rows.
func (r *result) close() error {
	var err error
	if r.reader != nil {
		_, err = r.reader.Close()
	}
	if r.pipeline != nil {
		err = errors.Join(err, r.pipeline.Close())
	}
	if r.fault != nil {
		return r.fault
	}
	return err
}

// send sends a query. It calls stop, which ends the query on the server, if the
// result can't be used.
func (x *session) send(ctx context.Context, q query, stop func()) *result {
	unchecked := slices.DeleteFunc(slices.Clone(q.reads), func(d *dialect.Described) bool { return x.described[d] })
	if len(unchecked) == 0 {
		return &result{reader: x.pg.ExecParams(ctx, q.sql, q.values, q.types, nil, nil)}
	}
	r := x.sendDescribed(ctx, q, unchecked)
	if errors.Is(r.fault, doc.ErrChangedResult) {
		stop()
	}
	return r
}

// sendDescribed sends a query together with descriptions of SQLs that it reads.
func (x *session) sendDescribed(ctx context.Context, q query, reads []*dialect.Described) *result {
	r := &result{pipeline: x.pg.StartPipeline(ctx)}
	for _, d := range reads {
		r.pipeline.SendPrepare("", everything(d.Wrapped), nil)
	}
	r.pipeline.SendQueryParams(q.sql, q.values, q.types, nil, nil)
	if r.fault = r.pipeline.Sync(); r.fault != nil {
		return r
	}
	for _, d := range reads {
		now, err := answer[*pgconn.StatementDescription](r.pipeline)
		if err != nil {
			r.fault = dialect.Missing(d, x.fault(ctx, err))
			return r
		}
		if r.fault = checkColumns(d, now.Fields); r.fault != nil {
			return r
		}
		x.described[d] = true
	}
	r.reader, r.fault = answer[*pgconn.ResultReader](r.pipeline)
	return r
}

func answer[T any](p *pgconn.Pipeline) (T, error) {
	got, err := p.GetResults()
	one, ok := got.(T)
	if err == nil && !ok {
		err = fmt.Errorf("the server answered with %T, want %T", got, one)
	}
	return one, err
}

// everything is the statement that returns all columns of an SQL.
func everything(sql dialect.Wrapped) string { return "SELECT " + sql.Alias + ".* " + sql.From() }
