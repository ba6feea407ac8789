package doc

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// An OID is the key of a row of the main table, and of its document: one or
// more parts, encoded so that byte order is key order (text in code point
// order, as COLLATE "C").
//
//	integer  0x11, then 8 bytes big-endian with the sign bit flipped
//	decimal  0x13, then a sign, an exponent and digits: see appendDecimal
//	real     0x15, then 8 bytes of IEEE 754: see appendReal
//	boolean  0x17, then 00 or 01
//	text     0x21, then the bytes with 00 written as 00 FF, then 00
//	bytes    0x23, then as text
//	uuid     0x31, then 16 bytes
//	date     0x41, then a Day as an integer
//	instant  0x43, then a UTC as an integer
//	time     0x45, then a Local as an integer
//
// Each value has one encoding: 1.50 and 1.5 are one decimal, and -0 is 0.
//
// An OID of one integer takes 9 bytes. The empty OID is not a key. At either end
// of a Range it means unbounded.
type OID string

// NewOID encodes the parts of a key, each of the type that its Kind describes.
// Anything else, and text that is not UTF-8, is an error.
func NewOID(parts ...any) (OID, error) {
	if len(parts) == 0 {
		return "", fmt.Errorf("a key needs at least one part")
	}
	b := make([]byte, 0, 9*len(parts))
	for i, p := range parts {
		var err error
		if b, err = appendPart(b, p); err != nil {
			return "", fmt.Errorf("key part %d %w", i+1, err)
		}
	}
	return OID(b), nil
}

func appendPart(b []byte, part any) ([]byte, error) {
	switch v := part.(type) {
	case int64:
		return appendInteger(b, Integer, v), nil
	case [16]byte:
		return append(append(b, byte(UUID)), v[:]...), nil
	case string:
		if !utf8.ValidString(v) {
			return nil, errors.New("is not valid UTF-8")
		}
		return appendEscaped(b, Text, v), nil
	case Blob:
		return appendEscaped(b, Bytes, string(v)), nil
	case bool:
		if v {
			return append(b, byte(Boolean), 1), nil
		}
		return append(b, byte(Boolean), 0), nil
	case float64:
		return appendReal(b, v), nil
	case Number:
		return appendDecimal(b, v)
	case Day:
		return appendInteger(b, Date, int64(v)), v.check()
	case UTC:
		return appendInteger(b, Instant, int64(v)), microsecond(v).check()
	case Local:
		return appendInteger(b, Wall, int64(v)), microsecond(v).check()
	case nil:
		return nil, errors.New("is NULL")
	}
	return nil, fmt.Errorf("has type %T, which no key has", part)
}

func appendInteger(b []byte, kind Kind, v int64) []byte {
	return binary.BigEndian.AppendUint64(append(b, byte(kind)), uint64(v)^(1<<63))
}

func appendEscaped(b []byte, kind Kind, v string) []byte {
	return append(append(append(b, byte(kind)), strings.ReplaceAll(v, "\x00", "\x00\xff")...), 0)
}

// NullKey returns the error of a row with a NULL in one of its key columns. The
// text is the same for every source and every column that is NULL, so that all
// such rows of a table are one reject.
func NullKey(columns []string) error {
	if len(columns) == 1 {
		return fmt.Errorf("key column %s is NULL", columns[0])
	}
	return fmt.Errorf("one of the key columns %s is NULL", strings.Join(columns, ", "))
}

// Parts decodes the key into the parts that NewOID takes.
func (o OID) Parts() ([]any, error) {
	var parts []any
	for s := string(o); s != ""; {
		kind := Kind(s[0])
		part, rest, err := cutPart(kind, s[1:])
		if err != nil {
			return nil, fmt.Errorf("key %x: %v part: %w", string(o), kind, err)
		}
		parts, s = append(parts, part), rest
	}
	if len(parts) == 0 {
		return nil, errors.New("the empty key has no parts")
	}
	return parts, nil
}

var errCut = errors.New("bad or cut")

// cutPart decodes the part of a kind at the start of s and returns the rest of s.
func cutPart(kind Kind, s string) (part any, rest string, err error) {
	switch kind {
	case Text, Bytes:
		return cutEscaped(kind, s)
	case Decimal:
		return cutDecimal(s)
	}
	size := 8
	switch kind {
	case Boolean:
		size = 1
	case UUID:
		size = 16
	}
	if len(s) < size {
		return nil, "", errCut
	}
	part, err = fixedPart(kind, s[:size])
	return part, s[size:], err
}

// fixedPart decodes a part of a fixed size.
func fixedPart(kind Kind, s string) (any, error) {
	switch kind {
	case UUID:
		return [16]byte([]byte(s)), nil
	case Boolean:
		if s[0] > 1 {
			return nil, errCut
		}
		return s[0] == 1, nil
	case Real:
		return realOf(binary.BigEndian.Uint64([]byte(s)))
	}
	n := int64(binary.BigEndian.Uint64([]byte(s)) ^ (1 << 63))
	switch kind {
	case Integer:
		return n, nil
	case Date:
		return Day(n), Day(n).check()
	case Instant:
		return UTC(n), microsecond(n).check()
	case Wall:
		return Local(n), microsecond(n).check()
	}
	return nil, errCut
}

// cutEscaped decodes an escaped text up to its terminator and returns the rest of s.
func cutEscaped(kind Kind, s string) (part any, rest string, err error) {
	for i := 0; i < len(s); i++ {
		if s[i] != 0 {
			continue
		}
		if i+1 < len(s) && s[i+1] == 0xff {
			i++
			continue
		}
		text := strings.ReplaceAll(s[:i], "\x00\xff", "\x00")
		switch {
		case kind == Bytes:
			return Blob(text), s[i+1:], nil
		case !utf8.ValidString(text):
			return nil, "", fmt.Errorf("%q is not valid UTF-8", text)
		}
		return text, s[i+1:], nil
	}
	return nil, "", fmt.Errorf("%q has no end", s)
}

var printEscape = strings.NewReplacer("%", "%25", ",", "%2C", "/", "%2F")

// String returns the printable form, which docs/api.md describes: decimal
// digits, a lower-case UUID, text, a date as 2026-02-15, an instant as RFC 3339,
// bytes as hex. Commas join the parts of a composite key; '%', ',' and '/' inside a
// text are percent-encoded. Bytes that are not a key print as 0x and hex digits.
func (o OID) String() string {
	parts, err := o.Parts()
	if err != nil {
		return "0x" + hex.EncodeToString([]byte(o))
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		if texts[i] = PartText(p); KindOf(p) == Text {
			texts[i] = printEscape.Replace(texts[i])
		}
	}
	return strings.Join(texts, ",")
}

// ParseOID parses the printable form of a key whose parts have these kinds.
func ParseOID(s string, kinds []Kind) (OID, error) {
	texts := []string{s}
	if len(kinds) != 1 {
		texts = strings.Split(s, ",")
	}
	if len(texts) != len(kinds) {
		return "", fmt.Errorf("key %q has %d parts: this table's key has %d, joined by commas", s, len(texts), len(kinds))
	}
	parts := make([]any, len(kinds))
	for i, kind := range kinds {
		text, err := url.PathUnescape(texts[i])
		if err != nil {
			return "", fmt.Errorf("key %q: a '%%' is written %%25", s)
		}
		if parts[i], err = ParsePart(text, kind); err != nil {
			return "", fmt.Errorf("key %q: %w", s, err)
		}
	}
	return NewOID(parts...)
}

// A HexOID is an OID that JSON has as hexadecimal digits.
type HexOID OID

// MarshalText implements encoding.TextMarshaler.
func (o HexOID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, []byte(o)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *HexOID) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	*o = HexOID(b)
	return err
}

// FormatUUID returns the lower-case 8-4-4-4-12 form.
func FormatUUID(u [16]byte) string {
	h := hex.EncodeToString(u[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// ParseUUID parses 32 hex digits, with or without hyphens.
func ParseUUID(s string) (u [16]byte, err error) {
	b, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(b) != 16 {
		return u, fmt.Errorf("%q is not a UUID", s)
	}
	return [16]byte(b), nil
}
