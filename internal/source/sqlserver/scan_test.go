package sqlserver

import (
	"strings"
	"testing"
)

func TestCheckSQL(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]string{
		"SELECT * FROM film":                                                    "",
		"SELECT ')' AS a, [b)] , \")\" FROM film -- )":                          "",
		"SELECT 'it''s ;' AS [a]];] /* ; ) /* ( */ ; */ FROM (VALUES (1)) v(x)": "",
		"SELECT * FROM film WITH (INDEX (u))":                                   "",
		"SELECT nolocks, [NOLOCK] FROM film -- WITH (NOLOCK)":                   "",
		"WITH a AS (SELECT 1 AS b) SELECT * FROM a":                             "begins with WITH",
		"/* films */ -- all\n with a AS (SELECT 1 AS b) SELECT * FROM a":        "begins with WITH",
		"SELECT * FROM film WITH (NoLock)":                                      "NOLOCK",
		"SELECT * FROM film (READPAST)":                                         "READPAST",
		"SELECT * FROM film WITH (READUNCOMMITTED)":                             "READUNCOMMITTED",
		"SELECT 1 AS a; DELETE FROM film":                                       "has a ;",
		"SELECT 1 AS a) x DELETE FROM film SELECT * FROM (SELECT 1 AS a":        "parentheses",
		"SELECT (1 AS a": "parentheses",
		"SELECT 'a' + N') x; DELETE FROM film --' AS b": "",
		"SELECT 'a\\' AS b) x DELETE FROM film --'":     "parentheses",
	} {
		err := checkSQL(sql)
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", sql, err, want)
		}
	}
}

// FuzzCheckSQL reads any text.
func FuzzCheckSQL(f *testing.F) {
	for _, sql := range []string{"SELECT '", "/*/", "[a]]", "--", "é(", "\xff)"} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if checkSQL(sql) == nil && checkSQL(sql+" )") == nil && !strings.ContainsAny(sql, "'\"[") && !strings.Contains(sql, "--") && !strings.Contains(sql, "/*") {
			t.Errorf("%q: a parenthesis more is accepted", sql)
		}
	})
}
