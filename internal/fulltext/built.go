package fulltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// An origin is what an index says of itself.
type origin struct {
	record
	mapping []byte // as encodeMapping wrote it; none in an index of an earlier version
}

// mappingKey is where the mapping is kept: an internal value of scorch, JSON
// with a version. Its checksum is the fingerprint in the record.
var mappingKey = []byte("mapping")

const mappingVersion = 1

type keptMapping struct {
	Version int     `json:"version"`
	Mapping Mapping `json:"mapping"`
}

func encodeMapping(m Mapping) ([]byte, error) {
	return json.Marshal(keptMapping{mappingVersion, m})
}

func decodeMapping(b []byte) (Mapping, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var kept keptMapping
	if err := d.Decode(&kept); err != nil {
		return Mapping{}, fmt.Errorf("it is broken: its mapping can't be read: %w", err)
	}
	if kept.Version != mappingVersion {
		return Mapping{}, fmt.Errorf("its mapping has version %d, and this program reads %d", kept.Version, mappingVersion)
	}
	return kept.Mapping, nil
}

// schema is what the index was made with. The fingerprint is another one also
// where a later version of this program would build another index of the same
// mapping.
func (o origin) schema() (*schema, error) {
	if o.mapping == nil {
		return nil, errors.New("an earlier version of indexerd made it, and did not keep its mapping: put content, metadata, analyzer and positions back as they were, or load the table anew")
	}
	m, err := decodeMapping(o.mapping)
	if err != nil {
		return nil, err
	}
	if m.Fingerprint() != o.fingerprint {
		return nil, errors.New("it is broken, or of another version of indexerd: its mapping is not what it was built with: load the table anew")
	}
	return newSchema(m)
}
