package configs

import (
	"fmt"
	"regexp"
	"slices"
)

// check finds what is wrong between values that are right by themselves.
func (r *reader) check() {
	r.checkHTTP()
	for i := range r.config.Sources {
		r.checkSource(&r.config.Sources[i])
	}
	for i := range r.config.Tables {
		r.checkTable(&r.config.Tables[i])
	}
}

// wrong notes a fault at a path.
func (r *reader) wrong(path, what, do string) {
	_, line := r.config.At(path)
	r.fault(place{path, line, do}, what)
}

func (r *reader) checkSource(s *Source) {
	path := join(join("sources", s.Name), "dsn")
	if s.dsnFile != "" && s.DSN == "" {
		path += "_file"
		dsn, wrong := r.readSecret(s.dsnFile)
		if wrong != "" {
			r.wrong(path, wrong, "name a file of one line that only its owner can read (chmod 600)")
			return
		}
		s.DSN = dsn
	}
	if s.DSN == "" {
		return // already reported
	}
	if wrong, do := checkDSN(s.Driver, s.DSN); wrong != "" {
		r.wrong(path, wrong, do)
	}
}

func (r *reader) checkTable(t *Table) {
	path := join("tables", t.Name)
	if t.Name == "lock" {
		r.wrong(path, "reserved name", "call the table otherwise: the daemon's lock file has this name")
	}
	r.checkSourceName(join(path, "source"), t.Source)
	for _, m := range t.Metadata {
		if m.Name == "content" {
			r.wrong(join(path, "metadata.content"), "reserved name", "rename the column in the SQL with AS: queries call the whole text content")
		}
	}
	r.checkChildren(path, t)
	r.checkACL(join(path, "acl"), t)
	r.checkBoosts(join(path, "content.boosts"), t)
	r.checkDeleted(join(path, "deleted"))
	r.checkHorizon(join(path, "compensate.horizon"), t)
	r.checkTiers(join(path, "compensate.tiers"), t.Compensate.Tiers)
	r.checkTransactionTimeout(path, t)
}

// checkChildren: a query, a filter and a hit know what belongs to a document
// by its name alone, whether it is a column, a child or an extra.
func (r *reader) checkChildren(path string, t *Table) {
	taken := map[string]string{"content": "the whole text"}
	for _, field := range t.Content.Fields {
		taken[field] = "a content field"
	}
	for _, m := range t.Metadata {
		taken[m.Name] = "a metadata field"
	}
	for _, c := range t.Children {
		r.checkChild(join(path, "children."+c.Name), "a child", c.Name, c.Key, t.Key, taken)
	}
	for _, e := range t.Extra {
		r.checkChild(join(path, "extra."+e.Name), "an extra", e.Name, e.Key, t.Key, taken)
	}
}

func (r *reader) checkBoosts(path string, t *Table) {
	searched := slices.Clone(t.Content.Fields)
	for _, c := range t.Children {
		searched = append(searched, c.Name)
	}
	for _, b := range t.Content.Boosts {
		if !slices.Contains(searched, b.Field) {
			r.wrong(join(path, b.Field), "no such field"+didYouMean(b.Field, searched), "name a field of the content or a child")
		}
	}
}

// checkChild checks the name and the key of a child or an extra, and takes the
// name.
func (r *reader) checkChild(path, noun, name string, key, parent []string, taken map[string]string) {
	if by := taken[name]; by != "" {
		r.wrong(path, "name taken by "+by, "give one of them another name; the SQL can rename a column with AS")
	}
	taken[name] = noun
	if len(key) > 0 && len(parent) > 0 && len(key) != len(parent) {
		r.wrong(join(path, "key"), fmt.Sprintf("%s, where the table's key has %d", columns(len(key)), len(parent)),
			"name the columns that hold the table's key, in the same order")
	}
}

func columns(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}

// checkDeleted: either has seen that there is one of column and sql.
func (r *reader) checkDeleted(path string) {
	column, values := r.config.given(join(path, "column")), r.config.given(join(path, "values"))
	switch {
	case column && !values:
		r.wrong(join(path, "values"), "missing", "list those that mean deleted: [0]")
	case values && !column && r.config.given(join(path, "sql")):
		r.wrong(join(path, "values"), "given beside sql", "remove them, they are a column's")
	}
}

func (r *reader) checkSourceName(path, name string) {
	var names []string
	for _, s := range r.config.Sources {
		names = append(names, s.Name)
	}
	if name == "" || len(names) == 0 || slices.Contains(names, name) {
		return
	}
	r.wrong(path, "unknown source"+didYouMean(name, names), "name one of the sources")
}

// checkHorizon: exact is a demand, which SQLite can't meet.
func (r *reader) checkHorizon(path string, t *Table) {
	ofTable := func(s Source) bool { return s.Name == t.Source && s.Driver == "sqlite" }
	if t.Compensate.Horizon == "exact" && slices.ContainsFunc(r.config.Sources, ofTable) {
		r.wrong(path, "exact can't be had of SQLite", "write auto: everything is compared whenever a commit was seen, which proves as much")
	}
}

func (r *reader) checkTiers(path string, tiers []Tier) {
	pattern := regexp.MustCompile(tierName)
	seen := map[string]bool{}
	for i, tier := range tiers {
		path := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case tier.Name == "": // its every is already reported
		case !pattern.MatchString(tier.Name):
			r.wrong(join(path, "name"), "bad name", "write letters, digits, ., _ and -, beginning with a letter or digit")
		case tier.Name == "exact":
			r.wrong(join(path, "name"), "reserved name", "call the tier otherwise: the exact horizon's pass has this name")
		case seen[tier.Name]:
			r.wrong(join(path, "name"), "two tiers of one name", "give one of them another name")
		}
		seen[tier.Name] = true
		if tier.Timeout > 0 && tier.End > tier.Timeout {
			r.wrong(join(path, "end"), "longer than the timeout", "write latest, settled, or a duration no longer than the timeout")
		}
	}
}

// checkTransactionTimeout: rows of transactions that stay open longer than the
// last tier looks back would never be found by a tier.
func (r *reader) checkTransactionTimeout(path string, t *Table) {
	tiers := t.Compensate.Tiers
	if len(tiers) == 0 || tiers[len(tiers)-1].Timeout == 0 {
		return
	}
	if t.TransactionTimeout > tiers[len(tiers)-1].Timeout {
		r.wrong(join(path, "transaction_timeout"), "longer than the last tier's timeout", "give the last tier this timeout")
	}
}
