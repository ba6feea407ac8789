package quarantine

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/faultfs"
)

var (
	name  = Name("/data/film")
	start = time.Date(2026, 11, 21, 10, 15, 30, 500_000_000, time.UTC)
)

func disk(t rapid.TB) *faultfs.FS {
	t.Helper()
	fsys := faultfs.New()
	if err := fsys.MkdirAll("/data/film", 0o700); err != nil {
		t.Fatal(err)
	}
	return fsys
}

func open(t rapid.TB, fsys atomicfile.FS) *Quarantine {
	t.Helper()
	q, err := Open(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func oid(t rapid.TB, n int64) doc.OID {
	t.Helper()
	o, err := doc.NewOID(n)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// batch rejects rows some seconds after the start. Its clock is not in UTC, and times
// in the list are.
func batch(second int, rejects ...doc.Reject) doc.Batch {
	at := start.Add(time.Duration(second) * time.Second)
	return doc.Batch{At: at.In(time.FixedZone("", 3600)), Rejects: rejects}
}

func add(t rapid.TB, q *Quarantine, b doc.Batch) {
	t.Helper()
	if err := q.Add(b); err != nil {
		t.Fatal(err)
	}
}

// want checks the rows of a quarantine.
func want(t rapid.TB, q *Quarantine, rows ...Row) {
	t.Helper()
	got := q.Rows()
	if len(got) != len(rows) || q.Len()+q.Partials() != len(rows) {
		t.Fatalf("got %d rows, Len %d, want %d: %+v", len(got), q.Len(), len(rows), got)
	}
	for i := range rows {
		if !reflect.DeepEqual(got[i], rows[i]) {
			t.Fatalf("row %d: got %+v, want %+v", i, got[i], rows[i])
		}
	}
}

func read(t rapid.TB, fsys atomicfile.FS) []byte {
	t.Helper()
	text, err := atomicfile.Read(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The format of the file must not change: a later version reads it.
func TestFormat(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "column length: \"x\" is no number"}, doc.Reject{Reason: "the key is NULL"}))
	add(t, q, batch(1, doc.Reject{OID: oid(t, 7), Reason: "column length: \"y\" is no number", Document: doc.Hidden}))
	if err := q.Clear([]doc.OID{oid(t, 7)}); err != nil {
		t.Fatal(err)
	}
	wantText := `{"key":"118000000000000007","oid":"7","reason":"column length: \"x\" is no number","since":"2026-11-21T10:15:30.5Z","tries":1,"crc":"1fdad1f1"}
{"key":"","oid":"","reason":"the key is NULL","since":"2026-11-21T10:15:30.5Z","tries":1,"crc":"31b7fab6"}
{"key":"118000000000000007","oid":"7","reason":"column length: \"y\" is no number","since":"2026-11-21T10:15:30.5Z","tries":2,"document":"hidden","crc":"9333338a"}
{"key":"118000000000000007","oid":"7","tries":0,"crc":"434e2890"}
`
	if got := string(read(t, fsys)); got != wantText {
		t.Errorf("got\n%swant\n%s", got, wantText)
	}
	want(t, open(t, fsys), Row{Reason: "the key is NULL", Since: start, Tries: 1})
	if got, want := string(read(t, fsys)), strings.Split(wantText, "\n")[1]+"\n"; got != want {
		t.Errorf("opened again: got\n%swant the last line of each row\n%s", got, want)
	}
}

func TestTriesAndSince(t *testing.T) {
	q := open(t, disk(t))
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "first"}))
	add(t, q, batch(5, doc.Reject{OID: oid(t, 7), Reason: "second"}, doc.Reject{OID: oid(t, 8), Reason: "first"}))
	want(t, q,
		Row{OID: oid(t, 7), Reason: "second", Since: start, Tries: 2},
		Row{OID: oid(t, 8), Reason: "first", Since: start.Add(5 * time.Second), Tries: 1})

	if err := q.Clear([]doc.OID{oid(t, 7)}); err != nil {
		t.Fatal(err)
	}
	add(t, q, batch(9, doc.Reject{OID: oid(t, 7), Reason: "third"}))
	want(t, q,
		Row{OID: oid(t, 7), Reason: "third", Since: start.Add(9 * time.Second), Tries: 1},
		Row{OID: oid(t, 8), Reason: "first", Since: start.Add(5 * time.Second), Tries: 1})
}

// Rows without a key are distinguished by their reason, are not tried again, and Clear
// does not remove them.
func TestRowsWithoutAKey(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	add(t, q, batch(0, doc.Reject{Reason: "key part 1 is NULL"}, doc.Reject{Reason: "key part 2 is NULL"}))
	add(t, q, batch(1, doc.Reject{Reason: "key part 2 is NULL"}))
	if err := q.Clear([]doc.OID{"", oid(t, 7)}); err != nil {
		t.Fatal(err)
	}
	rows := []Row{
		{Reason: "key part 1 is NULL", Since: start, Tries: 1},
		{Reason: "key part 2 is NULL", Since: start, Tries: 1},
	}
	want(t, q, rows...)
	want(t, open(t, fsys), rows...)
}

func TestReasonThatIsNotUTF8(t *testing.T) {
	fsys := disk(t)
	for range 2 {
		q := open(t, fsys)
		add(t, q, batch(0, doc.Reject{Reason: "text \xff\n"}))
		want(t, q, Row{Reason: "text \uFFFD\n", Since: start, Tries: 1})
	}
}

func TestLongReasonsAreCut(t *testing.T) {
	fsys := disk(t)
	cut := strings.Repeat("é", maxReason/2) + "..."
	for try := 1; try <= 2; try++ {
		q := open(t, fsys)
		add(t, q, batch(0, doc.Reject{OID: oid(t, 1), Reason: strings.Repeat("é", 1<<20)}))
		want(t, q, Row{OID: oid(t, 1), Reason: cut, Since: start, Tries: try})
	}
}

// Batches that change no row write nothing.
func TestNoChangeWritesNothing(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	fsys.Fail(nil)
	if err := errors.Join(q.Add(batch(0)), q.Clear(nil), q.Clear([]doc.OID{oid(t, 7)})); err != nil {
		t.Fatal(err)
	}
	add(t, q, batch(0, doc.Reject{OID: oid(t, 8), Reason: "r"}))
	fsys.Fail(nil)
	if err := q.Clear([]doc.OID{oid(t, 7)}); err != nil {
		t.Fatal(err)
	}
	if got := fsys.Steps(); got != 0 {
		t.Errorf("got %d steps on the disk, want none", got)
	}
}

// For any changes, restarts and crashes the list has the content of a map.
func TestListBehavesLikeAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fsys := disk(t)
		q := open(t, fsys)
		model := map[string]Row{}
		for step := range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"add", "add", "clear", "restart", "crash"}).Draw(t, "do") {
			case "add":
				b := batch(step, rapid.SliceOfN(rapid.Custom(drawReject), 0, 4).Draw(t, "rejects")...)
				add(t, q, b)
				addTo(model, b)
			case "clear":
				keys := rapid.SliceOfN(rapid.Custom(drawReject), 0, 3).Draw(t, "rows")
				var oids []doc.OID
				for _, k := range keys {
					oids = append(oids, k.OID)
					if k.OID != "" {
						delete(model, string(k.OID)+"/")
					}
				}
				if err := q.Clear(oids); err != nil {
					t.Fatal(err)
				}
			case "restart":
				q = open(t, fsys)
			case "crash":
				fsys = fsys.Crash(faultfs.Worst)
				q = open(t, fsys)
			}
			same(t, q, model)
		}
	})
}

func drawReject(t *rapid.T) doc.Reject {
	r := doc.Reject{Reason: rapid.SampledFrom([]string{"", "NULL", "a\nline", "<é中>"}).Draw(t, "reason")}
	if n := rapid.Int64Range(0, 3).Draw(t, "key"); n > 0 {
		r.OID = oid(t, n)
		r.Document = rapid.SampledFrom([]doc.Visibility{"", doc.Visible, doc.Hidden}).Draw(t, "document")
	}
	return r
}

// addTo is Add on a map. A row twice in a batch is one try.
func addTo(model map[string]Row, b doc.Batch) {
	added := map[string]Row{}
	for _, r := range b.Rejects {
		key := string(r.OID) + "/"
		if r.OID == "" {
			key += r.Reason
		}
		row := Row{OID: r.OID, Reason: r.Reason, Since: b.At.UTC(), Tries: 1, Document: r.Document}
		if old, ok := model[key]; ok {
			row.Since, row.Tries = old.Since, old.Tries+1
			if r.OID == "" {
				continue
			}
		}
		added[key] = row
	}
	for key, row := range added {
		model[key] = row
	}
}

func same(t rapid.TB, q *Quarantine, model map[string]Row) {
	t.Helper()
	rows := q.Rows()
	if len(rows) != len(model) {
		t.Fatalf("got %+v, want %+v", rows, model)
	}
	of := map[doc.Visibility]int{}
	for _, row := range rows {
		of[row.Document]++
		key := string(row.OID) + "/"
		if row.OID == "" {
			key += row.Reason
		}
		if !reflect.DeepEqual(model[key], row) {
			t.Fatalf("got %+v, want %+v", row, model[key])
		}
	}
	if visible, hidden := q.Documents(); visible != of[doc.Visible] || hidden != of[doc.Hidden] {
		t.Fatalf("%d documents are visible and %d hidden, want %v", visible, hidden, of)
	}
}

func TestOpenWithoutDirectoryFails(t *testing.T) {
	if _, err := Open(faultfs.New(), name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want fs.ErrNotExist", err)
	}
}

// Several workers may add rows while others read.
func TestConcurrentWorkers(t *testing.T) {
	fsys := disk(t)
	q := open(t, fsys)
	var workers sync.WaitGroup
	for n := range int64(4) {
		row := doc.Reject{OID: oid(t, n), Reason: "r"}
		workers.Go(func() {
			for range 20 {
				if err := q.Add(batch(0, row)); err != nil {
					t.Error(err)
				}
				q.Rows()
				q.Len()
			}
		})
	}
	workers.Wait()
	for _, row := range open(t, fsys).Rows() {
		if got, want := row.Tries, 20; got != want {
			t.Errorf("%v: got %d tries, want %d", row.OID, got, want)
		}
	}
}
