// Package terminal makes text safe to print on a terminal. The text of a row, a
// key or a database's error may contain sequences that move the cursor, change
// the window's title or reverse the following text. This package escapes them:
// ESC is printed as \u001b.
//
// It escapes control characters (C0, DEL and C1), line and paragraph separators,
// characters that override or embed a writing direction, and bytes that are not
// UTF-8. It uses the escapes of JSON strings, so a JSON object keeps its value.
//
// Count and Grouped print numbers as all messages do.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns text that is safe within a line. It escapes newlines and tabs too,
// so that a value can't forge a line of output.
func Line(text string) string { return escape(text, unsafe) }

// unsafe reports whether a terminal may interpret a character.
func unsafe(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

// unsafeInText is unsafe for text that may have newlines and tabs.
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

// A Writer escapes all text except newlines and tabs and writes it to another
// writer. Every command prints through one.
type Writer struct {
	w    io.Writer
	rest []byte // start of a character whose other bytes come with the next Write
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements io.Writer.
func (w *Writer) Write(b []byte) (int, error) {
	text := append(w.rest, b...)
	whole := len(text) - incomplete(text)
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(w.w, escape(string(text[:whole]), unsafeInText)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// incomplete returns how many bytes at the end are the start of an incomplete
// character.
func incomplete(text []byte) int {
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

// Raw returns the writer below a Writer, and any other writer itself. The program
// writes its own terminal sequences to it.
func Raw(w io.Writer) io.Writer {
	if safe, ok := w.(*Writer); ok {
		return safe.w
	}
	return w
}

// Quote quotes a word for a POSIX shell.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
