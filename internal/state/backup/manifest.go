package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"time"

	"indexerd/timetrace"
)

// manifestName is the name of the last file of a backup.
const manifestName = "MANIFEST.json"

// format is the version of the layout.
const format = 1

// Limits of a backup. They limit the reader's memory.
const (
	maxManifest = 64 << 20
	maxFiles    = 100_000
	maxName     = 1024
)

// A manifest lists the content of a backup:
//
//	{"format":1,"version":"0.1.0","time":"2026-11-21T10:15:30.5Z",
//	 "tables":[{"table":"film","numbers":262144}],
//	 "files":[{"name":"timeTrace.properties","size":412,"sha256":"9f..."}, ...]}
type manifest struct {
	Format  int          `json:"format"`
	Version string       `json:"version"` // of the program that wrote the backup
	Time    time.Time    `json:"time"`    // when Write began, by the local clock
	Tables  []tableEntry `json:"tables"`
	Files   []fileEntry  `json:"files"` // in the order of the stream, without the manifest
}

// A tableEntry is a table of the backup.
type tableEntry struct {
	Table   string `json:"table"`
	Numbers uint64 `json:"numbers"` // no copied page or document has a higher one
}

type fileEntry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 digest `json:"sha256"`
}

// A digest is the SHA-256 of a file, 64 hex digits in JSON.
type digest [sha256.Size]byte

func (d digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

func (d *digest) UnmarshalText(text []byte) error {
	sum, err := hex.DecodeString(string(text))
	if err != nil || len(sum) != len(d) {
		return fmt.Errorf("%.80q is not a SHA-256", text)
	}
	*d = digest(sum)
	return nil
}

func (m manifest) encode() ([]byte, error) { return json.MarshalIndent(m, "", " ") }

// decodeManifest decodes and checks a manifest from an untrusted source.
func decodeManifest(text []byte) (manifest, error) {
	var m manifest
	var made struct {
		Format  int
		Version string
	}
	if err := json.Unmarshal(text, &made); err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	if made.Format != format {
		return m, fmt.Errorf("the backup has format %d and this version reads %d: use the indexerd that wrote it, %.40q", made.Format, format, made.Version)
	}
	err := json.Unmarshal(text, &m)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", manifestName, err)
	}
	return m, nil
}

// check returns an error if the files of the manifest are no data directory, or
// cannot be written to one.
func (m manifest) check() error {
	tables := map[string]bool{}
	for _, t := range m.Tables {
		if !tableName.MatchString(t.Table) || tables[t.Table] {
			return fmt.Errorf("table %.80q has an invalid name, or is listed twice", t.Table)
		}
		tables[t.Table] = true
	}
	if len(m.Files) > maxFiles {
		return fmt.Errorf("the manifest lists more than %d files", maxFiles)
	}
	files := map[string]bool{}
	for _, f := range m.Files {
		if err := checkName(f.Name); err != nil {
			return err
		}
		table, _, inTable := strings.Cut(f.Name, "/")
		switch {
		case inTable && !tables[table]:
			return fmt.Errorf("%q belongs to no table of the backup", f.Name)
		case files[f.Name]:
			return fmt.Errorf("the manifest lists %q twice", f.Name)
		case f.Size < 0:
			return fmt.Errorf("%q has a size below 0", f.Name)
		}
		files[f.Name] = true
	}
	if !files[timetrace.FileName] {
		return errors.New("the manifest does not list " + timetrace.FileName)
	}
	for _, f := range m.Files {
		for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
			if files[dir] {
				return fmt.Errorf("%s is a file and the directory of %s", dir, f.Name)
			}
		}
	}
	return nil
}

// tableName matches the names that package configs allows.
var tableName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkName allows the marks and files below a table's directory: no absolute
// name, no "..", and nothing that another operating system reads as one of them.
func checkName(name string) error {
	table, rest, _ := strings.Cut(name, "/")
	switch {
	case name == timetrace.FileName:
		return nil
	case len(name) <= maxName && tableName.MatchString(table) && rest != "." && fs.ValidPath(rest) && plain(name):
		return nil
	}
	return fmt.Errorf("%.200q is not a file name of a backup", name)
}

// plain reports whether a name has only printable ASCII without backslash and
// colon.
func plain(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' || r == ':' })
}

// compare compares the files that were read with the manifest.
func (m manifest) compare(read map[string]fileEntry) error {
	for _, want := range m.Files {
		got, ok := read[want.Name]
		if !ok {
			return fmt.Errorf("%s is missing", want.Name)
		}
		if err := want.compare(got); err != nil {
			return err
		}
		delete(read, want.Name)
	}
	for name := range read {
		return fmt.Errorf("%s is not in %s", name, manifestName)
	}
	return nil
}

func (want fileEntry) compare(got fileEntry) error {
	switch {
	case got.Size != want.Size:
		return fmt.Errorf("%s is damaged: it has %d bytes, want %d", want.Name, got.Size, want.Size)
	case got.SHA256 != want.SHA256:
		return fmt.Errorf("%s is damaged: its checksum is not the one in %s", want.Name, manifestName)
	}
	return nil
}
