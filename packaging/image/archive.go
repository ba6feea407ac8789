package main

import (
	"archive/tar"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// write writes an image to a directory as an OCI layout, with the manifest.json of docker
// save beside it.
func write(img v1.Image, dir, name, arch string) error {
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// The first name is for containerd, the second for everything else.
	names := map[string]string{"io.containerd.image.name": "docker.io/library/" + name, "org.opencontainers.image.ref.name": name}
	if err := path.AppendImage(img, layout.WithAnnotations(names), layout.WithPlatform(v1.Platform{OS: "linux", Architecture: arch})); err != nil {
		return err
	}
	manifest, err := img.Manifest()
	if err != nil {
		return err
	}
	blob := func(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }
	saved := struct {
		Config   string
		RepoTags []string
		Layers   []string
	}{Config: blob(manifest.Config.Digest), RepoTags: []string{name}}
	for _, l := range manifest.Layers {
		saved.Layers = append(saved.Layers, blob(l.Digest))
	}
	text, err := json.Marshal([]any{saved})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "manifest.json"), text, 0o644)
}

// pack writes a directory to a tar: its files in the order of their names, without times
// and owners. The file is replaced when it is complete.
func pack(dir, file string) (err error) {
	out, err := os.Create(file + ".new")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	w := tar.NewWriter(out)
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: filepath.ToSlash(name), Mode: 0o644, Size: int64(len(body))}); err != nil {
			return err
		}
		_, err = w.Write(body)
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}
