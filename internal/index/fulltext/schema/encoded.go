package schema

import (
	"bytes"
	"encoding/json"
	"fmt"

	"indexerd/internal/index/analysis"
)

// mappingVersion is the version of an encoded mapping. Version 1 had no stop words: see
// firstStopwords. Version 2 had no lengths of documents. Version 3 had the first
// analysis, and no language.
const mappingVersion = 4

type storedMapping struct {
	Version int     `json:"version"`
	Mapping Mapping `json:"mapping"`
}

// Encode returns the mapping as JSON with a version. Its checksum is the fingerprint.
func (m Mapping) Encode() ([]byte, error) {
	version := mappingVersion
	switch {
	case m.AnalysisVersion > analysis.First || m.Language != "":
	case m.Unmeasured:
		version = 2
	default:
		version = 3
	}
	return json.Marshal(storedMapping{version, m})
}

// DecodeMapping returns an encoded mapping of this version or an earlier one.
func DecodeMapping(b []byte) (Mapping, error) {
	var newer struct{ Version int }
	if err := json.Unmarshal(b, &newer); err == nil && newer.Version > mappingVersion { // its members may be unknown
		return Mapping{}, NewerError("mapping", newer.Version, mappingVersion)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var stored storedMapping
	if err := d.Decode(&stored); err != nil {
		return Mapping{}, fmt.Errorf("the index is broken: its mapping can't be read: %w", err)
	}
	switch stored.Version {
	case mappingVersion, 3:
	case 2:
		stored.Mapping.Unmeasured = true
	case 1:
		stored.Mapping.Unmeasured = true
		stored.Mapping.Stopwords = firstStopwords(stored.Mapping.Analyzer)
	default:
		return Mapping{}, fmt.Errorf("the index is broken: its mapping has version %d: build a new one from the pages", stored.Version)
	}
	return stored.Mapping, nil
}

// NewerError is the error of a part of the index that an older release can't have written.
func NewerError(part string, got, reads int) error {
	return fmt.Errorf("the %s of the index has version %d, and this release reads version %d: a newer release of indexerd wrote the index: start that release, or restore a backup that this release made", part, got, reads)
}
