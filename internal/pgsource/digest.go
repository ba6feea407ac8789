package pgsource

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// A childStamp is what the rows of one child add to their parent's stamp.
//
// The token of a document with children is a hash of the main row's digest and,
// for each child, of the number of its rows and the sum of their digests modulo
// 2^64. A sum does not depend on the order of rows, which SQL does not
// guarantee. The number distinguishes two equal rows from none. The database
// computes digests and sums; for rows that were read the sums are computed
// here, with the same result.
type childStamp struct {
	rows    uint64
	sum     uint64
	updated time.Time // the latest; zero: none
	fault   error     // why an updateTime is unusable
}

// mergeChildStamps adds the children's stamps to that of the main row. If an
// updateTime is unusable, the document has none.
func mergeChildStamps(s *doc.Stamp, parts []childStamp) error {
	s.Token.Digest = combine(s.Token.Digest, parts)
	for _, p := range parts {
		if p.fault != nil {
			s.Updated = time.Time{}
			return p.fault
		}
		s.Updated = later(s.Updated, p.updated)
	}
	return nil
}

// combine returns the token's digest. Tokens are stored, so the result must not
// change.
func combine(main uint64, parts []childStamp) uint64 {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", main)
	for _, p := range parts {
		fmt.Fprintf(&b, "|%d:%d", p.rows, p.sum)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return max(binary.BigEndian.Uint64(sum[:8]), 1) // 0 means unknown
}

// digests reads the stamps of these parents' children from the database. A
// parent without rows of a child is not in the child's map.
func (t *Table) digests(ctx context.Context, x *tx, oids []doc.OID) ([]map[doc.OID]childStamp, error) {
	all := make([]map[doc.OID]childStamp, len(t.children))
	for i, c := range t.children {
		var err error
		if all[i], err = c.digests(ctx, x, oids); err != nil {
			return nil, c.fault(err)
		}
	}
	return all, nil
}

func (c *child) digests(ctx context.Context, x *tx, oids []doc.OID) (map[doc.OID]childStamp, error) {
	unit, err := c.unit(ctx, x)
	if err != nil {
		return nil, err
	}
	q, err := c.digestQuery(oids, unit)
	if err != nil {
		return nil, err
	}
	rows, err := x.all(ctx, q)
	if err != nil {
		return nil, err
	}
	parts := make(map[doc.OID]childStamp, len(rows))
	for _, row := range rows {
		oid, err := c.key.rawOID(row)
		if err != nil {
			continue // no key of a document
		}
		if parts[oid], err = c.part(row[len(c.key):], unit); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// digestQuery groups by bytes: a collation could merge two parents' rows.
func (c *child) digestQuery(oids []doc.OID, unit time.Duration) (query, error) {
	q := query{reads: []*view{&c.view}}
	among, err := c.key.among(&q, c.sql, oids)
	if err != nil {
		return query{}, err
	}
	updated := "NULL"
	if c.updated != nil {
		updated = "max(" + c.sql.column(c.updated.name) + ")" + c.readable(&q, unit)
	}
	keys := strings.Join(c.key.byteOrder(c.sql), ", ")
	q.sql = fmt.Sprintf("SELECT %s, count(*), sum(%s), %s %s WHERE %s GROUP BY %s", keys, c.sql.token(), updated, c.sql.from(), among, keys)
	return q, nil
}

func (c *child) part(row [][]byte, unit time.Duration) (childStamp, error) {
	var p childStamp
	var err error
	if p.rows, err = strconv.ParseUint(string(row[0]), 10, 64); err != nil {
		return p, fmt.Errorf("token: %w", err)
	}
	if p.sum, err = wrapSum(string(row[1])); err != nil {
		return p, err
	}
	if row[2] != nil {
		p.updated, p.fault = c.updated.parse(string(row[2]), unit)
	}
	return p, nil
}

// wrapSum reads a sum of digests, which may exceed 64 bits, modulo 2^64.
func wrapSum(text string) (uint64, error) {
	sum, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return 0, fmt.Errorf("token: %q is not a sum of digests", text)
	}
	return sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64(), nil
}
