package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestDockerfile looks at what of the image can be checked without a container
// engine: that the build's command is one, that what is copied is there, that
// nothing runs as root, and that the commands of the image are commands.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text := strings.ReplaceAll(readFile(t, filepath.Join(root, "packaging", "Dockerfile")), "\\\n", " ")
	copied, built := 0, regexp.MustCompile(`CGO_ENABLED=0 (go build .*) -o \S+ (\./\S+)`).FindStringSubmatch(text)
	if built == nil {
		t.Fatal("no static go build is found")
	}
	// -n: as far as the compiler, which would take minutes with these flags.
	build := exec.Command("sh", "-c", built[1]+" -n -o "+filepath.Join(t.TempDir(), "indexerd")+" "+built[2])
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%s: %v: %s", built[0], err, out)
	}
	for _, c := range regexp.MustCompile(`(?m)^COPY (.*)$`).FindAllStringSubmatch(text, -1) {
		words := strings.Fields(c[1])
		if strings.HasPrefix(words[0], "--from=build") {
			if out := words[len(words)-2]; !strings.Contains(text, "-o "+out) && !strings.Contains(text, "mkdir -p "+out) {
				t.Errorf("COPY %s: nothing makes %s", c[1], out)
			}
			continue
		}
		for _, source := range words[:len(words)-1] {
			copied++
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				t.Errorf("COPY %s: %v", c[1], err)
			}
		}
	}
	if copied == 0 {
		t.Error("nothing is copied: the expression is broken")
	}
	if users := regexp.MustCompile(`(?m)^USER (\S+)$`).FindAllStringSubmatch(text, -1); len(users) != 1 || users[0][1] != "nonroot" {
		t.Errorf("users: got %q, want nonroot", users)
	}
	entry := jsonWords(t, text, "ENTRYPOINT")
	for _, command := range [][]string{append(entry[1:], jsonWords(t, text, "\nCMD")...), jsonWords(t, text, "HEALTHCHECK .* CMD")[1:]} {
		parser, err := kong.New(&cli{}, kong.Exit(func(int) { t.Errorf("%q leaves", command) }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(command); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
}

// jsonWords are the words of an instruction of the exec form, which needs no
// shell: the image has none.
func jsonWords(t *testing.T, text, instruction string) (words []string) {
	t.Helper()
	m := regexp.MustCompile(instruction + ` (\[.*\])`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no %s with words in [ ]", strings.TrimSpace(instruction))
	}
	if err := json.Unmarshal([]byte(m[1]), &words); err != nil || words[0] != "/usr/bin/indexerd" && instruction != "\nCMD" {
		t.Fatalf("%s %s: %v", instruction, m[1], err)
	}
	return words
}
