package analysis

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// sign adds the form of a word of letters with a sign before or behind it.
func (c *compound) sign(r run) {
	if r.shapes.letters > maxSign {
		return
	}
	word := c.text[r.start:r.end]
	add := func(term string, from, to int) {
		c.forms = append(c.forms, form{len(c.runs) - 1, len(c.runs) - 1, Token{Term: term, Start: from, End: to, Form: Signed}})
	}
	if r.start > 0 && c.text[r.start-1] == '.' && c.dotted(r) {
		add("."+folded(word), r.start-1, r.end)
	}
	end := r.end
	for end < len(c.text) && end-r.end < 2 && c.text[end] == '+' {
		end++
	}
	if end == r.end && end < len(c.text) && c.text[end] == '#' {
		end++
	}
	if end == r.end {
		return
	}
	if end < len(c.text) {
		behind, _ := runeAt(c.text, end)
		if behind == '+' || behind == '#' || latestKind(behind) == letter && (shapeOf(behind) != digit || end-r.end < 2) {
			return
		}
	}
	add(folded(word)+c.text[r.end:end], r.start, end)
}

// dotted reports whether the dot before a word belongs to it, as that of .net and
// .gitignore, and that of the ending of a file name.
func (c *compound) dotted(r run) bool {
	if r.shapes.letters < 2 {
		return false
	}
	if r.start == 1 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(c.text[:r.start-1])
	if latestKind(before) == gap && !strings.ContainsRune(`.@/\-_:'`, before) {
		return true
	}
	if latestKind(before) != letter || r.shapes.letters > maxFile {
		return false
	}
	if r.end == len(c.text) {
		return true
	}
	switch behind := c.text[r.end]; {
	case behind == '_' || behind == '@':
		return false
	case r.end+1 < len(c.text) && strings.IndexByte(".-/", behind) >= 0:
		next, _ := runeAt(c.text, r.end+1)
		return behind == '/' || latestKind(next) != letter
	}
	return true
}

// endings are what English writes behind an apostrophe at the end of a word.
var endings = []string{"s", "t", "d", "m", "re", "ve", "ll"}

// ending takes the ending of a word to it, and reports whether there is one. A word with 's
// is found without it too.
func (c *compound) ending(word run) bool {
	if c.end == len(c.text) || word.shapes.hasDigits {
		return false
	}
	r, size := runeAt(c.text, c.end)
	if r != '\'' && r != '’' && r != '\uFF07' {
		return false
	}
	from := c.end + size
	end := from
	for end < len(c.text) && end-from < 3 && shapeOf(rune(c.text[end])) != noShape {
		end++
	}
	i := slices.IndexFunc(endings, func(s string) bool { return strings.EqualFold(s, c.text[from:end]) })
	if i < 0 {
		return false
	}
	if end < len(c.text) {
		if r, _ := runeAt(c.text, end); latestKind(r) == letter || latestKind(r) == ignored {
			return false
		}
	}
	c.end = end
	if term := folded(c.text[word.start:word.end] + c.text[from:end]); i > 0 {
		c.runs[len(c.runs)-1].whole, c.runs[len(c.runs)-1].end = term, end
	} else if end-word.start <= maxJoinedBytes {
		c.forms = append(c.forms, form{len(c.runs) - 1, len(c.runs) - 1, Token{Term: term, Start: word.start, End: end, Form: Joined}})
	}
	return true
}
