package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// A pages generates the same pages for every store: JSON of readable words with a
// given mean size, under keys that are spread over all integers.
type pages struct {
	bodies [][]byte
}

const bodyCount = 4096

func newPages(size int) *pages {
	rng := rand.New(rand.NewPCG(1, 2))
	common := rand.NewZipf(rng, 1.15, 4, 5000) // as in a text a few words are frequent
	words := make([]string, 5001)
	for i := range words {
		var b strings.Builder
		for range 2 + rng.IntN(9) {
			b.WriteByte("etaoinshrdlucmfwypvbgkjqxz"[min(rng.IntN(26), rng.IntN(26))])
		}
		words[i] = b.String()
	}
	p := &pages{}
	for range bodyCount {
		var b strings.Builder
		fmt.Fprintf(&b, `{"row":{"id":0000000000000000,"customer_id":%d,"rating":"PG-%d","last_update":"2026-01-02T03:04:05.%06dZ","text":"`,
			rng.IntN(1e6), rng.IntN(20), rng.IntN(1e6))
		for want := size/2 + rng.IntN(size) - 4; b.Len() < want; {
			b.WriteString(words[common.Uint64()])
			b.WriteByte(' ')
		}
		b.WriteString(`"}}`)
		p.bodies = append(p.bodies, []byte(b.String()))
	}
	return p
}

// page returns page i of a round of writing. The body contains i.
func (p *pages) page(i, round int) doc.Page {
	body := append([]byte(nil), p.bodies[(i+round*7)%bodyCount]...)
	const idAt = len(`{"row":{"id":`)
	copy(body[idAt:], fmt.Sprintf("%016d", i))
	page := doc.Page{Body: body}
	page.OID = key(i)
	page.Updated = time.UnixMicro(int64(i) + 1e15).UTC()
	page.Token = doc.Token{Digest: uint64(i) * 31, Epoch: 1}
	page.Fetch, page.Fetched = doc.FetchSeq(i/2000+1), time.UnixMicro(2e15).UTC()
	page.Hash, page.V, page.Gen = doc.DocHash(i), doc.Version(i+1), 1
	return page
}

// key returns the OID of page i, an integer, so that the order of keys is not the
// order of writing.
func key(i int) doc.OID {
	x := uint64(i) * 0x9e3779b97f4a7c15
	var b [9]byte
	b[0] = byte(doc.Integer)
	binary.BigEndian.PutUint64(b[1:], x)
	return doc.OID(b[:])
}
