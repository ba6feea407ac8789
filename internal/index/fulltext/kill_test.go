package fulltext

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// victimDir is the environment variable that is set in the process to kill.
const victimDir = "INDEXERD_TEST_VICTIM"

// TestVictim is the process that TestKill kills. It writes one document after
// another, and prints the number of each durable document.
func TestVictim(t *testing.T) {
	dir := os.Getenv(victimDir)
	if dir == "" {
		t.Skip("run by TestKill")
	}
	fmt.Println("0")
	ix := create(t, dir, films, 1)
	for i := int64(1); ; i++ {
		apply(t, ix, []doc.Doc{film(t, i, doc.Version(i), map[string]any{"title": "drama"})})
		fmt.Println(i)
	}
}

// A kill at any moment, also in the first milliseconds of an index, leaves either
// no index or one that opens and has all acknowledged documents.
func TestKill(t *testing.T) {
	t.Parallel()
	kills := 20
	if testing.Short() {
		kills = 3
	}
	for k := range kills {
		dir := filepath.Join(t.TempDir(), strconv.Itoa(k))
		acknowledged := kill(t, "TestVictim", dir, time.Duration(rand.Int64N(int64(40*time.Millisecond))))
		ix, err := Open(dir, films)
		if errors.Is(err, fs.ErrNotExist) && acknowledged == 0 {
			ix, err = Create(dir, films, 2)
		}
		if err != nil {
			t.Fatalf("after %d documents: %v", acknowledged, err)
		}
		n, err := ix.Count()
		if err != nil || n < acknowledged || n > acknowledged+1 {
			t.Errorf("documents: got %d, %v; want %d or one more", n, err, acknowledged)
		}
		closeIndex(t, ix)
	}
}

// kill runs a victim and kills it some time after its first line. It returns the
// last number that the victim printed.
func kill(t *testing.T, victim, dir string, after time.Duration) uint64 {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+victim+"$")
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var acknowledged uint64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			t.Errorf("the victim printed %q, want a number", lines.Text())
			break
		}
		if n == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // fails if the process has ended: see Wait
		}
		acknowledged = n
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the victim ended by itself: %v", err)
	}
	return acknowledged
}
