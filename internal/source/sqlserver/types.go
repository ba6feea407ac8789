package sqlserver

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// A native is what the server reports of a column. It is Column.Native.
type native struct {
	name             string // of the type, such as nvarchar
	arguments        string // of the type, such as (100), (max) or (10,2)
	precision, scale int    // of a decimal; of a time: scale is its digits
	collation        string // of a text
	origin           origin // the table's column that it is
}

// An origin is a column of a table; zero: none.
type origin struct{ database, schema, table, column string }

// sql returns the table as SQL writes it.
func (o origin) sql() string { return quote(o.schema) + "." + quote(o.table) }

// plain is the type of parameters that have their values' own.
var plain = &native{}

func nativeOf(c *dialect.Column) *native {
	if n, ok := c.Native.(*native); ok {
		return n
	}
	return plain
}

// newNative parses a type, such as decimal(10,2).
func newNative(text, collation string) *native {
	n := &native{collation: collation}
	n.name, n.arguments, _ = strings.Cut(strings.ToLower(text), "(")
	if n.arguments == "" {
		return n
	}
	n.arguments = "(" + n.arguments
	first, second, both := strings.Cut(strings.Trim(n.arguments, "()"), ",")
	number, _ := strconv.Atoi(first)
	if n.scale = number; both {
		n.precision = number
		n.scale, _ = strconv.Atoi(second)
	}
	return n
}

func (n *native) is(names ...string) bool { return slices.Contains(names, n.name) }

func (n *native) isDecimal() bool { return n.is("decimal", "numeric") }

// isLong reports whether values may be longer than 8,000 bytes.
func (n *native) isLong() bool {
	return n.arguments == "(max)" || n.is("text", "ntext", "image", "xml")
}

// isUser reports whether the type is one of the common language runtime.
func (n *native) isUser() bool { return n.is("hierarchyid", "geometry", "geography") }

// isKnown reports whether the driver decodes values of the type alone.
func (n *native) isKnown() bool {
	return n.isDecimal() || n.is("bigint", "int", "smallint", "tinyint", "bit", "money", "smallmoney", "float", "real",
		"char", "varchar", "text", "nchar", "nvarchar", "ntext", "xml", "binary", "varbinary", "image", "timestamp", "rowversion", "uniqueidentifier",
		"date", "time", "datetime", "smalldatetime", "datetime2", "datetimeoffset")
}

// newColumn describes a column of a result.
func newColumn(name string, n *native) dialect.Column {
	c := dialect.Column{Name: name, Type: n.name, Detail: n.arguments + " " + n.collation, Native: n, Kind: n.kind(), Value: stdsql.Scalar, Clock: n.clock(), Apart: n.name == "uniqueidentifier"}
	c.Printed, c.Unscaled = n.isDecimal(), n.isDecimal() && n.scale == 0 && n.precision > integerDigits
	if o := n.origin; o != (origin{}) {
		c.Origin = strings.Join([]string{o.database, o.schema, o.table, o.column}, ".")
	}
	switch {
	case n.isDecimal(), n.is("money", "smallmoney"):
		c.Value = stdsql.Number
	case n.is("json"):
		c.Value, c.Form = stdsql.JSON, stdsql.Nested
	case n.is("xml"):
		c.Value, c.Form = stdsql.XML, stdsql.Nested
	case c.Kind == doc.UUID:
		c.Value = func(raw any) (any, error) { return doc.FormatUUID([16]byte(raw.([]byte))), nil }
	}
	switch {
	case n.is("int", "bigint"):
		c.Epochs = dialect.NumberEpochs{Whole: true}
	case n.isDecimal():
		c.Epochs = dialect.NumberEpochs{}
	}
	return c
}

// integerDigits is how many digits the greatest integer of 64 bits has.
const integerDigits = 19

// kind returns the kind of a part of a key; 0 for a type that can't be one.
func (n *native) kind() doc.Kind {
	switch {
	case n.is("bigint", "int", "smallint", "tinyint"), n.isDecimal() && n.scale == 0:
		return doc.Integer
	case n.isDecimal():
		return doc.Decimal
	case n.is("char", "varchar", "nchar", "nvarchar"):
		return doc.Text
	case n.is("uniqueidentifier"), n.is("binary") && n.arguments == "(16)":
		return doc.UUID
	case n.is("bit"):
		return doc.Boolean
	}
	return 0
}

// epochDigits are the digits after the point of a bound of an updateTime.
const epochDigits = 6

// cast returns a parameter as a value of the column's type.
func (n *native) cast(p string) string {
	switch {
	case n.isDecimal():
		scale := n.scale
		if n.precision-n.scale <= 38-epochDigits {
			scale = max(scale, epochDigits)
		}
		return fmt.Sprintf("CAST(%s AS decimal(38,%d))", p, scale)
	case n.is("char", "varchar", "text") && n.collation != "":
		length := "8000"
		if n.isLong() {
			length = "max"
		}
		return fmt.Sprintf("CAST(%s COLLATE %s AS varchar(%s))", p, n.collation, length)
	case n.is("date", "time", "datetime", "smalldatetime", "datetime2", "datetimeoffset"):
		return "CAST(" + p + " AS " + n.name + n.arguments + ")"
	}
	return p
}

// bytes returns the bytes that the server stores of a value. Only texts, bytes and
// user types can be long.
func (n *native) bytes(expr string) string {
	cast := func(expr, as string) string { return "CAST(" + expr + " AS " + as + ")" }
	switch {
	case n.is("xml", "ntext", "nvarchar", "nchar"), !n.isKnown() && !n.isUser() && n.name != "sql_variant":
		return cast(cast(expr, "nvarchar(max)"), "varbinary(max)")
	case n.is("text", "varchar", "char"):
		return cast(cast(expr, "varchar(max)"), "varbinary(max)")
	case n.is("image", "varbinary", "binary"), n.isUser():
		return cast(expr, "varbinary(max)")
	case n.is("sql_variant"):
		return cast(cast("SQL_VARIANT_PROPERTY("+expr+", 'BaseType')", "nchar(128)"), "varbinary(256)") + " + " + cast(expr, "varbinary(8000)")
	}
	return cast(expr, "varbinary(20)")
}

// The forms of times in raw values, documents and parameters. A text that becomes a
// datetime has three digits at most.
const (
	secondForm  = "2006-01-02T15:04:05"
	milliForm   = secondForm + ".000"
	wallForm    = secondForm + ".000000"
	instantForm = wallForm + "Z07:00"
)

// timeText returns a time as a type shows it. Only datetime2 and datetimeoffset have
// a seventh digit, which is shown if it is not 0.
func timeText(t time.Time, typeName string) string {
	forms := map[string]string{"DATE": time.DateOnly, "DATETIME": milliForm, "SMALLDATETIME": secondForm, "TIME": "15:04:05.000000", "DATETIMEOFFSET": instantForm}
	form := cmp.Or(forms[typeName], wallForm)
	if t.Nanosecond()%1000 != 0 {
		form = strings.Replace(form, ".000000", ".0000000", 1)
	}
	return t.UTC().Format(form)
}

// clock returns how a time type stores updateTimes; nil: it is none.
func (n *native) clock() *dialect.Clock {
	c := &dialect.Clock{Form: dialect.Wall, Precision: stdsql.Digits(n.scale), Parse: parseTime}
	form, first, last := wallForm, time.Time{}, stdsql.LastTime
	switch n.name {
	case "datetime":
		c.Precision = datetimeTick
		write := stdsql.Bound(milliForm, 1, time.Date(1753, 1, 1, 0, 0, 0, 0, time.UTC), last.Truncate(time.Second).Add(997*time.Millisecond))
		c.Write = func(figures time.Time) any { return write(ceilTick(figures)) }
		return c
	case "smalldatetime":
		c.Precision, form = time.Minute, secondForm
		first, last = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2079, 6, 6, 23, 59, 0, 0, time.UTC)
	case "datetime2":
	case "datetimeoffset":
		c.Form, form = dialect.Instant, instantForm
	case "date":
		c.Form, c.Precision, form = dialect.Day, 24*time.Hour, time.DateOnly
	default:
		return nil
	}
	c.Write = stdsql.Bound(form, c.Precision, first, last)
	return c
}

// datetimeTick is more than the 1/300 s of a datetime, which is shown in whole
// milliseconds.
const datetimeTick = 4 * time.Millisecond

// ceilTick returns the first datetime, as it is shown, that is not before a time.
func ceilTick(t time.Time) time.Time {
	second := t.Truncate(time.Second)
	for tick := int64(t.Sub(second)) * 300 / int64(time.Second); ; tick++ {
		shown := second.Add(time.Duration(math.Round(float64(tick)*10/3)) * time.Millisecond)
		if !shown.Before(t) {
			return shown
		}
	}
}

// parseTime reads the text of a raw time and rounds down to microseconds.
func parseTime(raw any) (time.Time, error) {
	text, _ := raw.(string)
	for _, form := range []string{secondForm + "Z07:00", secondForm, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC().Truncate(time.Microsecond), nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is not a time of the years 1 to 9999", dialect.Show(raw))
}
