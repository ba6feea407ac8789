// Image makes an OCI image of a static binary, without a container engine:
//
//	go -C packaging run ./image -binary FILE -arch amd64 -version 1.0.0 -commit 0123abcd -date 2026-01-31T12:00:00Z -o FILE
//
// The file is a tar of an OCI layout, with the manifest.json by which older engines load
// it: docker load, podman load, ctr images import, skopeo copy oci-archive:FILE. The same
// arguments give the same bytes.
//
// The image has the binary, the certificates of Mozilla's authorities, a user and the mount
// point of a volume, and no shell. It writes below /var/lib/indexerd only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Where the image has what is in it. The service of the packages has the same paths.
const (
	program = "/usr/bin/indexerd"
	volume  = "/var/lib/indexerd"
	config  = "/etc/indexerd/indexerd.yaml"
	user    = 65532 // nonroot, as in the images of distroless
)

// A build says what goes into an image.
type build struct {
	binary, license       string // files
	arch, version, commit string
	date                  time.Time
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run() error {
	var b build
	flag.StringVar(&b.binary, "binary", "", "the static binary")
	flag.StringVar(&b.license, "license", "../LICENSE", "the license")
	flag.StringVar(&b.arch, "arch", "amd64", "the architecture of the binary, as GOARCH")
	flag.StringVar(&b.version, "version", "", "the release")
	flag.StringVar(&b.commit, "commit", "", "the commit of the source")
	date := flag.String("date", "1970-01-01T00:00:00Z", "the time of the commit")
	out := flag.String("o", "", "the file of the image")
	flag.Parse()
	if b.binary == "" || b.version == "" || *out == "" {
		return errors.New("-binary, -version and -o are required")
	}
	var err error
	if b.date, err = time.Parse(time.RFC3339, *date); err != nil {
		return fmt.Errorf("-date: %w", err)
	}
	img, err := b.image()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(*out), "image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := write(img, dir, "indexerd:"+b.version, b.arch); err != nil {
		return err
	}
	return pack(dir, *out)
}

// image returns the image: a layer that releases share, and one with the binary.
func (b build) image() (v1.Image, error) {
	base, err := b.base()
	if err != nil {
		return nil, err
	}
	own, err := b.own()
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err = mutate.Append(img,
		mutate.Addendum{Layer: base, History: v1.History{Created: v1.Time{Time: time.Unix(0, 0)}, CreatedBy: "certificates, a user, " + volume}},
		mutate.Addendum{Layer: own, History: v1.History{Created: v1.Time{Time: b.date}, CreatedBy: "indexerd " + b.version}})
	if err != nil {
		return nil, err
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Architecture, file.OS, file.Created = b.arch, "linux", v1.Time{Time: b.date}
	file.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Env:          []string{"PATH=/usr/bin", "HOME=" + volume},
		Entrypoint:   []string{program},
		Cmd:          []string{"run", "-c", config},
		WorkingDir:   volume,
		ExposedPorts: map[string]struct{}{"7700/tcp": {}},
		Volumes:      map[string]struct{}{volume: {}},
		// Checks that the daemon answers; /readyz reports tables and databases. With
		// http.tokens it needs INDEXERD_TOKEN, the token of an admin.
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", program, "status", "-c", config}, Interval: 30 * time.Second, Timeout: 10 * time.Second, StartPeriod: 2 * time.Minute},
		Labels: map[string]string{
			"org.opencontainers.image.title": "indexerd", "org.opencontainers.image.version": b.version, "org.opencontainers.image.revision": b.commit,
			"org.opencontainers.image.created": b.date.UTC().Format(time.RFC3339), "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(img, file)
}
