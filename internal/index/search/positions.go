package search

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"indexerd/internal/index/query"
)

// A position is where a search in all tables continues in one table: after which
// hit, and the table's best score when the search began, by which its scores are
// divided as long as the search continues.
type position struct {
	best  float32
	after string // query.Hit.After
}

// positions are those of the tables of which an answer has shown a hit. Every other
// table continues at its first hit.
//
// Params.After of a search in all tables has them in unpadded URL-safe base64:
//
//	byte 0      version, 2
//	each table  length as uvarint, name; 4 bytes of its best score, little-endian;
//	            length as uvarint, the bytes of its cursor
type positions map[string]position

const positionsVersion = 2

// after returns the positions after these hits.
func (m *merge) after(hits []ranked) positions {
	next := maps.Clone(m.before)
	if next == nil {
		next = positions{}
	}
	for _, h := range hits {
		next[h.table.Table] = position{h.table.best, h.After}
	}
	return next
}

func (p positions) encode() string {
	b := []byte{positionsVersion}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		b = appendBytes(b, []byte(name))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(p[name].best))
		cursor, _ := base64.RawURLEncoding.DecodeString(p[name].after) // an index made it
		b = appendBytes(b, cursor)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func appendBytes(b, more []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(more))), more...)
}

// decodePositions decodes what encode returns. The positions of "" are empty.
func decodePositions(text string) (positions, error) {
	if text == "" {
		return nil, nil
	}
	malformed := badQuery("set after to the next of the previous answer, or leave it out", "after %s is not valid in a search in all tables", query.Shorten(text))
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) == 0 || b[0] != positionsVersion {
		return nil, malformed
	}
	p := positions{}
	for b = b[1:]; len(b) > 0; {
		name, rest, ok := cutBytes(b)
		if !ok || len(rest) < 4 {
			return nil, malformed
		}
		best := math.Float32frombits(binary.LittleEndian.Uint32(rest))
		cursor, rest, ok := cutBytes(rest[4:])
		if !ok || len(cursor) == 0 || !(best >= 0 && best <= math.MaxFloat32) {
			return nil, malformed
		}
		p[string(name)] = position{best, base64.RawURLEncoding.EncodeToString(cursor)}
		b = rest
	}
	return p, nil
}

// cutBytes cuts off what appendBytes has appended.
func cutBytes(b []byte) (cut, rest []byte, ok bool) {
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return nil, nil, false
	}
	b = b[size:]
	return b[:n], b[n:], true
}
