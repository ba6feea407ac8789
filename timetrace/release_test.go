package timetrace

import (
	"strings"
	"testing"

	"indexerd/internal/base/atomicfile"
)

// A file or a store of another release is refused with its name and what to do.
func TestAnotherRelease(t *testing.T) {
	const (
		start   = "start indexerd 0.2.0, or restore a backup that indexerd 0.1.0 made"
		build   = "a newer build of indexerd wrote it, or it was edited: start that build, or restore"
		restore = "restore"
	)
	for name, test := range map[string]struct {
		writer, lines string
		want, then    string // the beginning of the message behind the place, and its end
	}{
		"a mark of a newer one":     {"0.2.0", "film.colour = red\n", `unknown mark "film.colour": a newer release wrote it, indexerd 0.2.0, and this is indexerd 0.1.0: `, start},
		"a value of another one":    {"0.2.0", "film.key = colour\n", "film.key: ", "another release wrote it, indexerd 0.2.0, and this is indexerd 0.1.0: " + start},
		"a mark of the same one":    {"0.1.0", "film.colour = red\n", `unknown mark "film.colour": ` + build, ""},
		"a mark of an unknown one":  {"", "film.colour = red\n", `unknown mark "film.colour": ` + build, ""},
		"a name that is none":       {"0.2.0\x1b[31m", "film.colour = red\n", `unknown mark "film.colour": ` + build, ""},
		"a value that was damaged":  {"0.1.0", "film.numbers = x\n", `film.numbers: "x" is not a number: ` + restore, ""},
		"a value of an unknown one": {"", "film.numbers = x\n", `film.numbers: "x" is not a number: ` + restore, ""},
	} {
		head := ""
		if test.writer != "" {
			head = header(test.writer)
		}
		whole := "# How far\n" + head + "format = 1\nentries = 1\n" + test.lines
		refuses(t, name+" in a file", whole, test.want, test.then)
		m := &memory{tables: map[string][]byte{"film": []byte(head + test.lines)}}
		_, err := OpenIn(m, release)
		wantMessage(t, name+" in a store", err, "the marks of film in the store: "+test.want, test.then)
	}
	newer := "# How far\n# written by indexerd 0.2.0\nformat = 2\ncolours = 3\n"
	refuses(t, "another format", newer, `the format is "2", this release reads 1: a newer release wrote it, indexerd 0.2.0, `, start)
	refuses(t, "another format, cut", newer[:len(newer)-3], "the last line has no newline", "without its marks")
	refuses(t, "no format", "# written by indexerd 0.2.0\nentries = 0\n", `the format is "", this release reads 1: restore`, "without its marks")
}

// refuses expects Open to refuse a file.
func refuses(t *testing.T, name, text, want, then string) {
	t.Helper()
	fsys := disk(t)
	if err := atomicfile.Write(fsys, file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(fsys, "/data", release)
	wantMessage(t, name, err, file+": "+want, then)
}

func wantMessage(t *testing.T, name string, err error, want, then string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), then) || strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("%s: got error %v, want one line from %q to %q", name, err, want, then)
	}
}

// What a release writes, file or store, names it, also after another one has written.
func TestTheWriterIsNamed(t *testing.T) {
	fsys := disk(t)
	m := &memory{tables: map[string][]byte{}}
	for _, release := range []string{"0.1.0", "0.2.0", "0.1.1"} {
		trace, err := Open(fsys, "/data", release)
		if err != nil {
			t.Fatal(err)
		}
		shared, err := OpenIn(m, release)
		if err != nil {
			t.Fatal(err)
		}
		for _, trace := range []*Trace{trace, shared} {
			if err := number("film", 1, trace); err != nil {
				t.Fatal(err)
			}
		}
		text, err := atomicfile.Read(fsys, file)
		if err != nil {
			t.Fatal(err)
		}
		if got := writerOf(text); got != release {
			t.Errorf("got file\n%s\nof release %q, want %q", text, got, release)
		}
		if got := writerOf(m.tables["film"]); got != release {
			t.Errorf("got value\n%s\nof release %q, want %q", m.tables["film"], got, release)
		}
	}
}
