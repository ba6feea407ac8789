package segment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/numbers"
	"indexerd/internal/test/sampletext"
)

var analyzers = []string{"standard", "en", "cjk", "ngram", "latest standard", "latest en", "latest cjk", "latest ngram"}

func newSchema(t testing.TB, analyzer string, positions bool) *Schema {
	t.Helper()
	name, latest := strings.CutPrefix(analyzer, "latest ")
	spec := analysis.Spec{Name: name, Stopwords: []string{"the", "of"}}
	if latest {
		spec.Version = analysis.Latest
	}
	a, err := analysis.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return &Schema{Analyzer: a, Positions: positions, Gap: 100, Texts: []string{"c:text"}, Lengths: []string{"l:text"}, Values: []string{"m:kind", "m:n"}, Stored: "v"}
}

// textRows returns rows with the texts, sorted by id.
func textRows(texts []string, from int) []Row {
	rows := make([]Row, len(texts))
	for i, text := range texts {
		n := from + i
		rows[i] = Row{
			ID: fmt.Sprintf("%08d", n), Stored: []byte{byte(n), 1},
			Texts:  [][]string{{text}},
			Values: [][]string{{fmt.Sprint("kind", n%7)}, {string(numbers.Append(nil, uint64(n)))}},
		}
	}
	return rows
}

// everyThird drops a third of the documents, by chance.
func everyThird(r *rand.Rand, n int) *roaring.Bitmap {
	drops := roaring.New()
	for doc := range n {
		if r.IntN(3) == 0 {
			drops.Add(uint32(doc))
		}
	}
	return drops
}

// checkRows builds a segment of rows in both modes, compares it with that of
// zapx, and returns that of zapx and the ordinary one.
func checkRows(t testing.TB, s *Schema, rows []Row) (library, own segment.Segment) {
	t.Helper()
	library, own = oracle(t, s, rows), built(t, newBuilder(), s, rows)
	checkBytes(t, built(t, exactBuilder(), s, rows), library)
	checkContents(t, own, library)
	return library, own
}

// Segments of texts, and merges of them, are those of zapx.
func TestTexts(t *testing.T) {
	for language, texts := range map[string][]string{"English": sampletext.English(500), "Chinese": sampletext.Chinese(500)} {
		for _, analyzer := range analyzers {
			for _, positions := range []bool{true, false} {
				t.Run(fmt.Sprint(language, " ", analyzer, " ", positions), func(t *testing.T) {
					t.Parallel()
					checkTexts(t, newSchema(t, analyzer, positions), texts, []int{1, 7, 300})
				})
			}
		}
	}
}

func checkTexts(t *testing.T, s *Schema, texts []string, sizes []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	none := make([]*roaring.Bitmap, len(sizes))
	var libraries, own []segment.Segment
	var drops []*roaring.Bitmap
	for i, size := range sizes {
		library, mine := checkRows(t, s, textRows(texts[i*100:i*100+size], i*10_000))
		libraries, own = append(libraries, onDisk(t, library)), append(own, onDisk(t, mine))
		drops = append(drops, everyThird(r, size))
	}
	checkMerges(t, own, none)
	checkMerges(t, own, drops)
	checkMerges(t, slices.Concat(libraries[:2], own[2:]), drops)
}

// oddRows returns a random schema and random rows: children, lists, invalid
// UTF-8, overlong words, empty texts and fields that no row has.
func oddRows(t testing.TB, r *rand.Rand) (*Schema, []Row) {
	words := []string{"a", "the", "Foo", "foo", "bar's", "x’s", "Straße", "ＡＢＣ", "日本語", "ไทย", "running", "runs", "\xff\xfe", "", " ", "_", "9",
		strings.Repeat("long", 80), strings.Repeat("é", 200), "'s", "o's'x", "İ", "\x00", "\x80"}
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&b, "w%d ", r.IntN(30))
			}
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", "", "-", "\n"}[r.IntN(4)])
		}
		return b.String()
	}
	s := newSchema(t, analyzers[r.IntN(len(analyzers))], r.IntN(2) == 0)
	s.Texts, s.Lengths, s.Values, s.Gap = nil, nil, nil, r.IntN(300)
	if r.IntN(4) == 0 {
		s.Gap = 1 << 29 // places need more than 32 bits
	}
	lengths := r.IntN(4) > 0
	for i := range r.IntN(4) {
		s.Texts = append(s.Texts, fmt.Sprint("c:", 3-i))
		if lengths {
			s.Lengths = append(s.Lengths, fmt.Sprint("l:", 3-i))
		}
	}
	for i := range r.IntN(4) {
		s.Values = append(s.Values, fmt.Sprint("m:", i))
	}
	s.Stored = []string{"v", "a", "z"}[r.IntN(3)]
	rows := make([]Row, 1+r.IntN(40))
	for i := range rows {
		row := &rows[i]
		row.ID = fmt.Sprintf("%s%03d", strings.Repeat("k", r.IntN(2)*i), i*7)
		row.Stored = []byte(strings.Repeat("v", r.IntN(4)))
		row.Texts, row.Values = make([][]string, len(s.Texts)), make([][]string, len(s.Values))
		for f := range s.Texts {
			for range r.IntN(4) * r.IntN(2) {
				row.Texts[f] = append(row.Texts[f], text())
			}
		}
		for f := range s.Values {
			for range r.IntN(3) {
				row.Values[f] = append(row.Values[f], fmt.Sprint(strings.Repeat("prefix", r.IntN(2)), r.IntN(9)))
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
	return s, rows
}

// Segments of random rows of random schemas, and merges of them, are those of
// zapx.
func TestOddRows(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		s, rows := oddRows(t, r)
		_, own := checkRows(t, s, rows)
		half := len(rows) / 2
		if half == 0 {
			continue
		}
		segments := []segment.Segment{own, built(t, newBuilder(), s, rows[:half]), built(t, newBuilder(), s, rows[half:])}
		drops := []*roaring.Bitmap{everyThird(r, len(rows)), everyThird(r, half), nil}
		if seed%2 == 0 {
			drops = make([]*roaring.Bitmap, 3)
		}
		if sources, err := newMerge(segments, drops, nil); errors.Is(err, errForeign) {
			continue // a half lacks a field
		} else if err != nil || len(sources.sources) != 3 {
			t.Fatal(err)
		}
		checkMerges(t, segments, drops)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Lists with several chunks and with bitmaps of several containers are those of
// zapx.
func TestManyDocuments(t *testing.T) {
	const n = 70_000
	s := newSchema(t, "standard", true)
	s.Values = []string{"m:rare"}
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = Row{ID: fmt.Sprintf("%08d", i), Stored: []byte{1}, Texts: [][]string{{"all"}}, Values: [][]string{nil}}
		if i%3 == 0 {
			rows[i].Texts[0][0] = "all third"
		}
		if i%30_000 == 29_999 {
			rows[i].Values[0] = []string{"rare"}
		}
	}
	library, own := checkRows(t, s, rows)
	drops := everyThird(rand.New(rand.NewPCG(1, 1)), n)
	segments := []segment.Segment{onDisk(t, library), onDisk(t, own)}
	checkMerges(t, segments, []*roaring.Bitmap{drops, nil})
	if !testing.Short() {
		checkMerges(t, segments, []*roaring.Bitmap{nil, nil})
	}
}

// A builder does not remember the segment before.
func TestMemoryIsUsedAgain(t *testing.T) {
	b := newBuilder()
	for seed := range uint64(60) {
		s, rows := oddRows(t, rand.New(rand.NewPCG(seed, 2)))
		checkContents(t, built(t, b, s, rows), oracle(t, s, rows))
	}
}

// zapx 17 is what bleve writes without this package. It is what old indexes
// have, and what other programs read.
func TestVersion(t *testing.T) {
	if versions := scorch.SupportedSegmentTypeVersions(zap.Type); slices.Max(versions) != zap.Version || zap.Version != 17 {
		t.Errorf("bleve has segments %v, zapx is %d, want 17", versions, zap.Version)
	}
	if err := Register(); err != nil {
		t.Error(err)
	}
}

// zapx does not build a segment from rows: it can't miss their words silently.
func TestRowsNeedThePlugin(t *testing.T) {
	s := newSchema(t, "standard", true)
	defer func() {
		if recover() == nil {
			t.Error("zapx has built a segment from a row, want a panic")
		}
	}()
	_, _, _ = new(zap.ZapPlugin).New(documentsOf(s, textRows([]string{"words"}, 1)))
}

func TestNoOtherDocuments(t *testing.T) {
	s := newSchema(t, "standard", true)
	rows := textRows([]string{"words"}, 1)
	plain := s.oracleDocument(rows[0])
	plain.AddIDField()
	for _, c := range []struct {
		docs []index.Document
		want string
	}{
		{append(documentsOf(s, rows), plain), "batch has rows and other documents"},
		{append(documentsOf(s, rows), documentsOf(s, rows)...), "batch has rows and other documents"},
		{[]index.Document{plain}, ""},
	} {
		got := ""
		seg, _, err := new(Plugin).New(c.docs)
		if err != nil {
			got = err.Error()
		} else if seg.Count() != 1 {
			t.Errorf("got %d documents, want 1", seg.Count())
		}
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A batch has the last row of each id, in the order of ids, and says which documents of
// older segments go.
func TestBatch(t *testing.T) {
	s := newSchema(t, "standard", true)
	rows := textRows([]string{"old", "b", "c", "d"}, 1)
	newer := textRows([]string{"new"}, 1)
	batch := s.Batch([]Row{rows[2], rows[0], rows[1], newer[0]}, []string{rows[2].ID, rows[3].ID})
	var ids []string
	carriers := 0
	for id, d := range batch.IndexOps {
		ids = append(ids, id)
		if d != nil {
			carriers++
		}
	}
	slices.Sort(ids)
	if want := []string{rows[0].ID, rows[1].ID, rows[2].ID, rows[3].ID}; !slices.Equal(ids, want) || carriers != 1 {
		t.Errorf("ids %q with %d documents, want %q with 1", ids, carriers, want)
	}
	seg, _, err := new(Plugin).New(documentsOf(s, []Row{rows[2], rows[0], rows[1], newer[0]}))
	if err != nil {
		t.Fatal(err)
	}
	checkContents(t, seg, oracle(t, s, []Row{newer[0], rows[1], rows[2]}))
}

// zapx merges segments with different fields.
func TestForeignSegments(t *testing.T) {
	s, other := newSchema(t, "standard", true), newSchema(t, "standard", true)
	other.Texts = []string{"c:other"}
	texts := sampletext.English(20)
	segments := []segment.Segment{built(t, newBuilder(), s, textRows(texts, 0)), built(t, newBuilder(), other, textRows(texts, 100))}
	drops := make([]*roaring.Bitmap, 2)
	dir := t.TempDir()
	if _, _, err := newBuilder().mergeSegments(segments, drops, filepath.Join(dir, "own"), nil); !errors.Is(err, errForeign) {
		t.Errorf("own merge: got %v, want %v", err, errForeign)
	}
	for name, plugin := range map[string]scorch.SegmentPlugin{"got": new(Plugin), "want": new(zap.ZapPlugin)} {
		if _, _, err := plugin.Merge(segments, drops, filepath.Join(dir, name), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	checkContents(t, openFile(t, filepath.Join(dir, "got")), openFile(t, filepath.Join(dir, "want")))
}

// A small batch often has no row with some column. It merges with others all the same.
func TestBatchWithoutAField(t *testing.T) {
	s := newSchema(t, "standard", true)
	texts := sampletext.English(20)
	bare := textRows(texts, 100)
	for i := range bare {
		bare[i].Texts, bare[i].Values = [][]string{nil}, [][]string{nil, {"5"}}
	}
	checkMerges(t, []segment.Segment{built(t, newBuilder(), s, textRows(texts, 0)), built(t, newBuilder(), s, bare)}, make([]*roaring.Bitmap, 2))
}

// A merge that fails or is stopped leaves no file.
func TestFailedMerge(t *testing.T) {
	s := newSchema(t, "standard", true)
	good := built(t, newBuilder(), s, textRows(sampletext.English(20), 0))
	closed := make(chan struct{})
	close(closed)
	dir := t.TempDir()
	path := filepath.Join(dir, "merged")
	if _, _, err := new(Plugin).Merge([]segment.Segment{good}, []*roaring.Bitmap{nil}, path, closed, nil); err != segment.ErrClosed {
		t.Errorf("stopped: got %v, want %v and nothing around it", err, segment.ErrClosed)
	}
	broken := filepath.Join(dir, "broken")
	data := bytesOf(t, good)
	data[0] = 0x7f // the length of the first document's meta
	for i := 1; i < 20; i++ {
		data[i] = 0xff
	}
	if err := os.WriteFile(broken, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := new(Plugin).Merge([]segment.Segment{openFile(t, broken)}, []*roaring.Bitmap{nil}, path, nil, nil); !errors.Is(err, ErrDamaged) {
		t.Errorf("broken: got %v, want %v", err, ErrDamaged)
	}
	// a flipped bit, which would be written to a segment whose checksum is right
	data = bytesOf(t, good)
	data[len(data)/2] ^= 1
	if err := os.WriteFile(broken, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var reported error
	config := map[string]any{DamageKey: func(err error) { reported = err }}
	if _, _, err := new(Plugin).MergeUsing([]segment.Segment{good, openFile(t, broken)}, []*roaring.Bitmap{nil, nil}, path, nil, nil, config); !errors.Is(err, ErrDamaged) || !errors.Is(reported, ErrDamaged) {
		t.Errorf("a flipped bit: got %v and %v, want %v", err, reported, ErrDamaged)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a failed merge: got %v, want %v", err, os.ErrNotExist)
	}
}
