package title

import (
	"regexp"
	"slices"
	"strings"
)

// naming are the words by which columns are called that name a row, in the languages in
// which many schemas are written.
var naming = strings.Fields(`
	title name subject headline heading label caption
	titel bezeichnung betreff titre nom titulo título nombre nome titolo naam
	название заголовок 标题 名称 名字 タイトル 名前`)

// Of a person, one of the first and one of the last words are columns.
var (
	first = strings.Fields("first_name firstname given_name givenname forename vorname")
	last  = strings.Fields("last_name lastname surname family_name familyname nachname")
)

// inner is where a word of a name in mixed case begins: the N of ProductName.
var inner = regexp.MustCompile(`(\p{Ll}|\d)(\p{Lu})`)

// Default returns the template of a table whose searched columns these are, in their
// order: the first and last name of a person, else the first column that is called title,
// name or the like, else the first whose name ends in such a word, as product_name or
// ProductName. It is zero if no column names a row.
func Default(columns []string) Template {
	words := make([]string, len(columns))
	for i, c := range columns {
		words[i] = strings.ToLower(inner.ReplaceAllString(c, "${1}_$2"))
	}
	column := func(is func(word string) bool) string {
		if i := slices.IndexFunc(words, is); i >= 0 {
			return columns[i]
		}
		return ""
	}
	called := func(among []string) string {
		return column(func(w string) bool { return slices.Contains(among, w) })
	}
	if a, b := called(first), called(last); a != "" && b != "" {
		return Template{[]part{{"", a}, {" ", b}}}
	}
	name := called(naming)
	if name == "" {
		name = column(func(w string) bool { return slices.Contains(naming, w[strings.LastIndexByte(w, '_')+1:]) })
	}
	if name == "" {
		return Template{}
	}
	return Column(name)
}
