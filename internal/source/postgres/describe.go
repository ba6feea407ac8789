package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// A columnType is a column's type in the catalog. Domains are replaced by their
// base types.
type columnType struct {
	OID     uint32
	Name    string // as SQL writes it
	Array   uint32 // the type of its arrays; 0: none
	Element uint32 // the type of its elements; 0: it is no array
	Enum    bool
	mod     int32 // the modifier, such as a precision; -1: none
}

// A native is what the package keeps of a column.
type native struct {
	oid    uint32
	mod    int32
	table  uint32 // the table of which it is a column; 0: it is an expression
	number uint16 // of the column in the table
	param  uint32 // type of a parameter that is compared with it
	array  uint32 // type of an array of those
	enum   string // the type's name; "": it is no enum
}

func nativeOf(c *dialect.Column) native { return c.Native.(native) }

// Describe implements dialect.Session. The server parses the SQL and starts it
// without reading a row. This also finds a missing privilege, and a lock that the
// SQL would take.
func (x *session) Describe(ctx context.Context, sql dialect.Wrapped) ([]dialect.Column, error) {
	ctx, cancel := x.limit(ctx)
	defer cancel()
	statement := "SELECT " + sql.Alias + ".*, " + x.db.Token(&dialect.Described{Wrapped: sql}, nil) + " " + sql.From() + " LIMIT 0"
	described, err := x.pg.Prepare(ctx, "", statement, nil)
	if err != nil {
		return nil, x.describeFault(ctx, sql, statement, err)
	}
	if len(described.ParamOIDs) > 0 {
		return nil, &dialect.Fault{Subject: dialect.AboutStatement, Text: "it has a parameter ($1)", Hint: "write the value into the SQL"}
	}
	if err := x.pg.ExecParams(ctx, statement, nil, nil, nil, nil).Read().Err; err != nil {
		return nil, x.describeFault(ctx, sql, statement, err)
	}
	fields := described.Fields[:len(described.Fields)-1]
	types, err := x.types(ctx, fields)
	if err != nil {
		return nil, err
	}
	columns := make([]dialect.Column, len(fields))
	for i, f := range fields {
		t := types[f.DataTypeOID]
		t.mod = f.TypeModifier
		columns[i] = newColumn(f, t)
	}
	return columns, nil
}

// describeFault is fault with the line of the user's SQL.
func (x *session) describeFault(ctx context.Context, sql dialect.Wrapped, statement string, err error) error {
	var pg *pgconn.PgError
	var fault *dialect.Fault
	fails := x.fault(ctx, err)
	if errors.As(err, &pg) && errors.As(fails, &fault) {
		fault.Line = lineOf(sql.SQL, statement, int(pg.Position))
	}
	return fails
}

// lineOf returns the line of an SQL at a position of a statement that contains it,
// in characters from 1; 0 if the position is outside or unknown.
func lineOf(sql, statement string, position int) int {
	before, _, ok := strings.Cut(statement, sql)
	runes := []rune(sql)
	at := position - 1 - utf8.RuneCountInString(before)
	if !ok || at < 0 || at >= len(runes) {
		return 0
	}
	return 1 + strings.Count(string(runes[:at]), "\n")
}

func (x *session) types(ctx context.Context, fields []pgconn.FieldDescription) (map[uint32]columnType, error) {
	oids := make([]string, len(fields))
	for i, f := range fields {
		oids[i] = strconv.FormatUint(uint64(f.DataTypeOID), 10)
	}
	all, err := many[columnType](ctx, x, repeated("types").bind(pgtype.OIDArrayOID, arrayOf(oids)))
	types := make(map[uint32]columnType, len(all))
	for _, t := range all {
		types[t.OID] = t
	}
	return types, err
}

func newColumn(f pgconn.FieldDescription, t columnType) dialect.Column {
	param, array := t.OID, t.Array
	switch t.OID {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID: // they share an operator family
		param, array = pgtype.Int8OID, pgtype.Int8ArrayOID
	}
	c := columnOf(f)
	c.Type, c.Value, c.Form, c.Kind, c.Clock, c.Epochs = t.Name, t.value(), t.form(), t.kind(), t.clock(), t.epochs()
	c.Unscaled = t.unscaled()
	enum := ""
	if t.Enum {
		enum = t.Name
	}
	c.Native = native{t.OID, f.TypeModifier, f.TableOID, f.TableAttributeNumber, param, array, enum}
	return c
}

// columnOf returns what identifies a column without its type's name.
func columnOf(f pgconn.FieldDescription) dialect.Column {
	c := dialect.Column{Name: f.Name, Detail: fmt.Sprintf("%d(%d)", f.DataTypeOID, f.TypeModifier)}
	if f.TableOID != 0 {
		c.Origin = fmt.Sprintf("%d.%d", f.TableOID, f.TableAttributeNumber)
	}
	return c
}

// checkColumns returns doc.ErrChangedResult if an SQL returns other columns now
// than it did when it was described. The name of another type is not known.
func checkColumns(d *dialect.Described, fields []pgconn.FieldDescription) error {
	same := len(fields) == len(d.Columns)
	for i := 0; same && i < len(fields); i++ {
		f, c := &fields[i], nativeOf(&d.Columns[i])
		same = f.Name == d.Columns[i].Name && f.DataTypeOID == c.oid && f.TypeModifier == c.mod && f.TableOID == c.table && f.TableAttributeNumber == c.number
	}
	if same {
		return nil
	}
	now := make([]dialect.Column, len(fields))
	for i, f := range fields {
		if now[i] = columnOf(f); i < len(d.Columns) {
			now[i].Type = d.Columns[i].Type
		}
	}
	return dialect.Changed(d, now)
}

// kind returns the kind of a part of a key; 0 for a type that can't be one.
//
// Text keys are text, varchar, char
// (without its padding), name, citext and enums, which PostgreSQL orders by their
// declaration.
func (t columnType) kind() doc.Kind {
	switch t.OID {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID:
		return doc.Integer
	case pgtype.NumericOID:
		if _, scale := t.digits(); scale > 0 {
			return doc.Decimal
		}
		return doc.Integer
	case pgtype.Float4OID, pgtype.Float8OID:
		return doc.Real
	case pgtype.BoolOID:
		return doc.Boolean
	case pgtype.ByteaOID:
		return doc.Bytes
	case pgtype.DateOID:
		return doc.Date
	case pgtype.TimestamptzOID:
		return doc.Instant
	case pgtype.TimestampOID:
		return doc.Wall
	case pgtype.UUIDOID:
		return doc.UUID
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.BPCharOID, pgtype.NameOID:
		return doc.Text
	}
	if t.Enum || t.isNamed("citext") {
		return doc.Text
	}
	return 0
}

// isNamed reports whether a type is an extension's of this name. It has no fixed OID.
func (t columnType) isNamed(name string) bool {
	return t.Name == name || strings.HasSuffix(t.Name, "."+name)
}

// digits returns the precision and the scale of a numeric; 0: none is declared. The low 11
// bits of a modifier from 4 on hold the scale, in two's complement, and those above 16 the
// precision.
func (t columnType) digits() (precision, scale int) {
	if t.mod < 4 {
		return 0, 0
	}
	if scale = int((t.mod - 4) & 0x7ff); scale >= 0x400 {
		scale -= 0x800
	}
	return int((t.mod - 4) >> 16), scale
}

// unscaled reports whether a numeric may have a fraction without a declared scale, or more
// than 64 bits.
func (t columnType) unscaled() bool {
	precision, scale := t.digits()
	return t.OID == pgtype.NumericOID && scale <= 0 && (precision == 0 || precision-scale > integerDigits)
}

// integerDigits is how many digits the greatest integer of 64 bits has.
const integerDigits = 19

// clock returns how a time type stores updateTimes; nil: it is none.
func (t columnType) clock() *dialect.Clock {
	c := &dialect.Clock{Form: dialect.Wall, Precision: timestampTick(t.mod), Parse: parseRawTime, Write: writeAs("2006-01-02 15:04:05.000000")}
	switch t.OID {
	case pgtype.TimestampOID:
	case pgtype.TimestamptzOID:
		c.Form, c.Write = dialect.Instant, writeAs("2006-01-02 15:04:05.000000+00")
	case pgtype.DateOID:
		c.Form, c.Precision, c.Write = dialect.Day, 24*time.Hour, writeAs("2006-01-02")
	default:
		return nil
	}
	return c
}

func parseRawTime(raw any) (time.Time, error) { return dialect.ParseTime(*raw.(*string)) }

func writeAs(layout string) func(time.Time) any {
	return func(figures time.Time) any { return figures.Format(layout) }
}

// timestampTick returns the precision of a timestamp type: timestamp(3) has
// milliseconds.
func timestampTick(mod int32) time.Duration {
	tick := time.Microsecond
	for ; mod >= 0 && mod < 6; mod++ {
		tick *= 10
	}
	return tick
}

// epochs returns how a number type stores updateTimes; nil: it does not.
func (t columnType) epochs() dialect.Epochs {
	switch t.OID {
	case pgtype.Int4OID, pgtype.Int8OID:
		return dialect.NumberEpochs{Whole: true}
	case pgtype.NumericOID:
		return dialect.NumberEpochs{}
	}
	return nil
}
