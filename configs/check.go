package configs

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"indexerd/internal/base/address"
)

// check reports faults that involve more than one value.
func (r *reader) check() {
	r.checkHTTP()
	r.checkIndex()
	r.checkPageStore()
	r.checkBloom()
	r.checkMarks()
	for i := range r.config.Sources {
		r.checkSource(&r.config.Sources[i])
	}
	for i := range r.config.Tables {
		r.checkTable(&r.config.Tables[i])
	}
}

func (r *reader) checkSource(s *Source) {
	path := r.readSecret(join(join("sources", s.Name), "dsn"), s.dsnFile, &s.DSN)
	if s.DSN == "" {
		return // already reported
	}
	if s.Driver == "" {
		return // reported too
	}
	a, err := address.Read(s.Driver, s.DSN)
	if bad, ok := errors.AsType[*address.Error](err); ok {
		r.wrong(path, bad.Wrong, bad.Do)
		return
	}
	s.DSN, s.Notes = a.DSN, a.Notes
}

func (r *reader) checkTable(t *Table) {
	path := join("tables", t.Name)
	if t.Name == "lock" {
		r.wrong(path, "reserved name", "choose another name: the lock file of the data directory is called lock")
	}
	r.checkSourceName(join(path, "source"), t.Source)
	for _, m := range t.Metadata {
		if m.Name == "content" {
			r.wrong(join(path, "metadata.content"), "reserved name", "rename the column in the SQL with AS: content is the name of the whole text in queries")
		}
	}
	r.checkPaths(join(path, "paths"), t)
	r.checkChildren(path, t)
	r.checkACL(join(path, "acl"), t)
	r.checkBoosts(join(path, "content.boosts"), t)
	r.checkTitle(join(path, "title"), t)
	r.checkAnalyzer(join(path, "language"), t)
	r.checkStopwords(join(path, "stopwords"), t)
	r.checkSynonyms(join(path, "synonyms"), t)
	r.checkDeleted(join(path, "deleted"))
	r.checkTimes(path, t)
	r.checkRowKey(path, t)
	r.checkHorizon(join(path, "compensate.horizon"), t)
	r.checkTiers(join(path, "compensate.tiers"), t.Compensate.Tiers)
	r.checkTransactionTimeout(path, t)
}

// checkPaths reports paths with the name of a column that they can't be.
func (r *reader) checkPaths(path string, t *Table) {
	for _, p := range t.Paths {
		for key, names := range map[string][]string{"key": t.Key, "updated": {t.Updated}, "deleted": {t.Deleted.Column}, "acl": {t.ACL}} {
			if slices.Contains(names, p.Name) {
				r.wrong(join(path, p.Name), "name already used by "+key+", which is a column of the SQL", "choose another name, or select the value in the SQL")
			}
		}
	}
}

// checkChildren reports children and extras with the name of another field.
// Columns, children and extras share one namespace in queries and hits.
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
			r.wrong(join(path, b.Field), "unknown field"+didYouMean(b.Field, searched), "name a column of content.fields or a child")
		}
	}
}

// checkTitle reports columns that hits do not show to every caller.
func (r *reader) checkTitle(path string, t *Table) {
	shown := slices.Concat(t.Content.Fields, t.Key)
	for _, m := range t.Metadata {
		shown = append(shown, m.Name)
	}
	for _, name := range t.Title.Columns() {
		switch {
		case !slices.Contains(shown, name):
			r.wrong(path, "unknown column"+scalar{text: name}.shown()+didYouMean(name, shown), "name columns of content.fields, metadata or key")
		case name == t.ACL:
			r.wrong(path, "has the column of acl, which only admins see", "name other columns")
		}
	}
}

// checkChild checks the name and the key of a child or an extra, and adds the
// name to taken.
func (r *reader) checkChild(path, noun, name string, key, parent []string, taken map[string]string) {
	if by := taken[name]; by != "" {
		r.wrong(path, "name already used by "+by, "rename one of them; the SQL can rename a column with AS")
	}
	taken[name] = noun
	if len(key) > 0 && len(parent) > 0 && len(key) != len(parent) {
		r.wrong(join(path, "key"), fmt.Sprintf("number of columns is %d, but the table's key has %d", len(key), len(parent)),
			"name the columns that hold the table's key, in the same order")
	}
}

// checkDeleted checks values. That the file has either column or sql is already
// checked.
func (r *reader) checkDeleted(path string) {
	column, values := r.config.given(join(path, "column")), r.config.given(join(path, "values"))
	switch {
	case column && !values:
		r.wrong(join(path, "values"), "missing", "list the values that mean deleted: [0]")
	case values && !column && r.config.given(join(path, "sql")):
		r.wrong(join(path, "values"), "not allowed together with sql", "remove values, or write column instead of sql")
	}
}

// checkTimes reports options of a table without updated that only windows of
// updateTimes use.
func (r *reader) checkTimes(path string, t *Table) {
	if r.config.given(join(path, "updated")) {
		return
	}
	options := []string{"timezone", "changes", "incremental", "compensate", "transaction_timeout", "deletecheck.every", "deletecheck.share"}
	for _, c := range t.Children {
		options = append(options, join("children", c.Name)+".updated")
	}
	for _, e := range t.Extra {
		options = append(options, join("extra", e.Name)+".updated")
	}
	for _, option := range options {
		if option = join(path, option); r.config.given(option) {
			r.wrong(option, "not used without updated", "remove it, or name the column with the time of the last change of the table's rows in updated")
		}
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

// checkRowKey reports options that need a key which stays when the row changes, or
// one of the row's columns.
func (r *reader) checkRowKey(path string, t *Table) {
	if !t.RowKey {
		if rows := join(path, "limits.rows"); r.config.given(rows) {
			r.wrong(rows, "not used without key: row", "remove it")
		}
		return
	}
	if t.fresh != nil && *t.fresh {
		r.wrong(join(path, "fresh"), "not possible with key: row", "remove it, since each fresh search would read the whole table, or name the columns that identify a row in key")
	}
	for _, o := range []struct{ option, do string }{
		{"updated", "remove it, since changes are found by comparison"},
		{"children", "join them in the SQL, for example with string_agg or group_concat"},
		{"extra", "join them in the SQL, for example with string_agg or group_concat"},
		{"deleted", "leave those rows out in the SQL with WHERE"},
	} {
		if option := join(path, o.option); r.config.given(option) {
			r.wrong(option, "not possible with key: row", o.do+", or name the columns that identify a row in key")
		}
	}
}

func (r *reader) checkHorizon(path string, t *Table) {
	ofTable := func(s Source) bool { return s.Name == t.Source && s.Driver == "sqlite" }
	if t.Compensate.Horizon == "exact" && slices.ContainsFunc(r.config.Sources, ofTable) {
		r.wrong(path, "exact is not available for SQLite", "write auto: for SQLite every commit is followed by a full comparison, which proves as much")
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
			r.wrong(join(path, "name"), "invalid name", "write letters, digits, ., _ and -, beginning with a letter or digit")
		case tier.Name == "exact":
			r.wrong(join(path, "name"), "reserved name", "choose another name: exact is the pass that uses the database's horizon")
		case seen[tier.Name]:
			r.wrong(join(path, "name"), "duplicate tier name", "rename one of the tiers")
		}
		seen[tier.Name] = true
		if tier.Timeout > 0 && tier.End > tier.Timeout {
			r.wrong(join(path, "end"), "longer than the timeout", "write latest, settled, or a duration no longer than the timeout")
		}
	}
}

// checkTransactionTimeout reports a last tier that looks back less far than a
// transaction can stay open: no tier would find the rows of such a transaction.
func (r *reader) checkTransactionTimeout(path string, t *Table) {
	tiers := t.Compensate.Tiers
	if len(tiers) == 0 || tiers[len(tiers)-1].Timeout == 0 {
		return
	}
	if t.TransactionTimeout > tiers[len(tiers)-1].Timeout {
		r.wrong(join(path, "transaction_timeout"), "longer than the last tier's timeout", "give the last tier this timeout")
	}
}
