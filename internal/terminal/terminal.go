// Package terminal makes text safe to print. What a row, a key or a database's
// error says may hold sequences that move the cursor, change the window's title
// or reverse the order of what follows. Here they become visible: ESC is printed
// as \u001b.
//
// Escaped are control characters (C0, DEL and C1), line and paragraph
// separators, the characters that override or embed a direction of writing, and
// bytes that are not UTF-8. The escapes are those of JSON strings, so that an
// object in JSON still has the same value.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text that is safe within a line: newlines and tabs are escaped
// too, so that a value can't begin a line that looks like another one.
func Line(text string) string { return escape(text, unsafe) }

// unsafe reports whether a character does more than show itself.
func unsafe(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

// unsafeInText is unsafe for text of several lines and columns.
func unsafeInText(r rune) bool { return r != '\n' && r != '\t' && unsafe(r) }

func escape(text string, unsafe func(rune) bool) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			b.WriteString(`\ufffd`)
		case unsafe(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// A Writer escapes what is written through it, but for newlines and tabs: it is
// the net below all that a command prints.
type Writer struct {
	w    io.Writer
	rest []byte // the beginning of a character that the next Write ends
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	whole := len(text) - begun(text)
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.w, escape(string(text[:whole]), unsafeInText)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// begun is how many bytes at the end begin a character and don't end it.
func begun(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Raw returns what a Writer writes to, and any other writer as it is: for
// sequences that the program itself sends to a terminal.
func Raw(w io.Writer) io.Writer {
	if safe, ok := w.(*Writer); ok {
		return safe.w
	}
	return w
}
