package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// An entry is a file of a layer, or a directory if its name ends with a slash.
type entry struct {
	name  string // from the root, without a slash before it
	mode  int64
	owner int
	body  []byte
}

// base returns the layer that does not change with the program. The data directory is one
// level below the volume, as in the service: a restore writes next to it. A new volume gets
// the owner of its mount point.
func (b build) base() (v1.Layer, error) {
	roots := new(bytes.Buffer)
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue // trusted in part only, which a file can't say
		}
		if err := pem.Encode(roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}
	license, err := os.ReadFile(b.license)
	if err != nil {
		return nil, err
	}
	mount := strings.TrimPrefix(volume, "/")
	return layer(time.Unix(0, 0), []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/group", mode: 0o644, body: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", user)},
		{name: "etc/indexerd/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, body: fmt.Appendf(nil, "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%d:nonroot:%s:/sbin/nologin\n", user, user, volume)},
		{name: "etc/ssl/", mode: 0o755}, {name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, body: roots.Bytes()},
		{name: "usr/", mode: 0o755}, {name: "usr/share/", mode: 0o755}, {name: "usr/share/doc/", mode: 0o755}, {name: "usr/share/doc/indexerd/", mode: 0o755},
		{name: "usr/share/doc/indexerd/copyright", mode: 0o644, body: license},
		{name: "var/", mode: 0o755}, {name: "var/lib/", mode: 0o755},
		{name: mount + "/", mode: 0o750, owner: user},
	})
}

// own returns the layer with the program.
func (b build) own() (v1.Layer, error) {
	body, err := os.ReadFile(b.binary)
	if err != nil {
		return nil, err
	}
	return layer(b.date, []entry{{name: "usr/", mode: 0o755}, {name: "usr/bin/", mode: 0o755}, {name: strings.TrimPrefix(program, "/"), mode: 0o755, body: body}})
}

// layer returns a layer of files, all of one time.
func layer(at time.Time, entries []entry) (v1.Layer, error) {
	var text bytes.Buffer
	w := tar.NewWriter(&text)
	for _, e := range entries {
		h := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Uid: e.owner, Gid: e.owner, Size: int64(len(e.body)), ModTime: at, Format: tar.FormatPAX}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if _, err := w.Write(e.body); err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
}
