package fulltext

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext/schema"
)

// A header is what an index stores about itself.
type header struct {
	record
	mapping []byte // written by Mapping.Encode; nil in an index of an earlier version
}

// schema returns the schema the index was built with. The fingerprint differs
// also if a later version of this program would build another index from the
// same mapping.
func (h header) schema() (*schema.Schema, error) {
	if h.mapping == nil {
		return nil, ErrNoMapping
	}
	m, err := schema.DecodeMapping(h.mapping)
	if err != nil {
		return nil, err
	}
	if m.Fingerprint() != h.fingerprint {
		return nil, errors.New("the stored mapping is not the one the index was built with: the index is broken, or of another version of indexerd: reload the table")
	}
	return schema.New(m)
}

// loadedHeader returns the header of the snapshot that the store has loaded.
func loadedHeader(store index.Index) (h header, err error) {
	r, err := snapshot(store)
	if err != nil {
		return header{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	value, err := r.GetInternal(recordKey)
	if err != nil {
		return header{}, err
	}
	if h.record, err = decodeRecord(value); err != nil {
		return header{}, err
	}
	h.mapping, err = r.GetInternal(mappingKey)
	return h, err
}

// A record identifies the mapping, the generation and the last batch of an
// index. It is an internal value of scorch, written with every batch in the
// transaction that makes the batch durable:
//
//	byte 0       version, 1
//	bytes 1-8    fingerprint of the mapping, little-endian
//	bytes 9-12   generation, little-endian
//	bytes 13-20  number of the batch, little-endian
//
// The batch number detects lost batches: scorch silently loads an older snapshot
// if it fails to load the newest one.
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
		return record{}, errors.New("the index is broken: it has no record: build a new one from the pages")
	case b[0] > recordVersion:
		return record{}, schema.NewerError("record", int(b[0]), recordVersion)
	case b[0] != recordVersion:
		return record{}, fmt.Errorf("the index is broken: its record has version %d: build a new one from the pages", b[0])
	case len(b) != recordSize:
		return record{}, fmt.Errorf("the index is broken: its record has %d bytes, not %d: build a new one from the pages", len(b), recordSize)
	}
	return record{
		fingerprint: binary.LittleEndian.Uint64(b[1:]),
		generation:  doc.Generation(binary.LittleEndian.Uint32(b[9:])),
		batch:       binary.LittleEndian.Uint64(b[13:]),
	}, nil
}

// newestRecord returns the record of the newest snapshot on disk.
func newestRecord(dir string) (record, error) {
	points, err := scorch.RollbackPoints(dir)
	if err != nil {
		return record{}, fmt.Errorf("list snapshots: %w", err)
	}
	if len(points) == 0 {
		return record{}, errors.New("the index is broken: it has no snapshot: build a new one from the pages")
	}
	return decodeRecord(points[0].GetInternal(recordKey))
}

// mappingKey is the internal value of scorch that holds the encoded mapping.
var mappingKey = []byte("mapping")
