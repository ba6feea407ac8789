package fulltext

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/scrub"
	"indexerd/internal/index/query"
)

// manySegments makes a closed index with several segments, deleted documents in them, and
// root.bolt with older transactions. It returns what it answers, and the names of the
// segments that are in use.
func manySegments(t *testing.T, dir string) (answers, used []string) {
	ix := create(t, dir, films, 1)
	for i := range 9 {
		var docs []doc.Doc
		for n := i * 5; n < i*5+40; n++ {
			docs = append(docs, film(t, int64(n), doc.Version(i+1), map[string]any{"title": fmt.Sprintf("drama word%d of %d", n%7, n), "rating": "PG", "year": int64(1990 + n)}))
		}
		apply(t, ix, docs, oid(t, int64(1000+i)), oid(t, int64(i)))
	}
	answers = answersOf(t, ix)
	closeIndex(t, ix)
	ix, err := OpenReadOnly(dir, films) // merges have ended
	if err != nil {
		t.Fatal(err)
	}
	files, err := ix.files()
	if err != nil || len(files) == 0 {
		t.Fatalf("files: got %v, %v", files, err)
	}
	for _, file := range files {
		used = append(used, filepath.Base(file))
	}
	closeIndex(t, ix)
	return answers, used
}

// answersOf returns the answers of searches and of lists of an index.
func answersOf(t *testing.T, ix *Index) []string {
	t.Helper()
	docs, _, err := ix.Documents("", 1000)
	if err != nil {
		t.Fatal(err)
	}
	answers := []string{fmt.Sprint(docs)}
	for _, text := range []string{"drama", "word3", "word3 OR word5", `"drama word1"`, "rating:PG", "year:>=2000", "dra*", "-word2 drama"} {
		res := ask(t, ix, text)
		answers = append(answers, fmt.Sprint(text, res.Total, keys(res)))
	}
	return answers
}

// flipped returns the index in a copy in which one bit of a file is flipped.
func flipped(t *testing.T, dir, name string, bit int) string {
	copied := filepath.Join(t.TempDir(), "index")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	flipBit(t, filepath.Join(copied, name), bit)
	return copied
}

func flipBit(t *testing.T, file string, bit int) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, int64(bit/8)); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1 << (bit % 8)
	if _, err := f.WriteAt(b, int64(bit/8)); err != nil {
		t.Fatal(err)
	}
}

// Any flipped bit of a closed index is found when it is opened, or changes no answer: it
// is of a page of root.bolt that is not in use, or of root.sum.
func TestFlipsAreFoundAtOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	want, used := manySegments(t, dir)
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	n := 120
	if testing.Short() {
		n = 25
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			t.Fatal(err)
		}
		size := int(info.Size())
		bits := []int{0, 8*(size/2) + 3, 8*size - 1}
		for range n {
			bits = append(bits, random.IntN(8*size))
		}
		found := 0
		for _, bit := range bits {
			ix, err := OpenReadOnly(flipped(t, dir, file.Name(), bit), films)
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%s, bit %d: got %v, want %v", file.Name(), bit, err, ErrDamaged)
				}
				found++
				continue
			}
			if got := answersOf(t, ix); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, bit %d: got %v, want %v", file.Name(), bit, got, want)
			}
			closeIndex(t, ix)
		}
		if inUse := slices.Contains(used, file.Name()); inUse && found != len(bits) || file.Name() == rootName && found == 0 {
			t.Errorf("%s: found %d of %d", file.Name(), found, len(bits))
		}
	}
}

// Any flipped bit of a page of root.bolt that is in use is found when the index is opened,
// whether or not it would change an answer.
func TestFlipsOfPagesInUseAreFoundAtOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	manySegments(t, dir)
	file, err := os.Open(filepath.Join(dir, rootName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := boltSum{boltFile: openBolt(file), seen: map[uint64]bool{}}
	if err := s.add(s.root); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	for page := range s.seen {
		for range 8 {
			bit := 8*int(page)*int(s.pageSize) + random.IntN(8*int(s.pageSize))
			ix, err := OpenReadOnly(flipped(t, dir, rootName, bit), films)
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("page %d, bit %d: got %v, want %v", page, bit, err, ErrDamaged)
			}
			if err == nil {
				closeIndex(t, ix)
			}
		}
	}
}

// Of an index that is too large to be read when it is opened, a flipped bit at the end of a
// segment, where its fields and its footer are, is found too, or changes no answer. So is
// one where the docvalues of a field end.
func TestFlipsOfTheLayoutAreFoundInLargeIndexes(t *testing.T) {
	defer func(size int64) { checkedAtOpen = size }(checkedAtOpen)
	checkedAtOpen = 0
	dir := filepath.Join(t.TempDir(), "index")
	want, used := manySegments(t, dir)
	info, err := os.Stat(filepath.Join(dir, used[0]))
	if err != nil {
		t.Fatal(err)
	}
	step := 7
	if testing.Short() {
		step = 97
	}
	found := 0
	for bit := 8 * int(info.Size()-600); bit < 8*int(info.Size()); bit += step {
		ix, err := OpenReadOnly(flipped(t, dir, used[0], bit), films)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("bit %d: got %v, want %v", bit, err, ErrDamaged)
			}
			found++
			continue
		}
		if got := answersOf(t, ix); !reflect.DeepEqual(got, want) {
			t.Errorf("bit %d: got %v, want %v", bit, got, want)
		}
		closeIndex(t, ix)
	}
	if found == 0 {
		t.Error("found no flip")
	}
}

// A bit that flips while the index is open is found by Scrub, which names the file. From
// then on nothing is answered.
func TestScrubFindsFlips(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	ix := create(t, dir, films, 1)
	apply(t, ix, []doc.Doc{film(t, int64(1), 1, nil)}) // one segment, so that no merge finds the damage first
	defer ix.Close()                                   // which returns the damage
	run := scrub.NewRun(t.Context(), nil)
	if err := ix.Scrub(run); err != nil || len(run.Damaged) > 0 || run.Files < 2 || run.Bytes == 0 {
		t.Fatalf("undamaged: got %+v, %v", run, err)
	}
	files, err := ix.files()
	if err != nil || len(files) == 0 {
		t.Fatalf("files: got %v, %v", files, err)
	}
	flipBit(t, files[0], 8*100+1)
	run = scrub.NewRun(t.Context(), nil)
	if err := ix.Scrub(run); err != nil || len(run.Damaged) != 1 || run.Damaged[0].File != files[0] {
		t.Fatalf("damaged: got %+v, %v; want %s", run.Damaged, err, files[0])
	}
	if _, err := ix.Search(t.Context(), query.Request{Query: parse(t, "drama"), Size: 10}); !errors.Is(err, ErrDamaged) {
		t.Errorf("search: got %v, want %v", err, ErrDamaged)
	}
	if err := ix.Apply([]doc.Doc{film(t, int64(1), 99, nil)}, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("apply: got %v, want %v", err, ErrDamaged)
	}
	if err := ix.Damage(); !errors.Is(err, ErrDamaged) {
		t.Errorf("damage: got %v, want %v", err, ErrDamaged)
	}
}

// A search that reads what no segment has fails, names the file, and has the index
// examined.
func TestBrokenPostingNamesItsFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "index")
	manySegments(t, dir)
	ix, err := OpenReadOnly(dir, films) // so that no merge finds the damage first
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	files, err := ix.files()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(3, 4))
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		bit := random.IntN(8 * int(info.Size()))
		flipBit(t, files[0], bit)
		_, err := ix.Search(t.Context(), query.Request{Query: parse(t, "word3 OR word5"), Size: 10})
		flipBit(t, files[0], bit)
		if err == nil {
			continue
		}
		if ix.Suspect() == nil {
			t.Fatalf("got %v, which is not suspected", err)
		}
		if ix.Err() != nil { // a panic: opened again, all files are checked
			return
		}
		if want := filepath.Base(files[0]); !strings.Contains(err.Error(), want) {
			t.Fatalf("got %v, want it to name %s", err, want)
		}
		return
	}
	t.Fatal("no flip has broken a posting")
}
