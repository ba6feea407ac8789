package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// build exports a commit into a directory and builds its daemon there. It returns
// the binary. A commit that is the name of a file is the binary itself.
func build(ctx context.Context, commit, dir string) (string, error) {
	if info, err := os.Stat(commit); err == nil && info.Mode().IsRegular() {
		return filepath.Abs(commit)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	root, err := output(ctx, "", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	archive := dir + ".tar"
	if _, err := output(ctx, string(bytes.TrimSpace(root)), "git", "archive", "-o", archive, commit); err != nil {
		return "", err
	}
	if _, err := output(ctx, dir, "tar", "-xf", archive); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "built-indexerd")
	_, err = output(ctx, dir, "go", "build", "-o", binary, "./cmd/indexerd")
	return binary, err
}

// output runs a program and returns its output. Its error has what it printed.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, args[0], err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, nil
}
