package pagetable

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
)

// buckets is the number of ranges of keys that the pages of a table are spread over.
const buckets = 16

// key returns the key of a page.
func (p *Pages) key(oid doc.OID) string {
	bucket := strconv.FormatUint(xxh3.HashString(string(oid))%buckets, 16)
	return p.Name + "." + bucket + "." + hex.EncodeToString([]byte(oid))
}

// oid returns the OID of a key.
func (p *Pages) oid(key string) (doc.OID, error) {
	rest, ok := strings.CutPrefix(key, p.Name+".")
	if ok && len(rest) > 2 {
		oid, err := hex.DecodeString(rest[2:])
		if err == nil && p.key(doc.OID(oid)) == key {
			return doc.OID(oid), nil
		}
	}
	return "", fmt.Errorf("row %.80q: %w: its key is not that of a page", key, ErrCorrupt)
}

// first and last are the bounds of the keys of all pages: last is the least string
// behind them.
func (p *Pages) first() string { return p.Name + "." }
func (p *Pages) last() string  { return p.Name + "/" }

// ownerKey is the key of the row with the owner. No page has such a key.
func (p *Pages) ownerKey() string { return p.Name + "!" }
