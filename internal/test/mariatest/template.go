package mariatest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Templates are data directories as install makes them, in the user's cache: a copy takes a
// tenth of the time, and the tests start dozens of servers. A template belongs to one
// server's program, by its size and time, and to the options of install.
var templates sync.Map // by name: a func() error that makes one, once

// dataDir fills the data directory of a server below dir.
func (p product) dataDir(ctx context.Context, dir string, options []string) error {
	if p.name == "MariaDB" {
		options = nil // install needs none
	}
	template, err := p.template(options)
	if err != nil {
		return err
	}
	made, _ := templates.LoadOrStore(template, sync.OnceValue(func() error { return p.makeTemplate(ctx, template, options) }))
	if err := made.(func() error)(); err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	if err := os.CopyFS(data, os.DirFS(filepath.Join(template, "data"))); err != nil {
		return err
	}
	return os.Chmod(data, 0o700)
}

// template returns the directory of a template.
func (p product) template(options []string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	program, err := os.Stat(p.run[len(p.run)-1])
	if err != nil {
		return "", err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %d %d %q %q", p.run, program.Size(), program.ModTime().UnixNano(), p.options, options))
	return filepath.Join(cache, "indexerd", "datadirs", fmt.Sprintf("%s-%x", p.name, key[:8])), nil
}

// makeTemplate makes a template that does not exist. Another process may make it too: the
// first one counts.
func (p product) makeTemplate(ctx context.Context, template string, options []string) error {
	if _, err := os.Stat(template); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(template), 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(template), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // if it is not the template now
	if err := p.install(ctx, dir, options); err != nil {
		return err
	}
	// Each server makes its own identity, which a replica needs.
	if err := os.Remove(filepath.Join(dir, "data", "auto.cnf")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(dir, template); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
