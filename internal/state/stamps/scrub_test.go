package stamps

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/scrub"
)

// Scrub finds a flipped bit of a run, wherever it is. The tree is empty then, so that no
// older stamp becomes visible.
func TestScrub(t *testing.T) {
	for _, where := range []string{"header", "middle", "index", "end"} {
		t.Run(where, func(t *testing.T) {
			dir := t.TempDir()
			tree, err := New(Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			for n := range 3 {
				for i := range 2000 {
					put(t, tree, stampAt(doc.OID(fmt.Sprintf("key %06d", i)), int64(10*n+1)))
				}
				spill(t, tree)
			}
			r := scrub.NewRun(t.Context(), nil)
			if err := tree.Scrub(r); err != nil || len(r.Damaged) > 0 || r.Files != 3 || r.Bytes == 0 {
				t.Fatalf("undamaged: got %+v, %v", r, err)
			}
			name := tree.runs[1].file.Name()
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]int{"header": 0, "middle": len(data) / 2, "index": int(tree.runs[1].blocks[1].offset) + tree.runs[1].blocks[1].length + 5, "end": len(data) - 1}[where]
			data[at] ^= 0x10
			if err := os.WriteFile(name, data, 0o600); err != nil {
				t.Fatal(err)
			}
			r = scrub.NewRun(t.Context(), nil)
			if err := tree.Scrub(r); err != nil || len(r.Damaged) != 1 || r.Damaged[0].File != name {
				t.Errorf("got %+v, %v; want %s", r.Damaged, err, name)
			}
			if entries, _, _ := tree.Stats(); entries != 0 {
				t.Errorf("got %d entries, want none", entries)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*.run")); err != nil || len(left) > 0 {
				t.Errorf("runs: got %v, %v; want none", left, err)
			}
		})
	}
}
