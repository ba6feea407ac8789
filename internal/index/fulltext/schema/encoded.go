package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// mappingVersion is the version of an encoded mapping. Version 1 had no stop words: see
// firstStopwords. Version 2 had no lengths of documents.
const mappingVersion = 3

type storedMapping struct {
	Version int     `json:"version"`
	Mapping Mapping `json:"mapping"`
}

// Encode returns the mapping as JSON with a version. Its checksum is the fingerprint.
func (m Mapping) Encode() ([]byte, error) {
	version := mappingVersion
	if m.Unmeasured {
		version = 2
	}
	return json.Marshal(storedMapping{version, m})
}

// DecodeMapping returns an encoded mapping of this version or an earlier one.
func DecodeMapping(b []byte) (Mapping, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var stored storedMapping
	if err := d.Decode(&stored); err != nil {
		return Mapping{}, fmt.Errorf("the index is broken: its mapping can't be read: %w", err)
	}
	switch stored.Version {
	case mappingVersion:
	case 2:
		stored.Mapping.Unmeasured = true
	case 1:
		stored.Mapping.Unmeasured = true
		stored.Mapping.Stopwords = firstStopwords(stored.Mapping.Analyzer)
	default:
		return Mapping{}, fmt.Errorf("the mapping of the index has version %d, and this program reads versions up to %d", stored.Version, mappingVersion)
	}
	return stored.Mapping, nil
}
