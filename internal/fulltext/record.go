package fulltext

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/doc"
)

// A record says what an index was made for, and which batch it has. It is kept
// as an internal value of scorch, written with every batch in the transaction
// that makes it durable:
//
//	byte 0       version, 1
//	bytes 1-8    fingerprint of the mapping, little-endian
//	bytes 9-12   generation, little-endian
//	bytes 13-20  number of the batch, little-endian
//
// The number is there because scorch, when it fails to load its newest
// snapshot, loads an older one and says nothing.
type record struct {
	fingerprint uint64
	generation  doc.Generation
	batch       uint64
}

var recordKey = []byte("indexerd")

const (
	recordVersion = 1
	recordSize    = 21
)

func (r record) encode() []byte {
	b := binary.LittleEndian.AppendUint64([]byte{recordVersion}, r.fingerprint)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.generation))
	return binary.LittleEndian.AppendUint64(b, r.batch)
}

func decodeRecord(b []byte) (record, error) {
	switch {
	case len(b) == 0:
		return record{}, errors.New("it is broken: build a new one from the pages")
	case b[0] != recordVersion:
		return record{}, fmt.Errorf("its record has version %d, and this program reads %d: build a new index from the pages", b[0], recordVersion)
	case len(b) != recordSize:
		return record{}, fmt.Errorf("it is broken: its record has %d bytes, not %d: build a new one from the pages", len(b), recordSize)
	}
	return record{
		fingerprint: binary.LittleEndian.Uint64(b[1:]),
		generation:  doc.Generation(binary.LittleEndian.Uint32(b[9:])),
		batch:       binary.LittleEndian.Uint64(b[13:]),
	}, nil
}

// readOrigin returns what the snapshot that was loaded says of itself.
func readOrigin(store index.Index) (o origin, err error) {
	r, err := snapshot(store)
	if err != nil {
		return origin{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	value, err := r.GetInternal(recordKey)
	if err != nil {
		return origin{}, err
	}
	if o.record, err = decodeRecord(value); err != nil {
		return origin{}, err
	}
	o.mapping, err = r.GetInternal(mappingKey)
	return o, err
}

// newestRecord returns the record of the newest snapshot there is.
func newestRecord(dir string) (record, error) {
	points, err := scorch.RollbackPoints(dir)
	if err != nil {
		return record{}, fmt.Errorf("list its snapshots: %w", err)
	}
	if len(points) == 0 {
		return record{}, errors.New("it is broken: it has no snapshot: build a new one from the pages")
	}
	return decodeRecord(points[0].GetInternal(recordKey))
}
