package timetrace

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// A comment names the release that wrote the lines below it. The first releases wrote
// none, and skip it like any comment.
const writtenBy = "# written by indexerd "

// header returns the line that names a release.
func header(release string) string { return writtenBy + release + "\n" }

// writerOf returns the release that wrote the lines; "": they don't say.
func writerOf(lines []byte) string {
	for line := range bytes.Lines(lines) {
		if release, ok := strings.CutPrefix(strings.TrimSpace(string(line)), writtenBy); ok && isRelease(release) {
			return release
		}
		if line[0] != '#' {
			break
		}
	}
	return ""
}

// isRelease reports whether a text can be shown as the name of a release.
func isRelease(text string) bool {
	return 0 < len(text) && len(text) <= 40 && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// A foreignError is the error of whole lines that this release does not read.
type foreignError struct {
	error
	newer bool // no earlier release can have written them
}

func (e *foreignError) Unwrap() error { return e.error }

// advise adds to the error of unreadable lines who wrote them, if that matters, and what
// to do. release is the one that runs; restore is what to do where lines are damaged.
func advise(err error, lines []byte, release, restore string) error {
	writer := writerOf(lines)
	var foreign *foreignError
	switch {
	case !errors.As(err, &foreign):
		return fmt.Errorf("%w: %s", err, restore)
	case writer != "" && writer != release:
		kind := "another"
		if foreign.newer {
			kind = "a newer"
		}
		return fmt.Errorf("%w: %s release wrote it, indexerd %s, and this is indexerd %s: start indexerd %[3]s, or restore a backup that indexerd %[4]s made", err, kind, writer, release)
	case foreign.newer:
		return fmt.Errorf("%w: a newer build of indexerd wrote it, or it was edited: start that build, or %s", err, restore)
	}
	return fmt.Errorf("%w: %s", err, restore)
}
