package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestStopwords(t *testing.T) {
	for content, want := range map[string]string{
		"": "", "# German\nder\n\n  Die \r\ndas\nder\n": "das der die", "\n\n": "",
		"der\ndie das\n":                  "file has more than one word in line 2",
		"d\xe9r\n":                        "file is not UTF-8",
		strings.Repeat("a\n", maxWords/2): "a",
		strings.Repeat("a\n", maxWords):   "file has more than 1 MiB",
	} {
		file := filepath.Join(t.TempDir(), "stop.txt")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		words, what := readStopwords(file)
		if got := strings.Join(words, " ") + what; got != want {
			t.Errorf("%.20q: got %q, want %q", content, got, want)
		}
	}
	if words, what := readStopwords(t.TempDir()); words != nil || !strings.HasPrefix(what, "file can't be read") {
		t.Errorf("a directory: got %v, %q", words, what)
	}
}

// A command that only talks to a daemon needs no file of stop words.
func TestLoadWithoutStopwords(t *testing.T) {
	dir := t.TempDir()
	list, file := filepath.Join(dir, "stop.txt"), filepath.Join(dir, "c.yaml")
	config := "data: d\nsources: {s: {driver: sqlite, dsn: x.db}}\ntables:\n  film: {source: s, sql: SELECT id FROM film, key: id, content: {fields: [id]}, stopwords: " + list + "}\n"
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, os.LookupEnv); err == nil || !strings.Contains(err.Error(), "tables.film.stopwords: file can't be read") {
		t.Errorf("got %v, want a fault", err)
	}
	if _, err := LoadWithoutSecrets(file, os.LookupEnv); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(list, []byte("The\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(file, os.LookupEnv)
	if err != nil || !slices.Equal(c.Tables[0].DroppedWords, []string{"the"}) {
		t.Errorf("got %+v, %v", c, err)
	}
}
