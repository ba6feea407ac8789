// Package sealed adds checksums to text files in a way that releases before it read
// too: to a JSON object as its last member, and to a file of lines as a comment. What
// has no checksum was written by such a release, and is not an error.
package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
)

// ErrDamaged is the error of a text that is not the one that was written.
var ErrDamaged = errors.New("the checksum is wrong")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// What follows a text: the member of an object, and the last line of a file.
const (
	member  = `,"crc":"%08x"}`
	comment = "# crc32c %08x\n"
)

// AppendObject appends a JSON object with its checksum to dst. The object has a member
// and no newline.
func AppendObject(dst, object []byte) []byte {
	start := len(dst)
	dst = append(dst, object[:len(object)-1]...)
	return fmt.Appendf(dst, member, crc32.Checksum(dst[start:], castagnoli))
}

// CheckObject returns ErrDamaged for an object that is not the one that was appended.
// A newline may follow it.
func CheckObject(object []byte) error {
	return check(bytes.TrimRight(object, "\n"), member)
}

// AppendComment appends to lines their checksum, as a comment.
func AppendComment(lines []byte) []byte {
	return fmt.Appendf(lines, comment, crc32.Checksum(lines, castagnoli))
}

// CheckComment returns ErrDamaged for lines that are not those that were written.
func CheckComment(lines []byte) error { return check(lines, comment) }

// check checks a text that may end with a checksum of this form. A text in which
// damage hides that it has one is otherwise as it was written.
func check(text []byte, form string) error {
	at := len(text) - len(fmt.Sprintf(form, 0))
	if at < 0 {
		return nil
	}
	has, want := text[at:], fmt.Sprintf(form, crc32.Checksum(text[:at], castagnoli))
	head, _, _ := strings.Cut(form, "%")
	if string(has) != want && strings.HasPrefix(string(has), head) {
		return ErrDamaged
	}
	return nil
}
