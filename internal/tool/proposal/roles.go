package proposal

import (
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/title"
)

// A role is what the rows of a table are to a person who searches.
type role int

// The roles, in the order in which a configuration lists the tables.
const (
	document role = iota // called by a name, or a text
	part                 // belong to a row of another table
	link                 // connect rows of other tables
	code                 // one of a few names, such as a language
	record               // what happened, or what an application keeps for itself
	bare                 // without a name and without a text
	roles
)

// A family is all tables.
type family struct {
	greatest string // the database's function for the greatest of its arguments
	all      []*proposal
	samples  map[string]sample
	bySQL    map[string]*proposal
	refer    map[string][]doc.CatalogTable // the other tables that refer to one, by its name in SQL
}

// findRoles finds the role of each table.
func (f *family) findRoles() {
	f.bySQL, f.refer = map[string]*proposal{}, map[string][]doc.CatalogTable{}
	for _, p := range f.all {
		f.bySQL[p.table.SQL] = p
		var to []string
		for _, r := range p.table.References {
			if !slices.Contains(to, r.To) && r.To != p.table.SQL && !unjoinable(p.table) {
				to, f.refer[r.To] = append(to, r.To), append(f.refer[r.To], p.table)
			}
		}
	}
	for _, p := range f.all {
		p.role = f.roleOf(p.table)
	}
}

// table returns the table that SQL calls by this name.
func (f *family) table(sql string) (doc.CatalogTable, bool) {
	p, ok := f.bySQL[sql]
	if !ok {
		return doc.CatalogTable{}, false
	}
	return p.table, true
}

// referring returns the other tables that refer to t.
func (f *family) referring(t doc.CatalogTable) []doc.CatalogTable { return f.refer[t.SQL] }

// roleOf finds the role of a table by its columns and by the foreign keys of all tables.
func (f *family) roleOf(t doc.CatalogTable) role {
	named, prose, own := isNamed(t), f.isProse(t), len(texts(t))
	owner, belongs := f.owner(t)
	switch {
	case kept.MatchString(spelled(t.Name)):
		return record
	case own == 0 && len(t.References) > 1:
		return link
	case belongs && !f.entity(t) && !crowded(owner, t):
		return part
	case !prose && !f.entity(t) && (cascades(t) > 1 || !named && len(t.References) > 1):
		return link
	case f.isCode(t):
		return code
	case named, prose, own > 0 && isPerson(t), own > 2 && f.entity(t):
		return document
	}
	return bare
}

// owner returns the table to whose rows the rows of t belong: their name begins with its,
// its key begins theirs, they are deleted with its rows, or they have no name and refer to
// nothing else that has. A person owns what is called so only: the comments of a post are
// not their author's.
func (f *family) owner(t doc.CatalogTable) (owner doc.CatalogTable, ok bool) {
	var named, keyed, cascading, others []doc.CatalogTable
	for _, r := range t.References {
		to, known := f.table(r.To)
		if !known || to.SQL == t.SQL || unjoinable(to) {
			continue
		}
		switch {
		case calledAfter(t, to):
			named = append(named, to)
		case isPerson(to), f.isCode(to):
		case len(t.Keys) > 0 && len(r.Columns) <= len(t.Keys[0]) && slices.Equal(t.Keys[0][:len(r.Columns)], r.Columns):
			keyed = append(keyed, to)
		case r.Cascades:
			cascading = append(cascading, to)
		default:
			others = append(others, to)
		}
	}
	slices.SortStableFunc(named, func(a, b doc.CatalogTable) int { return len(b.Name) - len(a.Name) })
	switch {
	case len(named) > 0:
		return named[0], true
	case len(keyed) > 0:
		return keyed[0], true
	case len(cascading) == 1:
		return cascading[0], true
	case len(cascading) == 0 && len(others) == 1 && isNamed(others[0]) && !isNamed(t):
		return others[0], true
	}
	return doc.CatalogTable{}, false
}

// calledAfter reports whether the name of t begins with that of another table:
// artist_alias, InvoiceLine, users_groups.
func calledAfter(t, other doc.CatalogTable) bool {
	own, name := wordsOf(t.Name), wordsOf(other.Name)
	if len(own) <= len(name) || t.Schema != other.Schema {
		return false
	}
	return slices.EqualFunc(own[:len(name)], name, func(a, b string) bool { return singular(a) == singular(b) })
}

// entity reports whether rows of another table belong to those of t by its name, or at
// least two other tables refer to them.
func (f *family) entity(t doc.CatalogTable) bool {
	others := f.referring(t)
	return len(others) > 1 || len(others) == 1 && calledAfter(others[0], t)
}

// cascades returns the number of rows with which one of t is deleted.
func cascades(t doc.CatalogTable) (n int) {
	for _, r := range t.References {
		if r.Cascades {
			n++
		}
	}
	return n
}

// few is the number of rows of a table of codes, more where its name says so, and many how
// many times as many rows another table has that refers to it.
const (
	few  = 50
	more = 500
	many = 10
)

// kinds matches names of tables that list the kinds of something.
var kinds = regexp.MustCompile(`(^|_)(types?|statu?s(es)?|kinds?|states?|formats?|categor(y|ies)|levels?|roles?|units?|languages?|country|countries|currency|currencies|genders?|priorit(y|ies)|severit(y|ies)|packagings?|methods?|class(es)?|scripts?|modes?|reasons?|scopes?)$`)

// ofTexts matches names of columns that call a text, not a code.
var ofTexts = regexp.MustCompile(`(^|_)(title|subject|headline|heading|caption|titel|titre|titulo|titolo|betreff)$`)

// isCode reports whether a table lists a few names, to which other tables refer.
func (f *family) isCode(t doc.CatalogTable) bool {
	kind := kinds.MatchString(spelled(t.Name))
	switch named := nameOf(t); {
	case named == nil, isPerson(t), t.Rows > more, len(t.Columns) > 8:
		return false
	case !kind && (t.Rows > few || len(t.Columns) > 4 || ofTexts.MatchString(spelled(named[0].Name))):
		return false
	}
	for _, r := range t.References {
		if to, ok := f.table(r.To); ok && to.SQL != t.SQL && !kinds.MatchString(spelled(to.Name)) {
			return false
		}
	}
	var most int64
	for _, o := range f.referring(t) {
		if !kind && calledAfter(o, t) {
			return false
		}
		most = max(most, o.Rows)
	}
	return kind && (len(f.referring(t)) > 0 || len(t.Columns) < 4) || t.Rows > 0 && most >= many*t.Rows
}

// kept matches names of tables of what happened, or of what an application keeps for
// itself.
var kept = regexp.MustCompile(`(^|_)(audits?|\w*histor(y|ies))(_|$)|(^|_)(logs?|(audit|change|event|access|error|sys)log|logentr(y|ies)|stats?|statistics?|archived?|backups?|bak|tmp|temp|old|raw|metrics?|counts?|counters?|settings?|config|configurations?|attributes|attrs|options?|preferences?|permissions?|acls?|grants?|privileges?|meta|metadata|redirects?|subscriptions?|subscribers?|\w*tokens?|votes?|likes?|follows?|followers?|favou?rites?|bookmarks?|mutes?|watchlist)$|_subscribe_|^(log|stat|statistics?|tmp|temp|old|deleted)_`)

// people matches names of tables of persons and of their accounts.
var people = regexp.MustCompile(`(^|_)(users?|accounts?|persons?|people|members?|employees?|staff|editors?|customers?|contacts?|clients?|patients?|authors?|admins?|owners?)$`)

// accounts are people who use the application: many tables refer to them, and few searches.
var accounts = regexp.MustCompile(`(^|_)(users?|accounts?|members?|employees?|staff|editors?|admins?|owners?)$`)

func isPerson(t doc.CatalogTable) bool {
	return people.MatchString(spelled(t.Name)) || len(title.Default(columnNames(texts(t))).Columns()) == 2
}

// ofOthers matches names of columns that name something else than the row.
var ofOthers = regexp.MustCompile(`(^|_)(table|field|column|file|class|schema|index|host|domain|server|path|db|database|function|queue|variable)_?(name|title)$`)

// isNamed reports whether a column of t names its rows.
func isNamed(t doc.CatalogTable) bool {
	return len(nameOf(t)) > 0
}

// nameOf returns the columns that name the rows of t.
func nameOf(t doc.CatalogTable) []doc.CatalogColumn {
	all := slices.DeleteFunc(texts(t), func(c doc.CatalogColumn) bool {
		return ofOthers.MatchString(spelled(c.Name)) && !strings.HasPrefix(spoken(c.Name), singular(spoken(t.Name)))
	})
	named := title.Default(columnNames(all)).Columns()
	if named == nil {
		own := singular(spoken(t.Name))
		i := slices.IndexFunc(all, func(c doc.CatalogColumn) bool { return singular(spoken(c.Name)) == own || spoken(c.Name) == own+"name" })
		if i < 0 {
			return nil
		}
		return all[i : i+1]
	}
	return slices.DeleteFunc(all, func(c doc.CatalogColumn) bool { return !slices.Contains(named, c.Name) })
}

// ofProse matches names of columns that hold texts.
var ofProse = regexp.MustCompile(`(^|_)(body|content|contents|text|description|descr|comments?|notes?|messages?|summary|abstract|bio|biography|questions?|answers?|review|remarks?|details|article|excerpt|annotation|beschreibung|inhalt|texto|descripcion|contenido|contenu|descrizione|описание|содержание|内容|说明|本文)$`)

// wordy is the number of words that the texts of a column have on average if it is prose.
const wordy = 8

// isProse reports whether a column holds texts, by its name or by a sample.
func (f *family) isProse(t doc.CatalogTable) bool {
	return slices.ContainsFunc(texts(t), func(c doc.CatalogColumn) bool {
		words, values := 0, f.samples[t.SQL][c.Name]
		for _, v := range values {
			words += len(strings.Fields(v))
		}
		return ofProse.MatchString(spelled(c.Name)) || len(values) > 0 && words >= wordy*len(values)
	})
}

func columnNames(columns []doc.CatalogColumn) (all []string) {
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}
