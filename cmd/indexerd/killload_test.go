package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/pgtest"
)

// TestLoadKilledTenTimes kills a load of 50,000 rows with SIGKILL ten times,
// between 5 and 90 % of its progress. It must end with exactly the rows of the
// table, having read again no more than the ranges in flight.
func TestLoadKilledTenTimes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a minute: run without -short")
	}
	all := generatedTexts(50_000)
	dsn := textTable(t, all)
	data := t.TempDir()
	const loadBatch = 2000
	file := writeFile(t, textConfig(dsn, data)+fmt.Sprintf("    batch: %d\n", loadBatch))
	plan := filepath.Join(data, "text", "load")
	ranges := (len(all)-1)/loadBatch + 1

	random := rand.New(rand.NewPCG(3, 4))
	finished := 0
	for i := range 10 {
		// The i-th kill falls at a random place of the i-th tenth of 5..90 %.
		at := int(float64(ranges) * (0.05 + 0.85*(float64(i)+random.Float64())/10))
		p := start(t, "run", "-c", file)
		eventually(t, time.Minute, fmt.Sprintf("%d ranges finished", at), func() error {
			n, err := finishedRanges(plan)
			if err == nil && n < at {
				err = fmt.Errorf("%d are", n)
			}
			return err
		})
		p.kill()
		now, err := finishedRanges(plan)
		if err != nil {
			t.Fatalf("kill %d came after the load: %v", i, err)
		}
		if now < finished {
			t.Errorf("kill %d: %d ranges finished, fewer than the %d before", i, now, finished)
		}
		finished = now
	}
	before := finished
	p := follow(t, file)
	if got := p.status(t).Tables[0].Documents; got != uint64(len(all)) {
		t.Errorf("documents: got %d, want %d", got, len(all))
	}
	p.has(t, "text", "", uint64(len(all)))
	for _, word := range someWords(t, all) {
		got := p.search(t, "text", word, "size=0").Total
		want := uint64(pgtest.Value[int64](t, dsn, `SELECT count(*) FROM text WHERE body ~* ('\m' || $1 || '\M')`, word))
		if got+want/10 < want || want+want/10 < got || want == 0 {
			t.Errorf("%s: got %d hits, PostgreSQL counts %d words", word, got, want)
		}
	}
	read := loadedRows(t, p)
	if most := (ranges - before) * loadBatch; read > most {
		t.Errorf("the last run read %d rows, more than the %d of the ranges that were not finished", read, most)
	}
	t.Logf("the last run read %d rows, of %d ranges that were not finished; %d workers", read, ranges-before, runtime.NumCPU())
}

// loadedRows is the number of rows that a daemon logs as loaded.
func loadedRows(t *testing.T, p *proc) int {
	t.Helper()
	var rows int
	eventually(t, soon, "the log shows how many rows were loaded", func() error {
		_, after, _ := strings.Cut(p.log.String(), `msg="initial loaded"`)
		_, after, ok := strings.Cut(after, "rows=")
		if !ok {
			return errors.New(p.log.String())
		}
		_, err := fmt.Sscan(after, &rows)
		return err
	})
	return rows
}

// finishedRanges counts the lines of a load's record after its first.
func finishedRanges(plan string) (int, error) {
	text, err := os.ReadFile(plan)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errors.New("no load under way")
	}
	return max(bytes.Count(text, []byte("\n"))-1, 0), err
}

// someWords returns three words of the first text.
func someWords(t *testing.T, all []bodyText) (words []string) {
	t.Helper()
	for _, w := range regexp.MustCompile(`\b[a-z]{5,}\b`).FindAllString(all[0].Text, -1) {
		if len(words) < 3 && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	if len(words) < 3 {
		t.Fatalf("got %v, want three words of %q", words, all[0].Text)
	}
	return words
}
