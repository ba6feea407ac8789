package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/doc"
)

// proposeTable returns the proposal of a table without its children.
func proposeTable(t doc.CatalogTable) *proposal {
	p := &proposal{table: t}
	if unprintable(t.SQL) {
		return p.omit("its name has characters that can't be printed", "read it through a view with another name")
	}
	if t.Denied {
		return p.omit("the role has no SELECT privilege", "GRANT SELECT ON "+t.SQL+" to this role")
	}
	key, ok := keyOf(t)
	if !ok {
		return p.noKey()
	}
	if p.updated, ok = updateTime(t); !ok {
		return p.noUpdated()
	}
	p.unique = !t.Primary || !slices.Equal(key, t.Keys[0])
	p.sort(key)
	if len(p.content) == 0 {
		return p.omit("no column holds text to search", "write an SQL that joins text to it")
	}
	return p
}

func (p *proposal) omit(why, do string) *proposal {
	p.why, p.do = why, do
	return p
}

func (p *proposal) noKey() *proposal {
	if len(p.table.Keys) > 0 {
		return p.omit("no key of integers, UUIDs or text ("+strings.Join(p.table.Keys[0], ", ")+")", "add such a key with a unique index")
	}
	return p.omit("no primary key, and no unique index on columns that are NOT NULL", "add a primary key")
}

func (p *proposal) noUpdated() *proposal {
	var times []string
	for _, c := range p.table.Columns {
		if isTime(c) {
			times = append(times, c.Name)
		}
	}
	if len(times) == 0 {
		return p.omit("no column with the time of a row's last change", "add updated_at with an index, and a trigger that sets it")
	}
	return p.omit("no column looks like the time of a row's last change",
		"if every change sets one of its times ("+strings.Join(times, ", ")+"), use that as updated; if not, add updated_at with an index and a trigger that sets it")
}

// maxKey is the number of key columns that all sources support.
const maxKey = 8

// keyOf returns the first valid key, the primary key if possible.
func keyOf(t doc.CatalogTable) ([]string, bool) {
	for _, key := range t.Keys {
		usable := len(key) <= maxKey
		for _, name := range key {
			c, ok := find(t, name)
			usable = usable && ok && c.Key && !unprintable(c.Name)
		}
		if usable {
			return key, true
		}
	}
	return nil, false
}

// secret matches names of columns with passwords, tokens and similar secrets.
var secret = regexp.MustCompile(`(?i)password|passwd|passphrase|secret|credential|(^|_)(pwd|pass|pw|token|salt|hash|pin|otp|cvv|cvc|iban|ssn)(_|$)|api_?key|private_?key`)

// hidden reports whether a column is omitted because of its name.
func hidden(c doc.CatalogColumn) bool { return secret.MatchString(c.Name) || unprintable(c.Name) }

// unprintable reports whether a name has characters that YAML or a terminal does
// not show.
func unprintable(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}

// coded matches names of text columns with few values, which become metadata
// too.
var coded = regexp.MustCompile(`(?i)(^|_)(status|state|type|kind|category|lang|language|locale|country|currency|gender|role|level|priority|severity|color|colour|unit)$`)

// short is the maximum length of text columns that become metadata too.
const short = 32

// sort assigns every column to key, updated, content, metadata or omitted.
func (p *proposal) sort(key []string) {
	taken := names{}
	for _, c := range p.table.Columns {
		isKey := slices.Contains(key, c.Name)
		isUpdated := c.Name == p.updated.Name
		if !isKey && !isUpdated && (c.Kind == doc.OtherColumn || hidden(c)) {
			p.omitted = append(p.omitted, c)
			continue
		}
		s := selected{c, taken.take(fieldName(c.Name))}
		p.columns = append(p.columns, s)
		if isUpdated {
			p.updated.as = s.as
			continue
		}
		if c.Kind == doc.TextColumn {
			p.content = append(p.content, s)
		}
		if typ := metadataType(c); typ != "" && !isKey && s.as != "content" {
			p.metadata = append(p.metadata, meta{s, typ})
		}
	}
	for _, name := range key {
		i := slices.IndexFunc(p.columns, func(s selected) bool { return s.CatalogColumn.Name == name })
		p.key = append(p.key, p.columns[i])
	}
}

// metadataType returns the metadata type of a column, or "" for text.
func metadataType(c doc.CatalogColumn) string {
	switch c.Kind {
	case doc.TextColumn:
		if c.Length > 0 && c.Length <= short || coded.MatchString(c.Name) {
			return "keyword"
		}
		return ""
	case doc.WordColumn:
		return "keyword"
	case doc.NumberColumn:
		return "number"
	case doc.BooleanColumn:
		return "boolean"
	}
	return "date"
}

// sql returns the SELECT of the table's rows.
func (p *proposal) sql() string {
	return fmt.Sprintf("SELECT %s\nFROM %s", folded(len("SELECT "), p.columns, selected.sql), p.table.SQL)
}

func (s selected) sql() string { return s.of("") }

// of returns the column in a SELECT from a table with this alias.
func (s selected) of(alias string) string {
	sql := alias + s.SQL
	if s.as == s.CatalogColumn.Name {
		return sql
	}
	return sql + ` AS "` + s.as + `"`
}
