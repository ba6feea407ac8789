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

// tokenFunction is the name of the digest in SQL. SQLite runs in this process, so
// the function reads the row in SQLite's memory: comparing stamps copies no text.
const tokenFunction = "indexerd_token"

// tokenVersion is part of the epoch. It changes with the encoding of digests.
const tokenVersion = "sqlite 1"

// tokenOfArgs is the SQL function. Its arguments refer to SQLite's memory and must
// not be kept.
func tokenOfArgs(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	digest, err := digest(args)
	return int64(digest), err
}

// digest returns the token of a row: the first 8 bytes of the SHA-256 of
//
//	NULL     00
//	integer  01, 8 bytes
//	real     02, 8 bytes of IEEE 754
//	text     03, length as uvarint, bytes
//	blob     04, length as uvarint, bytes
//
// for each column. Types and lengths are part of it, so 1, 1.0 and '1' differ, and
// text that moves from one column to the next changes it. SHA-256 is the standard
// library's only stable hash without practical collisions, and processors have
// instructions for it. A digest of 0, which would mean unknown, becomes 1.
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
	return hash(b), nil
}

func hash(b []byte) uint64 {
	sum := sha256.Sum256(b)
	return max(binary.BigEndian.Uint64(sum[:]), 1)
}

// combineDigests returns the token of a row with its children: the hash of
//
//	8 bytes  the row's own digest
//	8 bytes  for each child: the number of rows
//	8 bytes                  the sum of their digests modulo 2^64
//
// The order of children's rows does not change it. The token of a table without
// children is the row's digest. An unknown digest stays unknown.
func combineDigests(own uint64, children []childRows) uint64 {
	if own == 0 || len(children) == 0 {
		return own
	}
	b := binary.BigEndian.AppendUint64(nil, own)
	for _, c := range children {
		b = binary.BigEndian.AppendUint64(b, c.count)
		b = binary.BigEndian.AppendUint64(b, c.sum)
	}
	return hash(b)
}

// epochOf returns a hash of what tokens depend on besides the rows: the SQLs, and
// the names and declared types of columns.
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
