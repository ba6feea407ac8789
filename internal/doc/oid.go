package doc

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An OID is the key of a row of the main table, and of its document: one or
// more parts, encoded so that byte order is key order (text in code point
// order, as COLLATE "C").
//
//	integer  0x11, then 8 bytes big-endian with the sign bit flipped
//	text     0x21, then the bytes with 00 written as 00 FF, then 00
//	uuid     0x31, then 16 bytes
//
// An OID of one integer takes 9 bytes. The empty OID is not a key. At either end
// of a Range it means unbounded.
type OID string

// A Kind is the type of one part of a key.
type Kind byte

// The kinds of key that sort the same way in Go and in a database.
const (
	Integer Kind = 0x11
	Text    Kind = 0x21
	UUID    Kind = 0x31
)

// String returns the kind's name in configurations.
func (k Kind) String() string {
	switch k {
	case Integer:
		return "integer"
	case Text:
		return "text"
	case UUID:
		return "uuid"
	}
	return fmt.Sprintf("kind 0x%02x", byte(k))
}

// NewOID encodes the parts of a key. Each is an int64, a [16]byte (UUID) or a
// string; anything else, and text that is not UTF-8, is an error.
func NewOID(parts ...any) (OID, error) {
	if len(parts) == 0 {
		return "", fmt.Errorf("a key needs at least one part")
	}
	b := make([]byte, 0, 9*len(parts))
	for i, p := range parts {
		switch v := p.(type) {
		case int64:
			b = append(b, byte(Integer))
			b = binary.BigEndian.AppendUint64(b, uint64(v)^(1<<63))
		case [16]byte:
			b = append(b, byte(UUID))
			b = append(b, v[:]...)
		case string:
			if !utf8.ValidString(v) {
				return "", fmt.Errorf("key part %d is not valid UTF-8", i+1)
			}
			b = append(b, byte(Text))
			b = append(b, strings.ReplaceAll(v, "\x00", "\x00\xff")...)
			b = append(b, 0)
		case nil:
			return "", fmt.Errorf("key part %d is NULL", i+1)
		default:
			return "", fmt.Errorf("key part %d has type %T: a key is integer, uuid or text", i+1, p)
		}
	}
	return OID(b), nil
}

// NullKey returns the error of a row with a NULL in one of its key columns. The
// text is the same for every source and whichever column is NULL, so that all
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
		s = s[1:]
		switch {
		case kind == Integer && len(s) >= 8:
			parts = append(parts, int64(binary.BigEndian.Uint64([]byte(s[:8]))^(1<<63)))
			s = s[8:]
		case kind == UUID && len(s) >= 16:
			parts = append(parts, [16]byte([]byte(s[:16])))
			s = s[16:]
		case kind == Text:
			text, rest, err := cutText(s)
			if err != nil {
				return nil, err
			}
			parts = append(parts, text)
			s = rest
		default:
			return nil, fmt.Errorf("key %x: bad or cut %v part", string(o), kind)
		}
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("the empty key has no parts")
	}
	return parts, nil
}

// cutText decodes an escaped text up to its terminator and returns the rest of s.
func cutText(s string) (text, rest string, err error) {
	for i := 0; i < len(s); i++ {
		if s[i] != 0 {
			continue
		}
		if i+1 < len(s) && s[i+1] == 0xff {
			i++
			continue
		}
		text = strings.ReplaceAll(s[:i], "\x00\xff", "\x00")
		if !utf8.ValidString(text) {
			return "", "", fmt.Errorf("key text %q is not valid UTF-8", text)
		}
		return text, s[i+1:], nil
	}
	return "", "", fmt.Errorf("key text %q has no end", s)
}

var printEscape = strings.NewReplacer("%", "%25", ",", "%2C", "/", "%2F")

// String returns the printable form: decimal, lower-case UUID or text. Commas
// join the parts of a composite key; '%', ',' and '/' inside a part are
// percent-encoded. Bytes that are not a key print as 0x and hex digits.
func (o OID) String() string {
	parts, err := o.Parts()
	if err != nil {
		return "0x" + hex.EncodeToString([]byte(o))
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(',')
		}
		switch v := p.(type) {
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case [16]byte:
			b.WriteString(FormatUUID(v))
		case string:
			b.WriteString(printEscape.Replace(v))
		}
	}
	return b.String()
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
		p, err := parsePart(texts[i], kind)
		if err != nil {
			return "", fmt.Errorf("key %q: %w", s, err)
		}
		parts[i] = p
	}
	return NewOID(parts...)
}

func parsePart(s string, kind Kind) (any, error) {
	switch kind {
	case Integer:
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not an integer of 64 bits", s)
		}
		return v, nil
	case UUID:
		return ParseUUID(s)
	case Text:
		return unescapePart(s)
	}
	return nil, fmt.Errorf("unknown %v", kind)
}

// unescapePart reverses printEscape. A '%' without two hex digits is an error.
func unescapePart(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", fmt.Errorf("a '%%' is written %%25")
		}
		c, err := hex.DecodeString(s[i+1 : i+3])
		if err != nil {
			return "", fmt.Errorf("a '%%' is written %%25")
		}
		b.WriteByte(c[0])
		i += 2
	}
	return b.String(), nil
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
