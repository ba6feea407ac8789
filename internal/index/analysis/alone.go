package analysis

import "unicode/utf8"

// firstRun returns the first word of the compound that starts at a byte offset.
func firstRun(text string, at int) run {
	r := run{start: at}
	r.end, r.shapes = wordEnd(text, at)
	return r
}

// isAlone reports whether the first word of a compound is all of it and has no other forms,
// as most words: nothing that could make another form is in it or beside it.
func (r run) isAlone(text string) bool {
	if r.shapes.changes > 0 || r.start > 0 && text[r.start-1] == '.' {
		return false
	}
	if r.end == len(text) {
		return true
	}
	switch c := text[r.end]; c {
	case '-', '\'', '&', '+', '#':
		return false
	case ',', '.':
		return !r.shapes.hasDigits
	default:
		return c < utf8.RuneSelf
	}
}

// readCompound returns the compound that starts at a byte offset.
func readCompound(text string, at int) compound {
	var runs [4]run
	var forms [4]form
	c := compound{text: text, runs: runs[:0], forms: forms[:0], end: at}
	c.read()
	return c
}
