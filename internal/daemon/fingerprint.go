package daemon

import (
	"fmt"
	"hash/fnv"
	"strings"

	"indexerd/configs"
)

// sourceFingerprint stands for what a row is and where it comes from: another
// one makes the stored keys meaningless.
func sourceFingerprint(t configs.Table) string {
	return fingerprint(append([]string{t.Source, t.Updated, t.Timezone}, t.Key...)...)
}

// sqlFingerprint stands for what a row says: under another one everything has
// to be compared anew.
func sqlFingerprint(t configs.Table) string {
	parts := []string{t.SQL}
	for _, c := range t.Children {
		parts = append(parts, "child", c.Name, c.SQL, c.Updated, strings.Join(c.Key, ","))
	}
	for _, x := range t.Extra {
		parts = append(parts, "extra", x.Name, x.SQL, x.Updated, strings.Join(x.Key, ","))
	}
	if d := t.Deleted; d.Column != "" || d.SQL != "" {
		parts = append(parts, "deleted", d.Column, fmt.Sprint(d.Values), d.SQL)
	}
	return fingerprint(parts...)
}

func fingerprint(parts ...string) string {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}
