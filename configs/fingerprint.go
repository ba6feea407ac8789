package configs

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// SourceFingerprint identifies the source and the key of a table. Under another
// one the stored keys mean nothing.
func (t Table) SourceFingerprint() string {
	return Fingerprint(append([]string{t.Source, t.Updated, t.Timezone}, t.Key...)...) // RowKey has no Key
}

// SQLFingerprint identifies the content of a table's rows. Under another one
// every row has to be compared again.
func (t Table) SQLFingerprint() string {
	parts := []string{t.SQL}
	for _, name := range t.JSON {
		parts = append(parts, "json", name)
	}
	for _, p := range t.Paths {
		parts = append(append(parts, "path", p.Name, p.Column), p.Path...)
	}
	for _, c := range t.Children {
		parts = append(parts, "child", c.Name, c.SQL, c.Updated, strings.Join(c.Key, ","))
		for _, name := range c.JSON {
			parts = append(parts, "json", name)
		}
	}
	for _, x := range t.Extra {
		parts = append(parts, "extra", x.Name, x.SQL, x.Updated, strings.Join(x.Key, ","))
	}
	if d := t.Deleted; d.Column != "" || d.SQL != "" {
		parts = append(parts, "deleted", d.Column, fmt.Sprint(d.Values), d.SQL)
	}
	return Fingerprint(parts...)
}

// Fingerprint identifies a list of texts.
func Fingerprint(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
