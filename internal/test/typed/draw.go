package typed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode/utf8"

	"indexerd/internal/base/doc"
)

// Draw draws what a person may type, who knows the documents or not.
func Draw(r *rand.Rand, docs []doc.Doc) string {
	words := func() []string {
		return strings.Fields(docs[r.IntN(len(docs))].Row.Values[1].(string))
	}
	some := func(most int) string {
		w := words()
		from := r.IntN(len(w))
		return strings.Join(w[from:min(len(w), from+1+r.IntN(most))], " ")
	}
	switch r.IntN(20) {
	case 0, 1, 2:
		return some(4)
	case 3, 4, 5: // while it is typed
		text := some(6)
		return validText(text[:r.IntN(len(text)+1)])
	case 6, 7:
		return slips(r, some(3))
	case 8:
		return words()[0] + " " + some(1) + " " + slips(r, some(2))
	case 9:
		return strings.Join(words(), " ")
	case 10, 11:
		return Pasted(r)
	case 12:
		text := Pasted(r)
		return validText(text[:r.IntN(len(text)+1)])
	case 13, 14:
		return operators(r, func() string { return some(1) })
	case 15:
		return runes(r)
	case 16:
		b := make([]byte, r.IntN(200))
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return string(b)
	case 17:
		return Pasted(r) + " " + operators(r, func() string { return Pasted(r) })
	case 18:
		return fmt.Sprintf(pick(r, "title:%s", "titel:%s", "year:%s", "seen:>=%s", "rating:%s", "body:[%s TO", `title:"%s`, "-%s", "(%s", `"%s`, "%s OR", "%s~", "%s*"), some(2))
	}
	return long(r, func() string { return some(1) })
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func validText(text string) string {
	for !utf8.ValidString(text) && text != "" {
		text = text[:len(text)-1]
	}
	return strings.ToValidUTF8(text, "?")
}

// slips exchanges, drops, doubles or replaces letters.
func slips(r *rand.Rand, text string) string {
	letters := []rune(text)
	for range 1 + r.IntN(2) {
		at := r.IntN(len(letters))
		switch r.IntN(4) {
		case 0:
			letters[at] = 'a' + rune(r.IntN(26))
		case 1:
			letters[at], letters[len(letters)-1-at] = letters[len(letters)-1-at], letters[at]
		case 2:
			letters = append(letters[:at+1], letters[at:]...)
		default:
			if len(letters) > 1 {
				letters = append(letters[:at], letters[at+1:]...)
			}
		}
	}
	return string(letters)
}

// Pasted draws what people copy from elsewhere.
func Pasted(r *rand.Rand) string {
	n := r.IntN(3000)
	return pick(r,
		fmt.Sprintf("https://example.com/a/b%d?c=d&e=%%20f#g", n), fmt.Sprintf("http://user:pw@host%d:8080/~x/(y)", n), "www.example.org", fmt.Sprintf("me+%d@example.com", n),
		fmt.Sprintf("%d:%02d", n%24, n%60), fmt.Sprintf("2026-%02d-%02dT12:30:00Z", 1+n%12, 1+n%28), fmt.Sprintf("%d.%d.%d", n%32, n%13, 1900+n%150), fmt.Sprintf("1,%03d.56", n%1000), "$9.99", "-5 °C", "50%",
		"error: x", "panic: runtime error: index out of range [5] with length 3", fmt.Sprintf("at main.(*T).run(/src/main.go:%d)", n), `{"name":"a b","n":[1,2]}`, "SELECT * FROM t WHERE a='b' -- c",
		fmt.Sprintf("-54-OR%d-", n), fmt.Sprintf("AB-%d/7x", n), `3/4" pipe 5' 10"`, "C:\\Users\\me\\a.txt", "\\\\host\\share", "/var/log/*.log", fmt.Sprintf("something_2020-07-13_with_%d.pdf", n),
		fmt.Sprintf("550e8400-e29b-41d4-a716-%012x", n), fmt.Sprintf("%040x", n*7919), "C++", "C#", ".NET", "AT&T", "M&M's", "O'Reilly", "wi-fi", "e-mail", "camelCaseWord", "X-100", "crm.action_log",
		"café résumé", "cafe\u0301", "Straße ΣΊΣΥΦΟΣ", "oﬃce ＦＵＬＬ", "武元衡 今夜月明", "ภาษาไทยไม่มีช่องว่าง", "한국어 텍스트", "שָׁלוֹם مُحَمَّد", "हिन्दी", "лисицы ёлка", "😀🍕 👨‍👩‍👧", ":-)", "???", "¿qué?", "«quote» “quote”", "a\u200bb\u00adc",
		"TL;DR: what is this?", "to be OR not to be", "AND", "NOT x", "a AND (b OR c)", "+must -not", "foo && bar || !baz", "name:*", "[a TO b]", "x^2", "<script>alert(1)</script>", "'; DROP TABLE x; --", "\x00\x01",
	)
}

// operators draws operators with words between them.
func operators(r *rand.Rand, word func() string) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		if r.IntN(3) == 0 {
			b.WriteString(word())
		}
		b.WriteString(pick(r, `"`, `\`, "(", ")", "[", "]", "*", "~", "~2", "~1", ":", "-", " ", " ", " OR ", " TO ", ">", "<=", "year:", "title:", "rating:", "seen:", "body:", "none:", "*", "|", "+", "!", "&&", "OR", "'", "{", "}", "^", "?", "/"))
	}
	return b.String()
}

// runes draws characters of any script.
func runes(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(60) {
		c := rune(r.IntN(0x3000))
		if r.IntN(4) == 0 {
			c = rune(r.IntN(0x10ffff))
		}
		b.WriteRune(c)
	}
	return b.String()
}

// long draws texts that cost much or exceed a limit.
func long(r *rand.Rand, word func() string) string {
	several := func(most int, piece func() string) string {
		var b strings.Builder
		for range r.IntN(most) {
			b.WriteString(piece())
		}
		return b.String()
	}
	letter := func() string { return string(rune('a' + r.IntN(26))) }
	switch r.IntN(11) {
	case 0:
		return several(2000, func() string { return word() + " " })
	case 1:
		return "the" + several(1200, func() string { return " OR " + word() })
	case 2:
		return several(600, func() string { return letter() + "* " })
	case 3:
		return several(80, func() string { return word() + pick(r, "~ ", "~2 ", "~1 ") })
	case 4:
		return `"` + several(1500, func() string { return "the " }) + pick(r, `of"`, `"`, `"~100`, `of"~2`, "")
	case 5:
		return `"` + several(64, func() string { return word() + " " }) + `"~100`
	case 6:
		return several(300, func() string { return fmt.Sprintf("year:[%d TO %d] OR ", 1900+r.IntN(9), 1990+r.IntN(99)) }) + "the"
	case 7:
		return several(300, func() string { return "-" + letter() + "* " })
	case 8:
		n := r.IntN(60)
		return strings.Repeat(pick(r, "(", "-", "-("), n) + word() + strings.Repeat(")", n)
	case 9:
		return strings.Repeat(letter(), r.IntN(9000)) + pick(r, "", "*", "~")
	}
	return several(9000, func() string { return string(rune(32 + r.IntN(95))) })
}
