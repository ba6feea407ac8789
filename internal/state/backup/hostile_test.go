package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"indexerd/timetrace"
)

// An entry is an entry of a hostile archive.
type entry struct {
	tar.Header
	body string
}

func file(name, body string) entry {
	return entry{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(body)), Mode: 0o600}, body}
}

func odder(typeflag byte, name, link string) entry {
	return entry{Header: tar.Header{Typeflag: typeflag, Name: name, Linkname: link, Mode: 0o600}}
}

var marksFile = file(timetrace.FileName, "format = 1\nentries = 1\nfilm.generation = 1\n")

// listing returns the manifest of entries, changed by spoil.
func listing(spoil func(*manifest), entries ...entry) entry {
	m := manifest{Format: format, Tables: []tableEntry{{Table: "film"}}}
	for _, e := range entries {
		m.Files = append(m.Files, fileEntry{Name: e.Name, Size: e.Size, SHA256: sha256.Sum256([]byte(e.body))})
	}
	if spoil != nil {
		spoil(&m)
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return file(manifestName, string(text))
}

// archiveOf returns the tar archive of entries. It ends at an entry whose body is
// shorter than its size.
func archiveOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		if err := w.WriteHeader(&e.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.body); err != nil {
			t.Fatal(err)
		}
		if e.Typeflag == tar.TypeReg && int64(len(e.body)) < e.Size {
			return out.Bytes()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// listed returns an archive of the marks, entries and a manifest that lists them.
func listed(entries ...entry) func(testing.TB) []byte {
	all := append([]entry{marksFile}, entries...)
	return func(t testing.TB) []byte { return archiveOf(t, append(all, listing(nil, all...))...) }
}

// spoilt returns an archive with a changed manifest.
func spoilt(spoil func(*manifest)) func(testing.TB) []byte {
	all := []entry{marksFile, file("film/load", "1\n")}
	return func(t testing.TB) []byte { return archiveOf(t, append(all, listing(spoil, all...))...) }
}

func TestHostileArchives(t *testing.T) {
	page := file("film/pages/key.dat", "page")
	for _, c := range []struct {
		name    string
		archive func(testing.TB) []byte
		want    string
	}{
		{"empty", func(testing.TB) []byte { return nil }, "it was cut off"},
		{"no tar", func(testing.TB) []byte { return bytes.Repeat([]byte("never a tar"), 100) }, "not a tar archive"},
		{"no manifest", func(t testing.TB) []byte { return archiveOf(t, marksFile, page) }, "it was cut off"},
		{"no marks", func(t testing.TB) []byte { return archiveOf(t, page, listing(nil, page)) }, "does not list timeTrace.properties"},
		{"dot dot", listed(file("film/../../x", "")), `"film/../../x" is not a file name`},
		{"only dot dot", listed(file("..", "")), `".." is not a file name`},
		{"absolute", listed(file("/etc/passwd", "")), `"/etc/passwd" is not a file name`},
		{"backslash", listed(file(`film\..\x`, "")), "is not a file name"},
		{"backslash below a table", listed(file(`film/..\x`, "")), "is not a file name"},
		{"a drive", listed(file("film/c:x", "")), "is not a file name"},
		{"a dot", listed(file("film/./x", "")), "is not a file name"},
		{"the table itself", listed(file("film", "")), "is not a file name"},
		{"a newline", listed(file("film/a\nb", "")), "is not a file name"},
		{"a long name", listed(file("film/"+strings.Repeat("x/", 600)+"x", "")), "is not a file name"},
		{"beside the tables", listed(file("lock", "")), `"lock" is not a file name`},
		{"a hidden one", listed(file(".ssh/authorized_keys", "")), "is not a file name"},
		{"another table's", listed(file("actor/x", "")), `"actor/x" belongs to no table`},
		{"directory", listed(odder(tar.TypeDir, "film/pages", "")), "is not a regular file"},
		{"symbolic link", listed(odder(tar.TypeSymlink, "film/pages", "/etc")), "is not a regular file"},
		{"hard link", listed(odder(tar.TypeLink, "film/x", "timeTrace.properties")), "is not a regular file"},
		{"device", listed(odder(tar.TypeChar, "film/x", "")), "is not a regular file"},
		{"pipe", listed(odder(tar.TypeFifo, "film/x", "")), "is not a regular file"},
		{"sparse", func(t testing.TB) []byte { return append(sparse(t), listed()(t)...) }, "is a sparse file"},
		{"huge", func(t testing.TB) []byte {
			return archiveOf(t, entry{tar.Header{Typeflag: tar.TypeReg, Name: "film/x", Size: 1 << 50}, "x"})
		}, "it was cut off"},
		{"huge manifest", func(t testing.TB) []byte {
			return archiveOf(t, marksFile, entry{tar.Header{Typeflag: tar.TypeReg, Name: manifestName, Size: maxManifest + 1}, "x"})
		}, "MANIFEST.json is too large"},
		{"manifest is a link", func(t testing.TB) []byte {
			return archiveOf(t, marksFile, odder(tar.TypeSymlink, manifestName, "/etc/passwd"))
		}, "is not a regular file"},
		{"twice", listed(page, page), "the backup has film/pages/key.dat twice"},
		{"a file where a directory is", listed(page, file("film/pages", "")), "film/pages"},
		{"not in the manifest", func(t testing.TB) []byte { return archiveOf(t, marksFile, page, listing(nil, marksFile)) }, "film/pages/key.dat is not in MANIFEST.json"},
		{"not in the archive", func(t testing.TB) []byte { return archiveOf(t, marksFile, listing(nil, marksFile, page)) }, "film/pages/key.dat is missing"},
		{"manifest not last", func(t testing.TB) []byte {
			return archiveOf(t, marksFile, page, listing(nil, marksFile, page), file("film/x", ""))
		}, "continues after MANIFEST.json"},
		{"manifest first", func(t testing.TB) []byte { return archiveOf(t, listing(nil, marksFile, page), marksFile, page) }, "timeTrace.properties is missing"},
		{"endless", func(t testing.TB) []byte { return append(listed(page)(t), make([]byte, 2*maxPadding)...) }, "continues after the archive"},
		{"checksum wrong", spoilt(func(m *manifest) { m.Files[1].SHA256[5]++ }), "film/load is damaged: its checksum"},
		{"size wrong", spoilt(func(m *manifest) { m.Files[1].Size++ }), "film/load is damaged: it has 2 bytes, want 3"},
		{"size below 0", spoilt(func(m *manifest) { m.Files[1].Size = -1 }), "has a size below 0"},
		{"listed twice", spoilt(func(m *manifest) { m.Files = append(m.Files, m.Files[1]) }), `lists "film/load" twice`},
		{"dot dot listed", spoilt(func(m *manifest) { m.Files[1].Name = "film/../../x" }), "is not a file name"},
		{"too many listed", spoilt(func(m *manifest) { m.Files = make([]fileEntry, maxFiles+1) }), "more than 100000 files"},
		{"table named as none", spoilt(func(m *manifest) { m.Tables[0].Table = "../film" }), `table "../film" has an invalid name`},
		{"table twice", spoilt(func(m *manifest) { m.Tables = append(m.Tables, m.Tables[0]) }), "listed twice"},
		{"another format", spoilt(func(m *manifest) { m.Format, m.Version = 7, "3.0.0" }), `the backup has format 7 and this version reads 1: use the indexerd that wrote it, "3.0.0"`},
		{"manifest no JSON", func(t testing.TB) []byte { return archiveOf(t, marksFile, file(manifestName, "{")) }, "MANIFEST.json: unexpected end of JSON"},
		{"no checksum", func(t testing.TB) []byte {
			return archiveOf(t, marksFile, file(manifestName, `{"format":1,"files":[{"name":"x","sha256":"zz"}]}`))
		}, `"zz" is not a SHA-256`},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantRejected(t, c.archive(t), c.want)
		})
	}
}

// wantRejected expects errors from Save and Restore, and no files.
func wantRejected(t *testing.T, text []byte, want string) {
	t.Helper()
	dir := t.TempDir()
	for _, form := range forms {
		wantError(t, Save(bytes.NewReader(text), filepath.Join(dir, form)), want)
	}
	wantError(t, Restore(compress(t, text), filepath.Join(dir, "data"), "test", nil), want)
	wantEmpty(t, dir)
}

func compress(t testing.TB, text []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.tar.zst")
	if err := os.WriteFile(name, compressedBytes(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func compressedBytes(text []byte) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(text, nil)
}

// sparse returns the beginning of an archive: a file of a petabyte in three blocks.
// tar.Writer does not write sparse files, so sparse changes the type of one.
func sparse(t testing.TB) []byte {
	records := ""
	for _, r := range []string{"GNU.sparse.major=0", "GNU.sparse.minor=1", "GNU.sparse.numblocks=1", "GNU.sparse.map=0,0", "GNU.sparse.size=1125899906842624"} {
		records += fmt.Sprintf("%d %s\n", len(r)+4, r)
	}
	text := archiveOf(t, file("x", records))[:1024]
	text[156] = tar.TypeXHeader
	fixHeaders(text)
	return append(text, archiveOf(t, file("film/x", ""))[:512]...)
}

// fixHeaders corrects the checksums of an archive's headers.
func fixHeaders(text []byte) {
	for ; len(text) >= 512; text = text[512:] {
		header, sum := text[:512], 0
		if !bytes.HasPrefix(header[257:], []byte("ustar")) {
			continue
		}
		copy(header[148:156], "        ")
		for _, b := range header {
			sum += int(b)
		}
		copy(header[148:156], fmt.Sprintf("%06o\x00 ", sum))
	}
}

// Save and Restore reject a stream or an archive that is cut anywhere before the
// end of the last file.
func TestCutArchivesAreRejected(t *testing.T) {
	text := listed(file("film/pages/key.dat", strings.Repeat("page", 1000)))(t)
	for n := 0; n < len(text)-1024; n += 512 {
		wantRejected(t, text[:n], "it was cut off")
	}
	dir := t.TempDir()
	check(t, Save(bytes.NewReader(text[:len(text)-1024]), filepath.Join(dir, "b")))
	whole := compressedBytes(text)
	for n := range len(whole) {
		name := filepath.Join(t.TempDir(), "x.tar.zst")
		write(t, name, string(whole[:n]))
		wantError(t, Restore(name, filepath.Join(dir, "data"), "test", nil), "it was cut off")
	}
	check(t, os.RemoveAll(filepath.Join(dir, "b")))
	wantEmpty(t, dir)
}

// A change of any byte is detected, or does not change the files.
func TestAChangeOfAnyByteIsDetected(t *testing.T) {
	text := listed(file("film/pages/key.dat", strings.Repeat("page", 1000)))(t)
	plain := func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(r), nil }
	packed := func(r io.Reader) (io.ReadCloser, error) {
		z, err := zstd.NewReader(r)
		return z.IOReadCloser(), err
	}
	for name, c := range map[string]struct {
		text []byte
		open func(io.Reader) (io.ReadCloser, error)
	}{"tar": {text, plain}, "zstd": {compressedBytes(text), packed}} {
		contents := func(text []byte) (map[string]string, error) {
			r, err := c.open(bytes.NewReader(text))
			check(t, err)
			defer r.Close()
			all := map[string]string{}
			_, err = read(r, func(name string, _ int64, r io.Reader) error {
				body, err := io.ReadAll(r)
				all[name] = string(body)
				return err
			})
			return all, err
		}
		want, err := contents(c.text)
		check(t, err)
		for n := range c.text {
			changed := bytes.Clone(c.text)
			changed[n] ^= 1 << (n % 8)
			if got, err := contents(changed); err == nil && !maps.Equal(got, want) {
				t.Fatalf("%s: a change of byte %d changed the files without an error", name, n)
			}
		}
	}
}

// A few bytes ask for 128 MiB of memory.
func TestTheWindowIsLimited(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.tar.zst")
	write(t, name, "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00")
	wantError(t, Restore(name, filepath.Join(t.TempDir(), "data"), "test", nil), "window size exceeded")
}

func TestTheNumberOfFilesIsLimited(t *testing.T) {
	t.Parallel()
	var all []entry
	for n := range maxFiles + 1 {
		all = append(all, file(fmt.Sprintf("film/%d", n), ""))
	}
	_, err := read(bytes.NewReader(archiveOf(t, all...)), func(string, int64, io.Reader) error { return nil })
	wantError(t, err, "the backup has more than 100000 files")
}

// Allowed names stay below the directory, and in a table.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"timeTrace.properties", "film/pages/key.dat", "film/../x", "/etc/passwd", "film//x", `film/a\b`, "film/x/", "film/.", "film/..."} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if checkName(name) != nil || name == timetrace.FileName {
			return
		}
		if !filepath.IsLocal(name) || filepath.ToSlash(filepath.Clean(name)) != name || !strings.Contains(name, "/") {
			t.Errorf("%q was allowed", name)
		}
	})
}

// A valid manifest survives encode and decode.
func FuzzManifest(f *testing.F) {
	for _, e := range []entry{listing(nil, marksFile), listing(nil, marksFile, file("film/load", "1\n")), file("", "{}"), file("", `{"format":1,"files":null}`), file("", "[]")} {
		f.Add([]byte(e.body))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeManifest(text)
		if err != nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		n, err := decodeManifest(again)
		if err != nil || len(n.Files) != len(m.Files) || len(n.Tables) != len(m.Tables) || !n.Time.Equal(m.Time) {
			t.Errorf("got %+v, %v, want %+v", n, err, m)
		}
	})
}

// read passes only checked names to the taker, and succeeds only with the files of
// the manifest.
func FuzzRead(f *testing.F) {
	for _, archive := range []func(testing.TB) []byte{listed(file("film/load", "1\n")), listed(odder(tar.TypeSymlink, "film/x", "/")), spoilt(func(m *manifest) { m.Format = 2 })} {
		f.Add(archive(f))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.Clone(text)
		fixHeaders(text) // otherwise read rejects almost every input
		all := map[string]bool{}
		m, err := read(bytes.NewReader(text), func(name string, _ int64, r io.Reader) error {
			if checkName(name) != nil || all[name] {
				t.Errorf("read passed %q", name)
			}
			all[name] = true
			_, err := io.Copy(io.Discard, r)
			return err
		})
		if err == nil && len(m.Files) != len(all) {
			t.Errorf("got %d files, want the %d of the manifest", len(all), len(m.Files))
		}
	})
}
