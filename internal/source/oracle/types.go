package oracle

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// The types with a time zone.
const (
	zonedTime = "TIMESTAMP WITH TIME ZONE"
	localTime = "TIMESTAMP WITH LOCAL TIME ZONE"
)

// typeNames are the server's names of types that the driver names otherwise. It has no
// name for the newest.
var typeNames = map[string]string{
	"NCHAR": "VARCHAR2", "VARCHAR": "VARCHAR2", "IBFloat": "BINARY_FLOAT", "BFloat": "BINARY_FLOAT", "IBDouble": "BINARY_DOUBLE", "BDouble": "BINARY_DOUBLE",
	"OCIClobLocator": "CLOB", "OCIBlobLocator": "BLOB", "OCIFileLocator": "BFILE", "LongRaw": "LONG RAW", "LongVarChar": "LONG", "LongVarRaw": "LONG RAW",
	"OCIXMLType": "XMLTYPE", "XMLType": "XMLTYPE", "TimeStampDTY": "TIMESTAMP", "TimeStampTZ_DTY": zonedTime, "TimeStampTZ": zonedTime,
	"TimeStampLTZ_DTY": localTime, "TimeStampeLTZ": localTime, "IntervalYM_DTY": "INTERVAL", "IntervalDS_DTY": "INTERVAL", "IntervalYM": "INTERVAL", "IntervalDS": "INTERVAL",
	"UROWID": "ROWID", "TNSType(119)": "JSON", "TNSType(127)": "VECTOR", "TNSType(252)": "BOOLEAN",
}

func typeName(name string) string {
	if known, ok := typeNames[name]; ok {
		return known
	}
	return name
}

// newColumn describes a column of a result. Its Value is nil if the driver can't read
// the type.
func newColumn(t *sql.ColumnType) dialect.Column {
	c := dialect.Column{Name: shown(t.Name()), Type: typeName(t.DatabaseTypeName())}
	precision, scale, _ := t.DecimalSize()
	if c.Type == "NUMBER" {
		c.Detail = strconv.FormatInt(scale, 10)
		c.Printed, c.Unscaled = true, whole(scale) && (scale != 0 || precision > integerDigits)
	}
	c.Kind, c.Value, c.Clock = kind(c.Type, scale), value(c.Type), clock(c.Type)
	if c.Type == "JSON" || c.Type == "XMLTYPE" {
		c.Form = stdsql.Nested
	}
	if c.Type == "NUMBER" {
		c.Epochs = dialect.NumberEpochs{Whole: whole(scale) && scale != noScale}
	}
	return c
}

// integerDigits is how many digits the greatest integer of 64 bits has.
const integerDigits = 19

// noScale is what the driver returns for a NUMBER without a scale.
const noScale = 255

// whole reports whether a NUMBER has no fraction, or does not say so. A negative scale
// is one of more than 128.
func whole(scale int64) bool { return scale <= 0 || scale > 128 }

// kind returns the kind of a part of a key; 0 for a type that can't be one. Sixteen
// bytes are a UUID.
func kind(name string, scale int64) doc.Kind {
	switch {
	case name == "NUMBER" && whole(scale):
		return doc.Integer
	case name == "NUMBER":
		return doc.Decimal
	case name == "VARCHAR2", name == "CHAR":
		return doc.Text
	case name == "RAW":
		return doc.UUID
	}
	return 0
}

// clock returns how a time type stores updateTimes; nil: it is none. The driver does
// not show how many digits a TIMESTAMP has.
func clock(name string) *dialect.Clock {
	c := &dialect.Clock{Form: dialect.Wall, Precision: time.Second, Parse: parseTime, Write: writeTime}
	switch name {
	case "DATE":
		c.Write = writeDate
	case "TIMESTAMP":
	case zonedTime, localTime:
		c.Form, c.Write = dialect.Instant, writeInstant
	default:
		return nil
	}
	return c
}

// A DATE is not before a time if it is not before the next second.
var (
	writeTime    = stdsql.Bound("2006-01-02 15:04:05.000000000", 1, time.Time{}, stdsql.LastTime)
	writeDate    = stdsql.Bound(time.DateTime, time.Second, time.Time{}, stdsql.LastTime)
	writeInstant = stdsql.Bound("2006-01-02 15:04:05.000000000 -07:00", 1, time.Time{}, stdsql.LastTime)
)

func parseTime(raw any) (time.Time, error) {
	t, ok := raw.(time.Time)
	if !ok || t.Year() < 1 {
		return time.Time{}, fmt.Errorf("%s is not a time of the years 1 to 9999", dialect.Show(raw))
	}
	return t, nil
}

// converted returns a driver's value as a raw value. A time without a zone has its
// figures, as UTC: the driver gives it the offset that the server had when it connected.
// A NUMBER comes as text.
func converted(typ string, v any) any {
	switch v := v.(type) {
	case time.Time:
		if typ == zonedTime {
			return v.UTC()
		}
		return time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), v.Second(), v.Nanosecond(), time.UTC)
	case string:
		switch typ {
		case "NUMBER":
			if n, err := strconv.ParseInt(v, 10, 64); err == nil {
				return n
			}
		case "CHAR":
			return strings.TrimRight(v, " ")
		}
	}
	return v
}

// value returns the conversion of values of a type to those of documents; nil: there
// is none.
func value(name string) func(raw any) (any, error) {
	switch name {
	case "NUMBER":
		return stdsql.Number
	case "DATE", "TIMESTAMP":
		return shownTime("2006-01-02T15:04:05.000000")
	case zonedTime, localTime:
		return shownTime("2006-01-02T15:04:05.000000Z")
	case "RAW":
		return stdsql.ScalarOrUUID
	case "VARCHAR2", "CHAR", "CLOB", "BLOB", "BINARY_FLOAT", "BINARY_DOUBLE", "INTERVAL", "ROWID", "VECTOR", "BOOLEAN":
		return stdsql.Scalar
	case "JSON":
		return stdsql.JSON
	case "XMLTYPE":
		return stdsql.XML
	}
	return nil
}

func shownTime(layout string) func(raw any) (any, error) {
	return func(raw any) (any, error) {
		t, err := parseTime(raw)
		return t.Format(layout), err
	}
}
