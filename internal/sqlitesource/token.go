package sqlitesource

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"modernc.org/sqlite"
)

// tokenFunction is the name of the digest in SQL. SQLite runs in this process,
// so a function of ours is "in the database" as DESIGN asks: it sees the row
// where it lies, and no text is copied to compare stamps.
const tokenFunction = "indexerd_token"

// tokenVersion changes with the encoding below, so that tokens of another
// encoding are never compared.
const tokenVersion = "sqlite 1"

// tokenOfArgs is the SQL function. Its arguments are views of SQLite's memory
// and must not be kept.
func tokenOfArgs(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	digest, err := digest(args)
	return int64(digest), err
}

// digest is the token of a row: the first 8 bytes of the SHA-256 of
//
//	NULL     00
//	integer  01, 8 bytes
//	real     02, 8 bytes of IEEE 754
//	text     03, length as uvarint, bytes
//	blob     04, length as uvarint, bytes
//
// for each column in turn. Types and lengths are part of it, so 1, 1.0 and '1'
// differ, and text can't move from one column into the next unnoticed. SHA-256
// is the standard library's only hash that is good, stable and, with the
// instructions that today's processors have, fast at once. 0 means "unknown"
// elsewhere and becomes 1.
func digest[V any](row []V) (uint64, error) {
	var room [512]byte
	b := room[:0]
	for _, v := range row {
		switch v := any(v).(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 2), math.Float64bits(v))
		case string:
			b = append(binary.AppendUvarint(append(b, 3), uint64(len(v))), v...)
		case []byte:
			b = append(binary.AppendUvarint(append(b, 4), uint64(len(v))), v...)
		default:
			return 0, fmt.Errorf("a value of type %T has no digest", v)
		}
	}
	sum := sha256.Sum256(b)
	return max(binary.BigEndian.Uint64(sum[:]), 1), nil
}

// withChildren is the token of a row with its children: as digest, of
//
//	8 bytes  the row's own digest
//	8 bytes  for each child: how many rows
//	8 bytes                  the sum of their digests modulo 2^64
//
// so that the order in which children are read says nothing. A table without
// children has the row's own. What is unknown stays unknown.
func withChildren(own uint64, broods []brood) uint64 {
	if own == 0 || len(broods) == 0 {
		return own
	}
	b := binary.BigEndian.AppendUint64(nil, own)
	for _, c := range broods {
		b = binary.BigEndian.AppendUint64(b, c.count)
		b = binary.BigEndian.AppendUint64(b, c.sum)
	}
	sum := sha256.Sum256(b)
	return max(binary.BigEndian.Uint64(sum[:]), 1)
}

// epochOf names what tokens depend on beside the rows: a digest does not say how
// columns are named and declared.
func (t *Table) epochOf(c TableConfig) uint32 {
	parts := append([]string{tokenVersion, c.SQL}, c.Key...)
	parts = append(parts, t.view.described()...)
	for i, child := range c.Children {
		parts = append(parts, "", child.Name, child.SQL, child.Updated)
		parts = append(parts, child.Key...)
		parts = append(parts, t.children[i].described()...)
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return binary.BigEndian.Uint32(sum[:])
}
