package reindex

import (
	"os"
	"path/filepath"
	"testing"
)

// Current finds, in every state that a crash can leave, what Resolve makes the
// index, and changes nothing.
func TestCurrent(t *testing.T) {
	for _, c := range []struct {
		name    string
		dirs    []string
		current string
	}{
		{"usual", []string{firstName}, ""},
		{"a second one that does not count", []string{firstName, secondName}, ""},
		{"decided for the second one", []string{firstName, secondName}, secondName},
		{"the first one is removed", []string{secondName}, secondName},
		{"the second one is moved", []string{firstName}, secondName},
		{"decided for the first one", []string{firstName, secondName}, firstName},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.dirs {
				if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name, "which"), []byte(name), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.current != "" {
				if err := os.WriteFile(filepath.Join(dir, currentName), []byte(c.current+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			found, err := Current(dir)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(found, "which"))
			if err != nil {
				t.Fatal(err)
			}
			if after, err := os.ReadDir(dir); err != nil || len(after) != len(before) {
				t.Errorf("got %v, %v, want it as it was: %v", after, err, before)
			}
			if err := Resolve(dir); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, firstName, "which"))
			if err != nil || string(got) != string(want) {
				t.Errorf("got the index %q, Resolve makes it %q, %v", got, want, err)
			}
		})
	}
}
