package dsl

import (
	"strconv"
	"strings"
)

// A tokenKind is a kind of token of a query_string, as Lucene's classic parser has it.
type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenAnd
	tokenOr
	tokenNot
	tokenPlus
	tokenMinus
	tokenBare // an operator that stands alone, which is text
	tokenOpen
	tokenClose
	tokenColon
	tokenStar
	tokenBoost
	tokenTilde
	tokenQuoted
	tokenTerm
	tokenPrefix
	tokenWild
	tokenRegexp
	tokenRange
)

// A token is a part of the text of a query. Backslashes are still in its text.
type token struct {
	kind tokenKind
	text string
	rangeOf
}

// tokens splits the text of a query_string.
func tokens(text string) ([]token, error) {
	l := stringLexer{text: text, rest: []rune(text)}
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		l.all = append(l.all, t)
		if t.kind == tokenEnd {
			return l.all, nil
		}
	}
}

type stringLexer struct {
	text string
	rest []rune
	all  []token
}

func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\r\u3000", r) }

func (l *stringLexer) fail() error { return cantParse(l.text) }

func (l *stringLexer) skipBlanks() {
	for len(l.rest) > 0 && isBlank(l.rest[0]) {
		l.rest = l.rest[1:]
	}
}

// take returns the next n characters.
func (l *stringLexer) take(n int) string {
	text := string(l.rest[:n])
	l.rest = l.rest[n:]
	return text
}

var singleTokens = map[rune]tokenKind{'+': tokenPlus, '-': tokenMinus, '!': tokenNot, '(': tokenOpen, ')': tokenClose, ':': tokenColon}

func (l *stringLexer) next() (token, error) {
	l.skipBlanks()
	if len(l.rest) == 0 {
		return token{kind: tokenEnd}, nil
	}
	first := l.rest[0]
	if kind, ok := singleTokens[first]; ok {
		if kind <= tokenMinus && len(l.rest) > 1 && isBlank(l.rest[1]) {
			kind = tokenBare
		}
		return token{kind: kind, text: l.take(1)}, nil
	}
	switch first {
	case '^':
		return l.boost()
	case '~':
		return l.tilde()
	case '"':
		return l.delimited('"', tokenQuoted)
	case '/':
		return l.delimited('/', tokenRegexp)
	case '[', '{':
		return l.bounds()
	case ']', '}':
		return token{}, l.fail()
	}
	return l.term()
}

// boost reads ^ and a number.
func (l *stringLexer) boost() (token, error) {
	digits := func(from int) int {
		for from < len(l.rest) && '0' <= l.rest[from] && l.rest[from] <= '9' {
			from++
		}
		return from
	}
	n := digits(1)
	if n == 1 {
		return token{}, l.fail()
	}
	if n < len(l.rest) && l.rest[n] == '.' && digits(n+1) > n+1 {
		n = digits(n + 1)
	}
	return token{kind: tokenBoost, text: l.take(n)[1:]}, nil
}

// tilde reads ~ and what follows it.
func (l *stringLexer) tilde() (token, error) {
	n := 1
	for n < len(l.rest) && !isBlank(l.rest[n]) && !strings.ContainsRune(`!():^[]"{}~/*?`, l.rest[n]) {
		if l.rest[n] == '\\' {
			n++
		}
		n++
	}
	if n > len(l.rest) {
		return token{}, l.fail()
	}
	return token{kind: tokenTilde, text: l.take(n)[1:]}, nil
}

// delimited reads to the next unescaped delimiter.
func (l *stringLexer) delimited(end rune, kind tokenKind) (token, error) {
	for n := 1; n < len(l.rest); n++ {
		switch l.rest[n] {
		case '\\':
			n++
		case end:
			text := l.take(n + 1)
			return token{kind: kind, text: text[1 : len(text)-1]}, nil
		}
	}
	return token{}, l.fail()
}

// term reads a word, which may have * and ?.
func (l *stringLexer) term() (token, error) {
	n, stars, marks := 0, 0, 0
	for n < len(l.rest) && !isBlank(l.rest[n]) && !strings.ContainsRune(`!():^[]"{}~/`, l.rest[n]) {
		switch l.rest[n] {
		case '\\':
			if n++; n == len(l.rest) {
				return token{}, l.fail()
			}
		case '*':
			stars++
		case '?':
			marks++
		}
		n++
	}
	starred := n > 0 && l.rest[n-1] == '*' && (n == 1 || l.rest[n-2] != '\\')
	text := l.take(n)
	switch {
	case text == "*":
		return token{kind: tokenStar, text: text}, nil
	case stars == 1 && marks == 0 && starred:
		return token{kind: tokenPrefix, text: text[:len(text)-1]}, nil
	case stars+marks > 0:
		return token{kind: tokenWild, text: text}, nil
	}
	kind, ok := map[string]tokenKind{"AND": tokenAnd, "&&": tokenAnd, "OR": tokenOr, "||": tokenOr, "NOT": tokenNot}[text]
	if !ok {
		kind = tokenTerm
	}
	return token{kind: kind, text: text}, nil
}

// bounds reads a range in brackets.
func (l *stringLexer) bounds() (token, error) {
	t := token{kind: tokenRange}
	open := l.take(1)
	from, ok := l.bound()
	between, ok2 := l.bound()
	to, ok3 := l.bound()
	l.skipBlanks()
	if !ok || !ok2 || between != "TO" || !ok3 || len(l.rest) == 0 || l.rest[0] != ']' && l.rest[0] != '}' {
		return t, l.fail()
	}
	if from != "*" {
		t.from = &edge{from, open == "{"}
	}
	if end := l.take(1); to != "*" {
		t.to = &edge{to, end == "}"}
	}
	return t, nil
}

// bound reads one end of a range.
func (l *stringLexer) bound() (text string, ok bool) {
	l.skipBlanks()
	if len(l.rest) > 0 && l.rest[0] == '"' {
		t, err := l.delimited('"', tokenQuoted)
		return t.text, err == nil
	}
	n := 0
	for n < len(l.rest) && !isBlank(l.rest[n]) && l.rest[n] != ']' && l.rest[n] != '}' {
		n++
	}
	return plainString(l.take(n)), n > 0
}

// plainString returns a text without its backslashes. \u and four digits is a character.
func plainString(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '\\' || i+1 == len(runes) {
			b.WriteRune(runes[i])
			continue
		}
		if i++; runes[i] == 'u' && i+4 < len(runes) {
			if n, err := strconv.ParseUint(string(runes[i+1:i+5]), 16, 16); err == nil {
				b.WriteRune(rune(n))
				i += 4
				continue
			}
		}
		b.WriteRune(runes[i])
	}
	return b.String()
}

// escapeString makes every operator plain.
func escapeString(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(`\+-!():^[]"{}~*?|&/`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
