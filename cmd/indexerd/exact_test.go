package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestExactIsADemand has a database that can't tell a horizon: the table counts
// as failing, shows why, is searched all the same, and S stands still although
// the last tier would move it.
func TestExactIsADemand(t *testing.T) {
	t.Parallel()
	dsn := lateTable(t)
	address, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	role := "plain" + strings.ReplaceAll(strings.TrimPrefix(address.Path, "/"), "-", "_")
	pgtest.Exec(t, dsn, fmt.Sprintf(`CREATE ROLE %s LOGIN; GRANT USAGE ON SCHEMA public TO %[1]s; GRANT SELECT ON note TO %[1]s`, role))
	pgtest.Exec(t, dsn, `CREATE FUNCTION stamped() RETURNS timestamptz LANGUAGE sql AS 'SELECT statement_timestamp()'`)
	t.Cleanup(func() { pgtest.Exec(t, dsn, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	address.User = url.User(role)
	file := writeFile(t, lateConfig(address.String(), t.TempDir(), "{horizon: exact, every: 500ms, slack: 500ms, tiers: [{every: 1s, timeout: 1s, end: settled}]}"))
	p := follow(t, file)
	settled := p.status(t).Tables[0].Settled.At
	p.as("").fails(t, "note", "exact is not available: function stamped uses statement_timestamp()")
	if got := p.status(t).Tables[0].Settled; *got.At != *settled || got.Mode != "assumed" {
		t.Errorf("settled: got %+v, want assumed and still %v", got, time.Time(*settled))
	}
	pgtest.Exec(t, dsn, "UPDATE note SET body = 'quokka', updated = now() WHERE id = 7")
	p.found(t, "note", "quokka", 1)
	pgtest.Exec(t, dsn, "DROP FUNCTION stamped")
	p.waitFor(t, "the table recovers", func(s httpapi.TableStatus) bool {
		return s.State == "following" && time.Time(*s.Settled.At).After(time.Time(*settled))
	})
}
