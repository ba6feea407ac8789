package order

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"

	"indexerd/internal/index/fulltext/plan"
	"indexerd/internal/index/query"
)

// A cursor is a candidate encoded for Request.After, in unpadded URL-safe base64:
//
//	byte 0      version, 2
//	bytes 1-8   hash of the sorts, little-endian
//	stats       0 for none; or 1 and as uvarints the number of documents, the
//	            number of fields and their words, the number of words and how many
//	            documents have each
//	each sort   by score: its 8 bytes, little-endian
//	            by field: 0 for no value; or 1, length as uvarint, term
//	the rest    _id
//
// A cursor holds the sort keys of the last hit and not its position. So writes
// between two pages neither repeat nor skip hits. In a sort by score the cursor
// also holds the numbers that the scores depend on, unless the query has more than
// maxStats words.
const cursorVersion = 2

var errCursor = errors.New("cursor is malformed")

// Encode returns the cursor of a candidate.
func (o *Order) Encode(c *Candidate) string {
	b := binary.LittleEndian.AppendUint64([]byte{cursorVersion}, o.hash())
	b = appendStats(b, o.Stats)
	for i, k := range c.keys {
		switch {
		case o.fields[i] == "":
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.Score))
		case !k.present:
			b = append(b, 0)
		default:
			b = binary.AppendUvarint(append(b, 1), uint64(len(k.term)))
			b = append(b, k.term...)
		}
	}
	return base64.RawURLEncoding.EncodeToString(append(b, c.ID...))
}

// hash identifies the sorts.
func (o *Order) hash() uint64 {
	var b []byte
	for i, by := range o.sorts {
		direction := byte('+')
		if by.Descending {
			direction = '-'
		}
		b = append(b, direction)
		b = append(binary.AppendUvarint(b, uint64(len(o.fields[i]))), o.fields[i]...)
		if by.First || by.Missing != "" || by.Pick != "" {
			b = fmt.Appendf(b, "%t %q %q", by.First, by.Missing, by.Pick)
		}
	}
	return xxh3.Hash(b)
}

// Decode decodes a cursor of the same sorts.
func (o *Order) Decode(text string) (*Candidate, error) {
	c, err := o.decodeBytes(text)
	if err != nil {
		return nil, query.Errorf("set after to the next of the previous answer and keep the sort, or leave after out", "after %s is not valid in this search", query.Shorten(text))
	}
	return c, nil
}

func (o *Order) decodeBytes(text string) (*Candidate, error) {
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	if len(b) < 9 || b[0] != cursorVersion || binary.LittleEndian.Uint64(b[1:]) != o.hash() {
		return nil, errCursor
	}
	c := &Candidate{keys: make([]key, len(o.sorts))}
	if c.Stats, b, err = decodeStats(b[9:]); err != nil {
		return nil, err
	}
	for i := range o.sorts {
		if o.fields[i] != "" {
			c.keys[i], b, err = decodeKey(b)
		} else if len(b) >= 8 {
			c.Score, b = math.Float64frombits(binary.LittleEndian.Uint64(b)), b[8:]
		} else {
			err = errCursor
		}
		if err != nil {
			return nil, err
		}
	}
	if len(b) == 0 {
		return nil, errCursor
	}
	c.ID = string(b)
	return c, nil
}

// decodeKey decodes the first key, and returns the rest.
func decodeKey(b []byte) (key, []byte, error) {
	if len(b) == 0 || b[0] > 1 {
		return key{}, nil, errCursor
	}
	present, b := b[0] == 1, b[1:]
	if !present {
		return key{}, b, nil
	}
	n, size := binary.Uvarint(b)
	if size <= 0 || n > uint64(len(b)-size) {
		return key{}, nil, errCursor
	}
	b = b[size:]
	return key{true, bytes.Clone(b[:n])}, b[n:], nil
}

// maxStats is the number of words up to which a cursor has stats.
const maxStats = 256

// appendStats encodes stats, nil for none.
func appendStats(b []byte, st *plan.Stats) []byte {
	if st == nil || len(st.Words)+len(st.Having) > maxStats {
		return append(b, 0)
	}
	b = binary.AppendUvarint(append(b, 1), st.Docs)
	for _, list := range [][]uint64{st.Words, st.Having} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, n := range list {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

// decodeStats decodes stats, nil if there are none, and returns the rest.
func decodeStats(b []byte) (*plan.Stats, []byte, error) {
	if len(b) == 0 || b[0] > 1 {
		return nil, nil, errCursor
	}
	if b[0] == 0 {
		return nil, b[1:], nil
	}
	b = b[1:]
	number := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > math.MaxInt64 {
			b = nil
			return 0
		}
		b = b[size:]
		return n
	}
	st := &plan.Stats{Docs: number()}
	for _, list := range []*[]uint64{&st.Words, &st.Having} {
		n := number()
		if n > maxStats {
			return nil, nil, errCursor
		}
		for range n {
			*list = append(*list, number())
		}
	}
	return st, b, nil
}
