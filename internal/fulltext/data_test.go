package fulltext

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A line is a text of the test data.
type line struct {
	OID  int64  `json:"oid"`
	Text string `json:"text"`
	Kind string `json:"kind"`
	N    int64  `json:"n"`
	T    int64  `json:"t"`
}

var lines = Mapping{
	Content:   []string{"text"},
	Analyzer:  "standard",
	Positions: true,
	Metadata:  []Field{{"kind", Keyword}, {"n", Number}, {"t", Date}},
}

// readLines returns the first n texts of a file of TESTDATA.
func readLines(t testing.TB, name string, n int) []line {
	t.Helper()
	path := filepath.Join(cmp.Or(os.Getenv("TESTDATA"), "../../../shared/data"), name)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skipf("no %s: set TESTDATA to the directory that has it", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(z)
	var all []line
	for len(all) < n {
		var l line
		if err := d.Decode(&l); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

func (l line) time() time.Time { return time.Unix(l.T, 0).UTC() }

func (l line) doc(t testing.TB) doc.Doc {
	t.Helper()
	return doc.Doc{
		Meta: doc.Meta{Stamp: doc.Stamp{OID: oid(t, l.OID)}, V: doc.Version(l.OID)},
		Row: doc.Row{
			Names:  []string{"text", "kind", "n", "t"},
			Values: []any{l.Text, l.Kind, l.N, l.time().Format(time.RFC3339)},
		},
	}
}
