package timetrace

import (
	"bytes"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

// release is that of the tests.
const release = "0.1.0"

// at returns a time on the day of the examples.
func at(h, m, s, µs int) time.Time {
	return time.Date(2026, 11, 21, h, m, s, µs*1000, time.UTC)
}

// example is the state in testdata/timeTrace.properties.
func example() State {
	return State{
		"customer": {
			Source: "0f00000000000001", SQL: "0f00000000000002",
			Kinds:      []doc.Kind{doc.Integer, doc.Text, doc.UUID},
			Generation: 1, Numbers: 131072,
		},
		"film": {
			Source: "6b1f0c2ad9e34477", SQL: "91d2a8c0177be5f3",
			Kinds:      []doc.Kind{doc.Integer},
			Generation: 3, Numbers: math.MaxUint64,
			Load: at(10, 0, 0, 0), Loaded: true,
			Settled: at(9, 50, 0, 0), Mode: "assumed",
			Incremental: at(10, 15, 30, 123456),
			Tiers:       map[string]time.Time{"1m": at(10, 15, 0, 0), "10m": at(10, 10, 0, 0)},
			Units:       map[string]string{"sql": "ms", "children.actors": UnknownUnit, "extra.tags": "us"},
			OutOfRange:  7,
			Server:      "7412 2026-11-01",
			Sweep:       at(10, 2, 0, 0), Rewinds: 2, Unverified: "restored from a backup: a sweep is due",
		},
	}
}

func golden(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/timeTrace.properties")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Later versions must read this file.
func TestGoldenFile(t *testing.T) {
	want := golden(t)
	text, err := format(example())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("format: got\n%s\nwant\n%s", text, want)
	}
	state, err := parse(want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(state, example()) {
		t.Errorf("parse: got %+v, want %+v", state, example())
	}
}

// Files of older versions are read: marks that they lack are zero.
func TestFilesOfOlderVersions(t *testing.T) {
	for _, test := range []struct {
		file string
		zero func(*Table)
	}{
		{"before_sweeps", func(film *Table) {
			film.Sweep, film.Rewinds, film.Units, film.OutOfRange = time.Time{}, 0, nil, 0
		}},
		{"before_releases", func(*Table) {}},
		{"before_checksums", func(*Table) {}},
		{"before_units", func(film *Table) { film.Units, film.OutOfRange = nil, 0 }},
	} {
		text, err := os.ReadFile("testdata/" + test.file + ".properties")
		if err != nil {
			t.Fatal(err)
		}
		state, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want := example()
		film := want["film"]
		test.zero(&film)
		want["film"] = film
		if !reflect.DeepEqual(state, want) {
			t.Errorf("%s: got %+v, want %+v", test.file, state, want)
		}
	}
}

// drawTable draws marks in the range of the database's clock.
func drawTable(t *rapid.T) Table {
	mark := rapid.OneOf(rapid.Just(time.Time{}), rapid.Map(rapid.Int64Range(-6e16, 2.5e17), func(µs int64) time.Time {
		return time.UnixMicro(µs).UTC()
	}))
	return Table{
		Source:      rapid.StringMatching("[0-9a-f]{0,16}").Draw(t, "source"),
		SQL:         rapid.String().Draw(t, "sql"),
		Kinds:       rapid.Permutation([]doc.Kind{doc.Integer, doc.Text, doc.UUID}).Draw(t, "kinds")[:rapid.IntRange(1, 3).Draw(t, "parts")],
		Generation:  doc.Generation(rapid.Uint32().Draw(t, "generation")),
		Numbers:     rapid.Uint64().Draw(t, "numbers"),
		Load:        mark.Draw(t, "load"),
		Loaded:      rapid.Bool().Draw(t, "loaded"),
		Settled:     mark.Draw(t, "settled"),
		Mode:        rapid.SampledFrom([]string{"", "exact", "assumed", "compared"}).Draw(t, "mode"),
		Incremental: mark.Draw(t, "incremental"),
		Tiers:       drawTiers(t, mark),
		Units:       drawUnits(t),
		OutOfRange:  rapid.Uint64().Draw(t, "out of range"),
		Server:      rapid.String().Draw(t, "server"),
		Sweep:       mark.Draw(t, "sweep"),
		Rewinds:     rapid.Uint64().Draw(t, "rewinds"),
		Unverified:  rapid.String().Draw(t, "unverified"),
		Epoch:       rapid.Uint32().Draw(t, "epoch"),
		Hidden:      rapid.String().Draw(t, "hidden"),
	}
}

// drawTiers draws tiers by name, or nil for none.
func drawTiers(t *rapid.T, mark *rapid.Generator[time.Time]) map[string]time.Time {
	name := rapid.OneOf(rapid.SampledFrom([]string{"1m", "1.5m", "10m0s", "a b", "exact"}), rapid.StringN(1, 8, -1))
	tiers := rapid.MapOfN(name, mark, 0, 3).Draw(t, "tiers")
	if len(tiers) == 0 {
		return nil
	}
	return tiers
}

// drawUnits draws units by the path of an SQL, or nil for none.
func drawUnits(t *rapid.T) map[string]string {
	path := rapid.SampledFrom([]string{"sql", "changes", "children.actors", "extra.tags"})
	unit := rapid.SampledFrom([]string{"s", "ms", "us", "ns", "julian", "text", UnknownUnit})
	units := rapid.MapOfN(path, unit, 0, 3).Draw(t, "units")
	if len(units) == 0 {
		return nil
	}
	return units
}

func drawState(t *rapid.T) State {
	name := rapid.StringMatching("[a-z][a-z0-9_]{0,9}")
	return rapid.MapOfN(name, rapid.Custom(drawTable), 0, 4).Draw(t, "state")
}

func TestStateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawState(t)
		text, err := format(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, want %+v from\n%s", got, want, text)
		}
	})
}

// wantRejected expects Open to return an error for a file, and no state.
// A table is written the same whatever was written of it before.
func TestLinesThatStayAreKept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		table := drawTable(r)
		earlier := table
		if rapid.Bool().Draw(r, "another table") {
			earlier = drawTable(r)
		}
		earlier.Settled = earlier.Settled.Add(time.Second)
		before, _, err := formatTable("a", earlier, block{})
		if err != nil {
			r.Fatal(err)
		}
		want, read, err := formatTable("a", table, block{})
		if err != nil {
			r.Fatal(err)
		}
		if got, again, err := formatTable("a", table, before); err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(again, read) {
			r.Errorf("got %+v, %+v, %v, want %+v, %+v", got, again, err, want, read)
		}
	})
}

func wantRejected(t *testing.T, text []byte) {
	t.Helper()
	fsys := disk(t)
	if err := atomicfile.Write(fsys, file, text); err != nil {
		t.Fatal(err)
	}
	trace, err := Open(fsys, "/data", release)
	if err == nil {
		t.Fatalf("got %+v, want an error for\n%s", trace.Tables(), text)
	}
	if trace != nil {
		t.Errorf("got a trace beside error %v for\n%s", err, text)
	}
	if msg := err.Error(); !strings.HasPrefix(msg, file+": ") || strings.Contains(msg, "\n") || !strings.Contains(msg, FileName+".prev") {
		t.Errorf("got error %q, want one line with the file and its previous copy", msg)
	}
	if got, err := atomicfile.Read(fsys, file); err != nil || !bytes.Equal(got, text) {
		t.Errorf("file after Open: got %q, %v, want it unchanged", got, err)
	}
}

func TestACutFileIsRejected(t *testing.T) {
	whole := golden(t)
	for n := range whole {
		if n != sealedAt(t) { // the file as an older release writes it
			wantRejected(t, whole[:n])
		}
	}
}

// sealedAt returns where the checksum of the golden file is.
func sealedAt(t *testing.T) int { return bytes.LastIndex(golden(t), []byte("# crc32c ")) }

// Any flipped bit is noticed, such as one that makes a time later. Only those of the words
// before the checksum may hide it.
func TestAFlippedBitIsRejected(t *testing.T) {
	whole := golden(t)
	for at := range whole {
		if sealedAt(t) <= at && at < sealedAt(t)+len("# crc32c ") {
			continue
		}
		text := bytes.Clone(whole)
		text[at] ^= 1 << (at % 8)
		wantRejected(t, text)
	}
}

func TestAFileThatLacksALineIsRejected(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSuffix(string(golden(t)), "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for i := 2; i < len(lines)-1; i++ { // the first lines are comments, and the last one
		wantRejected(t, []byte(strings.Join(lines[:i], "")+strings.Join(lines[i+1:], "")))
	}
}

func TestADamagedFileIsRejected(t *testing.T) {
	head := "format = 1\nentries = 1\n"
	tests := map[string]string{
		"empty":                       "",
		"blank":                       "\n",
		"zero bytes":                  strings.Repeat("\x00", 64),
		"no format":                   "entries = 0\n",
		"no entries":                  "format = 1\n",
		"another format":              "format = 2\nentries = 0\n",
		"a mark too many":             head + "film.numbers = 1\nfilm.loaded = true\n",
		"an unknown mark":             head + "film.colour = red\n",
		"a line without a table":      head + "incremental = 2026-11-21T10:15:30.123456Z\n",
		"a line without a mark":       head + "film. = 1\n",
		"a tier without a name":       head + "film.tier. = 2026-11-21T10:15:30.123456Z\n",
		"a tier without a time":       head + "film.tier.1m = soon\n",
		"a unit of nothing":           head + "film.unit. = ms\n",
		"an unknown unit":             head + "film.unit.sql = fortnights\n",
		"an empty unit":               head + "film.unit.sql =\n",
		"no number of rows":           head + "film.out_of_range = some\n",
		"a key of a deeper level":     head + "film.settled.mode.x = exact\n",
		"no time":                     head + "film.incremental = yesterday\n",
		"an empty time":               head + "film.incremental =\n",
		"a time of another zone":      head + "film.incremental = 2026-11-21T10:15:30.123456+01:00\n",
		"a time of the 13th month":    head + "film.incremental = 2026-13-21T10:15:30.123456Z\n",
		"no number":                   head + "film.numbers = many\n",
		"a negative number":           head + "film.numbers = -1\n",
		"a number too large":          head + "film.numbers = 18446744073709551616\n",
		"no number of rewinds":        head + "film.rewinds = twice\n",
		"no time of a sweep":          head + "film.sweep = never\n",
		"a generation too large":      head + "film.generation = 4294967296\n",
		"an empty number":             head + "film.numbers =\n",
		"loaded is neither":           head + "film.loaded = perhaps\n",
		"an unknown kind of key":      head + "film.key = integer,float\n",
		"an empty kind of key":        head + "film.key =\n",
		"an escape that has no digit": head + "film.sql = \\u12\n",
		"a merge conflict":            "<<<<<<< mine\n" + string(golden(t)),
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) { wantRejected(t, []byte(text)) })
	}
}

// FuzzParse parses any bytes: an error, or marks that survive format and parse.
func FuzzParse(f *testing.F) {
	whole := golden(f)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add([]byte("format = 1\nentries = 0\n"))
	f.Add([]byte("format:1\n! a comment\nentries=2\nfilm.sql = \\u00e9\\\n  x\nfilm.loaded t\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		state, err := parse(text)
		if err != nil {
			if state != nil {
				t.Fatalf("got %v beside error %v", state, err)
			}
			return
		}
		survives(t, state)
	})
}

// FuzzMark is FuzzParse for one line, without the count of entries, which few
// inputs match.
func FuzzMark(f *testing.F) {
	for _, field := range fields {
		for _, text := range []string{field.format(example()["film"]), "", "-1", " \t\\"} {
			f.Add(field.name, text)
		}
	}
	f.Fuzz(func(t *testing.T, mark, text string) {
		if !utf8.ValidString(text) {
			t.Skip("the file is UTF-8")
		}
		state := State{}
		if err := state.parse("film."+mark, text); err != nil {
			if len(state) != 0 {
				t.Fatalf("got %v beside error %v", state, err)
			}
			return
		}
		survives(t, state)
	})
}

// survives expects format and parse to return the same state.
func survives(t *testing.T, state State) {
	t.Helper()
	written, err := format(state)
	if err != nil {
		t.Fatal(err)
	}
	again, err := parse(written)
	if err != nil {
		t.Fatalf("%v in\n%s", err, written)
	}
	if !reflect.DeepEqual(again, state) {
		t.Fatalf("got %+v, want %+v", again, state)
	}
}

// format returns the file of a state.
func format(s State) ([]byte, error) {
	blocks, _, err := formatAll(s)
	return join(blocks, release), err
}
