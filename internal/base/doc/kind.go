package doc

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
)

// A Kind is the type of one part of a key.
type Kind byte

// The kinds of key. All but Text sort the same way in Go and in a database.
const (
	Integer Kind = 0x11 // int64
	Decimal Kind = 0x13 // Number
	Real    Kind = 0x15 // float64
	Boolean Kind = 0x17 // bool
	Text    Kind = 0x21 // string
	Bytes   Kind = 0x23 // Blob
	UUID    Kind = 0x31 // [16]byte
	Date    Kind = 0x41 // Day
	Instant Kind = 0x43 // UTC
	Wall    Kind = 0x45 // Local
)

// A Blob is a part of a key that is bytes, not text.
type Blob string

var kindNames = map[Kind]string{
	Integer: "integer", Decimal: "decimal", Real: "real", Boolean: "boolean", Text: "text", Bytes: "bytes",
	UUID: "uuid", Date: "date", Instant: "instant", Wall: "time",
}

// String returns the kind's name, which ParseKind takes.
func (k Kind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("kind 0x%02x", byte(k))
}

// ParseKind returns the kind of a name.
func ParseKind(name string) (Kind, error) {
	for kind, known := range kindNames {
		if name == known {
			return kind, nil
		}
	}
	return 0, fmt.Errorf("%q is no kind of key", name)
}

// KindOf returns the kind of a part; 0 if it is none.
func KindOf(part any) Kind {
	switch part.(type) {
	case int64:
		return Integer
	case Number:
		return Decimal
	case float64:
		return Real
	case bool:
		return Boolean
	case string:
		return Text
	case Blob:
		return Bytes
	case [16]byte:
		return UUID
	case Day:
		return Date
	case UTC:
		return Instant
	case Local:
		return Wall
	}
	return 0
}

// PartText returns a part as text, which ParsePart takes.
func PartText(part any) string {
	switch v := part.(type) {
	case [16]byte:
		return FormatUUID(v)
	case Blob:
		return hex.EncodeToString([]byte(v))
	case float64:
		return realText(v)
	}
	return fmt.Sprint(part)
}

// ParsePart parses the text of a part.
func ParsePart(s string, kind Kind) (any, error) {
	switch kind {
	case Integer:
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not an integer of 64 bits", s)
		}
		return v, nil
	case Decimal:
		return ParseNumber(s)
	case Real:
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a number of 64 bits", s)
		}
		return v + 0, nil
	case Boolean:
		if s != "true" && s != "false" {
			return nil, fmt.Errorf("%q is neither true nor false", s)
		}
		return s == "true", nil
	case Text:
		return s, nil
	case Bytes:
		b, err := hex.DecodeString(s)
		if err != nil {
			return nil, fmt.Errorf("%q is not bytes in hex", s)
		}
		return Blob(b), nil
	case UUID:
		return ParseUUID(s)
	case Date:
		return ParseDay(s)
	case Instant:
		return ParseUTC(s)
	case Wall:
		return ParseLocal(s)
	}
	return nil, fmt.Errorf("unknown %v", kind)
}

// appendReal flips the sign bit of a positive number and all bits of a negative
// one. -0 is 0, and there is one NaN, above infinity.
func appendReal(b []byte, v float64) []byte {
	bits := math.Float64bits(v + 0) // -0 + 0 is 0
	switch {
	case math.IsNaN(v):
		bits = math.MaxUint64
	case bits>>63 == 1:
		bits = ^bits
	default:
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(append(b, byte(Real)), bits)
}

// realOf decodes what appendReal wrote.
func realOf(bits uint64) (any, error) {
	if bits == math.MaxUint64 {
		return math.NaN(), nil
	}
	if bits>>63 == 1 {
		bits &^= 1 << 63
	} else {
		bits = ^bits
	}
	if v := math.Float64frombits(bits); v == v && bits != 1<<63 {
		return v, nil
	}
	return nil, errCut
}

// realText returns the shortest digits of a number, as documents have them.
func realText(v float64) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: "Infinity", false: "-Infinity"}[v > 0]
	}
	return formatFloat(v)
}
