package mysql

import (
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// binaryTypes are the types, in the driver's words, whose values are bytes.
var binaryTypes = []string{"BINARY", "VARBINARY", "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BIT", "GEOMETRY", "VECTOR"}

// newColumn describes a column of a result.
func newColumn(t *sql.ColumnType) dialect.Column {
	c := dialect.Column{Name: t.Name(), Type: t.DatabaseTypeName(), Printed: true}
	digits, scale, _ := t.DecimalSize()
	switch c.Type {
	case "DECIMAL": // parameters have all digits before the point, and as many as fit after it
		c.Native = int(max(scale, min(30, 65-digits+scale)))
		c.Unscaled = scale == 0 && digits > integerDigits
		fallthrough
	case "DATETIME", "TIMESTAMP":
		c.Detail = strconv.FormatInt(scale, 10)
	}
	c.Kind, c.Value, c.Clock, c.Epochs = kind(c.Type, scale), value(c.Type), clock(c.Type, scale), epochs(c.Type)
	c.Untyped = c.Type == "BINARY" // the driver does not show the length
	if c.Type == "JSON" {
		c.Form = stdsql.Nested
	}
	return c
}

// integerDigits is how many digits the greatest integer of 64 bits has.
const integerDigits = 19

// kind returns the kind of a part of a key; 0 for a type that can't be one. A BINARY is
// a UUID unless its rows have another length: see Kind. An ENUM is ordered by the numbers of its labels, and compared
// as text.
func kind(name string, scale int64) doc.Kind {
	switch {
	case strings.HasSuffix(name, "INT"), name == "DECIMAL" && scale == 0, name == "YEAR", name == "BIT":
		return doc.Integer
	case name == "CHAR", name == "VARCHAR", strings.HasSuffix(name, "TEXT"):
		return doc.Text
	case name == "VARBINARY", strings.HasSuffix(name, "BLOB"):
		return doc.Bytes
	case name == "BINARY":
		return doc.UUID
	}
	return map[string]doc.Kind{"DECIMAL": doc.Decimal, "FLOAT": doc.Real, "DOUBLE": doc.Real, "DATE": doc.Date, "DATETIME": doc.Wall, "TIMESTAMP": doc.Instant}[name]
}

// KindQuery implements dialect.Typer. All values of a BINARY have the same length.
func (*DB) KindQuery(expr string) (columns string, rows int) { return "LENGTH(" + expr + ")", 1 }

// Kind implements dialect.Typer.
func (*DB) Kind(raw []any) (kind doc.Kind, what, do string) {
	switch {
	case raw == nil || raw[0] == nil:
		return 0, "", ""
	case raw[0] == int64(16):
		return doc.UUID, "", ""
	}
	return doc.Bytes, "", ""
}

// epochs returns how a number type stores updateTimes; nil: it does not.
func epochs(name string) dialect.Epochs {
	switch name {
	case "INT", "BIGINT", "UNSIGNED INT", "UNSIGNED BIGINT":
		return dialect.NumberEpochs{Whole: true}
	case "DECIMAL":
		return dialect.NumberEpochs{}
	}
	return nil
}

// clock returns how a time type stores updateTimes; nil: it is none.
func clock(name string, scale int64) *dialect.Clock {
	c := &dialect.Clock{Form: dialect.Wall, Precision: stdsql.Digits(int(scale)), Parse: parseRawTime, Write: writeTime}
	switch name {
	case "DATETIME":
	case "TIMESTAMP":
		c.Form = dialect.Instant
	case "DATE":
		c.Form, c.Precision = dialect.Day, 24*time.Hour
	default:
		return nil
	}
	return c
}

var writeTime = stdsql.Bound("2006-01-02 15:04:05.000000", time.Microsecond, time.Time{}, stdsql.LastTime)

func parseRawTime(raw any) (time.Time, error) { return dialect.ParseTime(raw.(string)) }

// value returns the conversion of values of a type. Values of other types stay
// text.
func value(name string) func(raw any) (any, error) {
	zone := ""
	switch name {
	case "BIT":
		return bits
	case "DECIMAL", "UNSIGNED BIGINT":
		return stdsql.Number
	case "SET":
		return words
	case "JSON":
		return stdsql.JSON
	case "TIMESTAMP":
		zone = "Z"
		fallthrough
	case "DATETIME":
		return func(raw any) (any, error) { return dialect.TimeText(raw.(string), zone), nil }
	}
	return stdsql.ScalarOrUUID
}

// bits returns the integer that at most 64 bits are.
func bits(raw any) (any, error) { return stdsql.Number(strconv.FormatUint(bitsOf(raw.([]byte)), 10)) }

func bitsOf(bytes []byte) (n uint64) {
	for _, b := range bytes {
		n = n<<8 | uint64(b)
	}
	return n
}

// words returns the members of a set.
func words(raw any) (any, error) {
	all := []any{}
	for word := range strings.SplitSeq(raw.(string), ",") {
		if word != "" {
			all = append(all, word)
		}
	}
	return all, nil
}

// isBinary reports whether values of a type are bytes.
func isBinary(name string) bool { return slices.Contains(binaryTypes, name) }
