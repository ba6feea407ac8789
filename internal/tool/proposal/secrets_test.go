package proposal

import (
	"strings"
	"testing"

	"indexerd/internal/base/doc"
)

// Secrets are left out by name and by value, also of children; tables whose key is one,
// and those that no person searches, are not indexed.
func TestSecretsAreLeftOut(t *testing.T) {
	text := func(name string) doc.CatalogColumn {
		return doc.CatalogColumn{Name: name, SQL: name, Kind: doc.TextColumn, Key: true}
	}
	id := doc.CatalogColumn{Name: "id", SQL: "id", Kind: doc.NumberColumn, Key: true, NotNull: true}
	user := doc.CatalogColumn{Name: "user_id", SQL: "user_id", Kind: doc.NumberColumn}
	of := []doc.CatalogReference{{Columns: []string{"user_id"}, To: "users", OtherColumns: []string{"id"}}}
	c := doc.Catalog{Name: "shop", Tables: []doc.CatalogTable{
		{Name: "users", SQL: "users", Columns: []doc.CatalogColumn{id, text("name"), text("note"), text("passwd"), text("extra")}, Keys: [][]string{{"id"}}, Primary: true},
		{Name: "logins", SQL: "logins", Columns: []doc.CatalogColumn{text("sessionid"), user, text("client")}, Keys: [][]string{{"sessionid"}}, Primary: true, References: of},
		{Name: "django_session", SQL: "django_session", Columns: []doc.CatalogColumn{id, user, text("agent")}, Keys: [][]string{{"id"}}, Primary: true, References: of},
		{Name: "failed_jobs", SQL: "failed_jobs", Columns: []doc.CatalogColumn{id, text("payload")}, Keys: [][]string{{"id"}}, Primary: true},
	}}
	s := Source{Driver: "postgres", DSN: "postgres://u@h/d", Address: "h/d", Texts: func(_ string, columns []string) [][]string {
		texts := make([][]string, len(columns))
		for i, name := range columns {
			texts[i] = []string{"a plain text"}
			if name == "extra" {
				texts[i] = []string{"x", "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}
			}
		}
		return texts
	}}
	r := Config(c, s)
	yaml, tables := r.YAML, r.Tables
	if tables != 1 {
		t.Errorf("got %d tables, want one", tables)
	}
	for _, want := range []string{
		"omitted: passwd (looks like a secret: its name has passwd), extra (looks like a secret: a value looks like a password's hash (bcrypt))",
		"    sql: SELECT id, name, note FROM users\n", "  # A queue of jobs, which no one searches:\n  # failed_jobs: {source: shop, ", "\n  # django_session: {",
		"# logins: its key sessionid looks like a secret (its name has sessionid): ",
	} {
		if !strings.Contains(yaml, want) {
			t.Errorf("got\n%s\nwant %q in it", yaml, want)
		}
	}
	var used []string
	for line := range strings.SplitSeq(yaml, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			used = append(used, line)
		}
	}
	if all := strings.Join(used, "\n"); strings.Contains(all, "sessionid") || strings.Contains(all, "passwd") || strings.Contains(all, "agent") || strings.Contains(all, "extra") {
		t.Errorf("got\n%s\nwant no secret and no session in what is indexed", all)
	}
}
