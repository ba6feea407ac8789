package configs

import "strings"

// cleanSQL returns one SELECT without its trailing semicolon, or what is wrong
// with it. It recognizes quotes and comments, and leaves the rest of the syntax
// to the database.
func cleanSQL(sql string) (clean, wrong string) {
	first, end := "", len(sql)
	for i := 0; i < len(sql); {
		kind, n := nextToken(sql[i:])
		switch {
		case kind == unclosed:
			return "", "unclosed quote or comment"
		case kind == blank:
		case kind == semicolon:
			end = min(end, i)
		case end < i:
			return "", "more than one statement"
		case first == "":
			first = sql[i : i+n]
		}
		i += n
	}
	switch {
	case first == "":
		return "", "empty"
	case !strings.EqualFold(first, "select") && !strings.EqualFold(first, "with"):
		return "", "statement begins with neither SELECT nor WITH"
	}
	return strings.TrimSpace(sql[:end]), ""
}

type tokenKind int

const (
	blank tokenKind = iota // a space or comment
	semicolon
	word
	other
	unclosed
)

// nextToken returns the kind and length of the token that s begins with.
func nextToken(s string) (tokenKind, int) {
	switch {
	case strings.ContainsRune(" \t\r\n\f\v", rune(s[0])):
		return blank, 1
	case strings.HasPrefix(s, "--"):
		line, _, _ := strings.Cut(s, "\n")
		return blank, len(line)
	case strings.HasPrefix(s, "/*"):
		return comment(s)
	case s[0] == ';':
		return semicolon, 1
	case s[0] == '\'' || s[0] == '"' || s[0] == '`':
		return quoted(s, 0, false)
	case s[0] == '$':
		return dollarQuoted(s)
	case isWordByte(s[0]):
		n := 1
		for n < len(s) && isWordByte(s[n]) {
			n++
		}
		if strings.EqualFold(s[:n], "e") && n < len(s) && s[n] == '\'' {
			return quoted(s, n, true) // PostgreSQL's E'it\'s'
		}
		return word, n
	}
	return other, 1
}

// comment returns the kind and length of a /* */ comment, which may be nested.
func comment(s string) (tokenKind, int) {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return blank, i + 1
			}
		}
	}
	return unclosed, len(s)
}

// quoted returns the kind and length of s up to the end of the quotation that
// begins at s[start]. A doubled quote ends one quotation and begins the next.
func quoted(s string, start int, backslash bool) (tokenKind, int) {
	for i := start + 1; i < len(s); i++ {
		switch {
		case backslash && s[i] == '\\':
			i++
		case s[i] == s[start]:
			return other, i + 1
		}
	}
	return unclosed, len(s)
}

// dollarQuoted returns the kind and length of PostgreSQL's $tag$ ... $tag$, or
// of the $ alone.
func dollarQuoted(s string) (tokenKind, int) {
	tag := 1
	for tag < len(s) && s[tag] != '$' && isWordByte(s[tag]) {
		tag++
	}
	if tag == len(s) || s[tag] != '$' || '0' <= s[1] && s[1] <= '9' {
		return other, 1
	}
	tag++
	end := strings.Index(s[tag:], s[:tag])
	if end < 0 {
		return unclosed, len(s)
	}
	return other, tag + end + tag
}

// isWordByte reports whether c can be inside a word. A $ inside a word does not
// begin a quotation.
func isWordByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 ||
		'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
