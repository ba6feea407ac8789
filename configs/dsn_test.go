package configs

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

func TestCheckDSN(t *testing.T) {
	const (
		notPostgres = "not an address of a PostgreSQL database"
		notSQLite   = "not a path of a SQLite database"
		tooMany     = "unescaped @ or / in the user or password"
		noURL       = "not a valid URL"
		inMemory    = "in-memory database, which no other program can change"
	)
	for _, test := range []struct{ driver, dsn, wrong string }{
		{"postgres", "postgres://localhost", ""},
		{"postgres", "postgresql://app:p%40ss@db:5432/app?sslmode=disable&options=a@b", ""},
		{"postgres", "postgres://a:1,b:2/app", ""},
		{"postgres", "postgres:///app?host=/run/postgresql", ""},
		{"postgres", "host=db dbname=app", ""},
		{"postgres", "host = db  password = 'a b\\' c' user=x", ""},
		{"postgres", "TimeZone=UTC user=a\\ b app.tenant=", ""},
		{"postgres", "service=app", ""},
		{"postgres", "password=x", notPostgres},
		{"postgres", "mysql://db/app", notPostgres},
		{"postgres", "db.example", notPostgres},
		{"postgres", "host=db and more", notPostgres},
		{"postgres", "host='db", notPostgres},
		{"postgres", "=x", notPostgres},
		{"postgres", "Server=db;Port=5432", notPostgres},
		{"postgres", "postgres://app:p@ss@db/app", tooMany},
		{"postgres", "postgres://app:p/ss@db/app", tooMany},
		{"postgres", "postgres://app:p%ss@db/app", noURL},
		{"postgres", "postgres://app:p#s@db/app", noURL},
		{"postgres", "postgres://app:p s@db/app", noURL},
		{"sqlite", "freight.db", ""},
		{"sqlite", "file:freight.db?mode=ro", ""},
		{"sqlite", "file:///srv/freight.db", ""},
		{"sqlite", "sqlite:freight.db", ""},
		{"sqlite", "sqlite:///srv/freight.db", ""},
		{"sqlite", "postgres://db/app", notSQLite},
		{"sqlite", "sqlite::memory:", inMemory},
		{"sqlite", ":memory:", inMemory},
		{"sqlite", "file:x?mode=memory", inMemory},
		{"", "anything", ""}, // the missing driver is reported by its own fault
	} {
		if wrong, do := checkDSN(test.driver, test.dsn); wrong != test.wrong || (wrong == "") != (do == "") {
			t.Errorf("checkDSN(%s, %q): got %q, do %q, want %q", test.driver, test.dsn, wrong, do, test.wrong)
		}
	}
}

// A password may contain special characters, be split by YAML, or stand at a
// wrong place of the file.
func TestNoFaultShowsAPassword(t *testing.T) {
	places := []string{
		"sources:\n  pagila: {driver: postgres, dsn: %s}\n",
		"sources:\n  pagila: {driver: sqlite, dsn: %s}\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: %s\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: \"%s\"\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: '%s'\n",
		"sources:\n  pagila:\n    driver: %s\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn_file: %s\n",
		"sources:\n  pagila: %s\n",
		"sources:\n  %s\n",
		"sources:\n  %s:\n    driver: postgres\n",
		"sources:\n  pagila:\n    %s: postgres\n",
		"sources:\n  pagila:\n    dsn:\n      - %s\n",
		"data: x\ntables:\n  film:\n    source: %s\n",
		"http: {tokens: {ops: {token: %s}}}\n",
		"http:\n  tokens:\n    ops: {token: '%s', groups: [a]}\n    sales: {token: '%[1]s', groups: [a]}\n",
		"http:\n  tokens:\n    ops:\n      token_file: %s\n",
		"http:\n  tokens:\n    ops: %s\n",
		"http:\n  tokens:\n    %s:\n      admin: true\n",
		"http:\n  tokens:\n    ops:\n      %s: 1\n",
		"http:\n  tls: {cert_file: %s, key_file: %[1]s}\n",
	}
	shapes := []string{"postgres://app:%s@db/app", "host=db password=%s dbname=app", "host=db password='%s'"}
	special := rapid.StringMatching(`[,:@/?#%&*!'"\\ ={$|>.-]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		password := special.Draw(t, "before") + canary + special.Draw(t, "after")
		if strings.Contains(password, "${") {
			t.Skip("the name of an environment variable is shown")
		}
		dsn := fmt.Sprintf(rapid.SampledFrom(shapes).Draw(t, "shape"), password)
		data := fmt.Sprintf(rapid.SampledFrom(places).Draw(t, "place"), dsn)
		if _, err := Parse("x.yaml", []byte(data), environment); strings.Contains(err.Error(), canary) {
			t.Errorf("%s\ngot a fault that shows the password: %v", data, err)
		}
	})
}
