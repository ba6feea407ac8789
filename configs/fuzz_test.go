package configs

import (
	"errors"
	"os"
	"strings"
	"testing"

	"indexerd/internal/test/badconfigs"
)

// FuzzParse checks for any file that Parse does not panic, that each fault is
// one line, that no fault shows the environment, and that a file without faults
// is complete.
func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	for _, c := range badconfigs.Read(f, "testdata") {
		f.Add(c.YAML)
	}
	for _, pattern := range []string{"testdata/good/*.yaml", "*.yaml"} {
		files, err := glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if strings.Contains(string(data), canary) || strings.Contains(string(data), "dsn_file") {
			t.Skip("the test needs a secret in the environment only, and reads no files")
		}
		c, err := Parse("x.yaml", data, environment)
		if err == nil {
			checkComplete(t, c)
			return
		}
		var faults Faults
		if !errors.As(err, &faults) || len(faults) == 0 {
			t.Fatalf("got %v, want faults", err)
		}
		checkFaults(t, err)
	})
}
