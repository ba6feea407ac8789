package sqlserver

import (
	"strings"
	"unicode"

	"indexerd/internal/source/dialect"
)

// checkSQL returns a fault of an SQL that would not stay within the parentheses of a
// subquery, or that reads what is not committed. It reads the words outside texts,
// quoted names and comments; the server checks everything else.
func checkSQL(sql string) error {
	depth, first := 0, true
	for rest := sql; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		switch upper := strings.ToUpper(word); {
		case word == "":
			continue
		case word == "(":
			depth++
		case word == ")":
			depth--
		case word == ";":
			return refused("has a ; in it", "write one SELECT")
		case upper == "WITH" && first:
			return refused("begins with WITH, which SQL Server does not allow in a subquery", "write each part as a subquery in FROM, or create a view")
		case upper == "NOLOCK", upper == "READUNCOMMITTED", upper == "READPAST":
			return refused("reads rows that are not committed, or leaves locked rows out: "+upper, "remove this hint")
		}
		if first = false; depth < 0 {
			break
		}
	}
	if depth != 0 {
		return refused("has parentheses that do not match", "write one SELECT")
	}
	return nil
}

func refused(what, do string) error {
	return &dialect.Fault{Subject: dialect.AboutStatement, Text: "the SQL " + what, Hint: do}
}

// nextWord returns the next word or sign, "" for what checkSQL skips: blanks,
// comments, texts and quoted names. Comments may contain others.
func nextWord(sql string) (word, rest string) {
	isWord := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune("_@#$", c) }
	switch c := sql[0]; {
	case strings.HasPrefix(sql, "--"):
		_, rest, _ = strings.Cut(sql, "\n")
		return "", rest
	case strings.HasPrefix(sql, "/*"):
		return "", afterComment(sql[2:])
	case c == '\'' || c == '"' || c == '[':
		return "", afterQuote(sql[1:], map[byte]byte{'\'': '\'', '"': '"', '[': ']'}[c])
	case unicode.IsSpace(rune(c)):
		return "", sql[1:]
	}
	end := strings.IndexFunc(sql, func(c rune) bool { return !isWord(c) })
	switch end {
	case -1:
		return sql, ""
	case 0:
		end = 1
	}
	return sql[:end], sql[end:]
}

// afterQuote returns what follows a quote's end. A doubled end is a part of it.
func afterQuote(sql string, end byte) string {
	for {
		i := strings.IndexByte(sql, end)
		if i < 0 {
			return ""
		}
		if sql = sql[i+1:]; sql == "" || sql[0] != end {
			return sql
		}
		sql = sql[1:]
	}
}

func afterComment(sql string) string {
	for depth := 1; depth > 0; {
		open, end := strings.Index(sql, "/*"), strings.Index(sql, "*/")
		switch {
		case end < 0:
			return ""
		case open >= 0 && open < end:
			depth, sql = depth+1, sql[open+2:]
		default:
			depth, sql = depth-1, sql[end+2:]
		}
	}
	return sql
}
