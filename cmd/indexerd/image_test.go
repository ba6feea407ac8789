package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"indexerd/internal/test/pgtest"
)

// An ociImage is an image as an engine reads it.
type ociImage struct {
	Architecture, OS string
	Config           struct {
		User, WorkingDir      string
		Env, Entrypoint, Cmd  []string
		Volumes, ExposedPorts map[string]struct{}
		Labels                map[string]string
		Healthcheck           struct{ Test []string }
	}
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	}
	layers [][]byte // uncompressed
}

const containerUser = 65532

// TestImage builds the image as packaging/image.sh does, reads it as an engine does, and runs
// it: with a read-only root, as its user, with a volume, a published address and the address
// of the database from the environment, on the configuration of packaging/compose.
func TestImage(t *testing.T) {
	t.Parallel()
	pgtest.NeedsServers(t)
	dir := t.TempDir()
	program := filepath.Join(dir, "indexerd")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	var archives [2][]byte
	for i := range archives {
		file := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
		make := exec.Command("go", "-C", filepath.Join(root, "packaging"), "run", "./image", "-binary", program, "-arch", runtime.GOARCH, "-version", "1.2.3", "-commit", "abc", "-date", builtDate, "-o", file)
		if out, err := make.CombinedOutput(); err != nil {
			t.Fatalf("image: %v: %s", err, out)
		}
		archives[i] = []byte(readFile(t, file))
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two images of the same binary differ")
	}
	image := readImage(t, archives[0])
	place := filepath.Join(dir, "root")
	image.unpack(t, place)
	image.check(t, place)
	t.Run("run", func(t *testing.T) { image.run(t, place) })
}

// readImage reads a tar of an OCI layout, and compares all digests.
func readImage(t *testing.T, archive []byte) (image ociImage) {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	type descriptor struct {
		Digest, MediaType string
		Size              int
		Platform          struct{ OS, Architecture string }
	}
	blob := func(d descriptor) []byte {
		text := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(text)); got != d.Digest || len(text) != d.Size {
			t.Fatalf("blob %s: got %s with %d bytes, want %d", d.Digest, got, len(text), d.Size)
		}
		return text
	}
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var saved []struct {
		Config           string
		RepoTags, Layers []string
	}
	read := func(text []byte, into any) {
		if err := json.Unmarshal(text, into); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	if string(files["oci-layout"]) == "" {
		t.Fatal("no oci-layout")
	}
	read(files["index.json"], &index)
	if len(index.Manifests) != 1 || index.Manifests[0].MediaType != "application/vnd.oci.image.manifest.v1+json" || index.Manifests[0].Platform.Architecture != runtime.GOARCH {
		t.Fatalf("got the index %+v", index)
	}
	read(blob(index.Manifests[0]), &manifest)
	read(blob(manifest.Config), &image)
	read(files["manifest.json"], &saved)
	for i, l := range manifest.Layers {
		unzip, err := gzip.NewReader(bytes.NewReader(blob(l)))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(unzip)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(layer)); got != image.RootFS.DiffIDs[i] {
			t.Errorf("layer %d: got %s, want %s", i, got, image.RootFS.DiffIDs[i])
		}
		if path := "blobs/" + strings.Replace(l.Digest, ":", "/", 1); saved[0].Layers[i] != path {
			t.Errorf("manifest.json has the layer %s, want %s", saved[0].Layers[i], path)
		}
		image.layers = append(image.layers, layer)
	}
	if saved[0].RepoTags[0] != "indexerd:1.2.3" || saved[0].Config != "blobs/"+strings.Replace(manifest.Config.Digest, ":", "/", 1) {
		t.Errorf("got %+v of manifest.json", saved)
	}
	return image
}

// unpack writes the layers to a directory. Only root can give files to their owners.
func (image ociImage) unpack(t *testing.T, place string) {
	t.Helper()
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, layer := range image.layers {
		for r := tar.NewReader(bytes.NewReader(layer)); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Join(place, h.Name)
			if h.Typeflag == tar.TypeDir {
				err = os.MkdirAll(name, h.FileInfo().Mode())
			} else {
				body, _ := io.ReadAll(r)
				err = os.WriteFile(name, body, h.FileInfo().Mode())
			}
			if err == nil && os.Getuid() == 0 {
				err = os.Chown(name, h.Uid, h.Gid)
			}
			if err != nil {
				t.Fatal(err)
			}
			if h.Uid != 0 && !slices.Contains([]string{"var/lib/indexerd/"}, h.Name) {
				t.Errorf("%s belongs to user %d", h.Name, h.Uid)
			}
		}
	}
}

// check compares the configuration with what is in the image.
func (image ociImage) check(t *testing.T, place string) {
	t.Helper()
	c := image.Config
	_, volume := c.Volumes["/var/lib/indexerd"]
	_, port := c.ExposedPorts["7700/tcp"]
	if c.User != fmt.Sprintf("%d:%d", containerUser, containerUser) || image.OS != "linux" || image.Architecture != runtime.GOARCH || !volume || !port || c.Labels["org.opencontainers.image.version"] != "1.2.3" {
		t.Errorf("got %+v", image.Config)
	}
	program, err := elf.Open(filepath.Join(place, c.Entrypoint[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Error("the binary is not static")
	}
	for _, command := range [][]string{append(c.Entrypoint[1:], c.Cmd...), c.Healthcheck.Test[2:]} {
		parser, err := kong.New(&cli{}, kong.Exit(func(int) { t.Errorf("%q leaves", command) }))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(command); err != nil {
			t.Errorf("%q: %v", command, err)
		}
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(readFile(t, filepath.Join(place, "etc/ssl/certs/ca-certificates.crt")))) {
		t.Error("no certificates of authorities")
	}
	for _, shell := range []string{"bin", "usr/bin/sh", "tmp"} {
		if _, err := os.Stat(filepath.Join(place, shell)); err == nil {
			t.Errorf("the image has /%s", shell)
		}
	}
}

// run runs the image in a mount namespace, as an engine does.
func (image ociImage) run(t *testing.T, place string) {
	t.Helper()
	if os.Getuid() != 0 || exec.Command("unshare", "--mount", "true").Run() != nil {
		t.Skip("the image is not run: that needs root and unshare")
	}
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE article (id int PRIMARY KEY, updated_at timestamptz DEFAULT now(), title text, body text);
		INSERT INTO article (id, title, body) SELECT i, 'article ' || i, 'zebra' FROM generate_series(1, 300) i; CREATE INDEX ON article (updated_at)`)
	config := filepath.Join(t.TempDir(), "indexerd.yaml")
	text := strings.NewReplacer("0.0.0.0:7700", "0.0.0.0:0", "format: json", "format: text").Replace(readFile(t, filepath.Join(root, "packaging", "compose", "indexerd.yaml")))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	volume := t.TempDir()
	for _, path := range []string{filepath.Dir(config), volume, filepath.Dir(volume), filepath.Dir(filepath.Dir(volume)), filepath.Dir(place), filepath.Dir(filepath.Dir(place))} {
		if err := os.Chmod(path, 0o755); err != nil { // the user of the image passes through them
			t.Fatal(err)
		}
	}
	if err := os.Chown(volume, containerUser, containerUser); err != nil {
		t.Fatal(err)
	}
	before := treeOf(t, place)
	container := func(args ...string) *exec.Cmd {
		const script = `set -e
			mount --bind "$1" "$1"
			test -e "$1$4" || touch "$1$4"
			mount --bind -o ro "$2" "$1$4"
			mount --bind "$3" "$1/var/lib/indexerd"
			mount -o remount,bind,ro "$1"
			shift 4
			exec env -i "$@"`
		all := []string{"--mount", "sh", "-c", script, "sh", place, config, volume, image.Config.Cmd[2]}
		all = append(append(all, image.Config.Env...), "DATABASE_URL="+dsn, "INDEXERD_TOKEN="+opsToken, "SEARCH_TOKEN="+salesToken)
		all = append(all, "/usr/sbin/chroot", "--userspec="+image.Config.User, place)
		return exec.Command("unshare", append(all, args...)...)
	}
	command := append(slices.Clone(image.Config.Entrypoint), image.Config.Cmd...)
	p := startCmd(t, container(command...))
	p.ready(t)
	if got := p.user(t); got != fmt.Sprint(containerUser) {
		t.Errorf("the daemon runs as user %s", got)
	}
	if mounts := readFile(t, fmt.Sprintf("/proc/%d/mountinfo", p.cmd.Process.Pid)); !strings.Contains(mounts, place+" / ro,") {
		t.Errorf("the root is not read-only: %s", mounts)
	}

	// From another machine, through a proxy: another address, and the proxy's name.
	at, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest("GET", "http://"+net.JoinHostPort(otherAddress(), at.Port())+"/api/v1/tables/article/search?q=zebra", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "search.example"
	for token, want := range map[string]int{"": 401, salesToken: 200} {
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != want || want == 200 && !strings.Contains(string(body), `"total":300`) {
			t.Errorf("got %d %s, want %d", answer.StatusCode, body, want)
		}
	}
	if out, err := container(image.Config.Healthcheck.Test[1:]...).CombinedOutput(); err != nil || !strings.Contains(string(out), "article") {
		t.Errorf("the health check: %v: %s", err, out)
	}
	if out, err := container("/usr/bin/indexerd", "check", "-c", image.Config.Cmd[2]).CombinedOutput(); err != nil || !strings.Contains(string(out), "ended_by_proxy") {
		t.Errorf("check: %v: %s", err, out)
	}
	p.stop(t)

	// The volume has all that is written, and a new container goes on with it.
	pgtest.Exec(t, dsn, "UPDATE article SET body = 'okapi', updated_at = now() WHERE id = 1")
	again := startCmd(t, container(command...))
	eventually(t, soon, "the change is found", func() error {
		if _, text := again.as(salesToken).ask(t, "GET", "/api/v1/tables/article/search?q=okapi", ""); !strings.Contains(text, `"total":1`) {
			return errors.New(text)
		}
		return nil
	})
	if strings.Contains(again.log.String(), "initial loaded") {
		t.Error("the new container loads the table again")
	}
	again.stop(t)
	if after := treeOf(t, place); !slices.Equal(slices.DeleteFunc(after, func(s string) bool { return strings.HasSuffix(s, "indexerd.yaml") }), before) {
		t.Errorf("the root has %q, want %q", after, before)
	}
}

// user returns the user of the daemon's process.
func (p *proc) user(t *testing.T) string {
	t.Helper()
	_, text, _ := strings.Cut(readFile(t, fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)), "\nUid:\t")
	user, _, _ := strings.Cut(text, "\t")
	return user
}

// otherAddress is an address of this machine that is not that of localhost.
func otherAddress() string {
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if own, ok := a.(*net.IPNet); ok && own.IP.To4() != nil && !own.IP.IsLoopback() {
			return own.IP.String()
		}
	}
	return "127.0.0.2"
}

// treeOf lists the files below a directory.
func treeOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
