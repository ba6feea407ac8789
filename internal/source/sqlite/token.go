package sqlite

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"modernc.org/sqlite"
)

// tokenFunction is the name of the digest in SQL. SQLite runs in this process, so
// the function reads the row in SQLite's memory: comparing stamps copies no text.
const tokenFunction = "indexerd_token"

// rowKeyFunction is the name of the digest of 128 bits.
const rowKeyFunction = "indexerd_row_key"

// tokenVersion is part of the epoch. It changes with the encoding of digests.
const tokenVersion = "sqlite 1"

// Digest implements dialect.Embedded.
func (*DB) Digest(raw []any) (int64, error) { return digest(raw) }

// token is the SQL function. Its arguments refer to SQLite's memory and must not be
// kept.
func token(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) { return digest(args) }

// rowKey is the SQL function rowKeyFunction: the first 16 bytes of digestOf in hex.
func rowKey(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	sum, err := digestOf(args)
	return hex.EncodeToString(sum[:16]), err
}

// digest returns the first 8 bytes of digestOf. A digest of 0, which would mean
// unknown, becomes 1.
func digest[V any](row []V) (int64, error) {
	sum, err := digestOf(row)
	return int64(max(binary.BigEndian.Uint64(sum[:]), 1)), err
}

// digestOf returns the SHA-256 of
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
// instructions for it.
func digestOf[V any](row []V) (sum [sha256.Size]byte, err error) {
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
			return sum, fmt.Errorf("a value of type %T has no digest", v)
		}
	}
	return sha256.Sum256(b), nil
}
