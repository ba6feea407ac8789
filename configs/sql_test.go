package configs

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCleanSQL(t *testing.T) {
	for _, test := range []struct{ sql, want, wrong string }{
		{"SELECT 1", "SELECT 1", ""},
		{" select 1 ;; \n;", "select 1", ""},
		{"SELECT 1; -- the end; really", "SELECT 1", ""},
		{"SELECT 1 -- the end", "SELECT 1 -- the end", ""},
		{"/* a; */ WITH x AS (SELECT 1) SELECT * FROM x", "/* a; */ WITH x AS (SELECT 1) SELECT * FROM x", ""},
		{"SELECT '--', ';', 'it''s;'", "SELECT '--', ';', 'it''s;'", ""},
		{`SELECT E'it\'s;'`, `SELECT E'it\'s;'`, ""},
		{`SELECT 'C:\'`, `SELECT 'C:\'`, ""},
		{`SELECT fine'\' , 'x'`, `SELECT fine'\' , 'x'`, ""}, // the e before the quote is part of a word
		{"SELECT $$;$$, $a$;$b$;$a$, $1", "SELECT $$;$$, $a$;$b$;$a$, $1", ""},
		{"SELECT a$b$, ';'", "SELECT a$b$, ';'", ""}, // a $ inside a word is no quote
		{"SELECT `a;b`, \"c;d\"", "SELECT `a;b`, \"c;d\"", ""},
		{"SELECT 1 - -1 / 2", "SELECT 1 - -1 / 2", ""},
		{"SELECT 1; SELECT 2", "", "more than one statement"},
		{"SELECT 1;(", "", "more than one statement"},
		{"SELECT $1;$2", "", "more than one statement"},
		{"", "", "empty"},
		{" ;-- x", "", "empty"},
		{"SELECT 'a", "", "unclosed quote or comment"},
		{"SELECT /* /* */", "", "unclosed quote or comment"},
		{"SELECT /*/", "", "unclosed quote or comment"},
		{"SELECT $a$ $b$", "", "unclosed quote or comment"},
		{"(SELECT 1)", "", "statement begins with neither SELECT nor WITH"},
		{"SELECTED", "", "statement begins with neither SELECT nor WITH"},
		{"UPDATE film SET title = ''", "", "statement begins with neither SELECT nor WITH"},
	} {
		if got, wrong := cleanSQL(test.sql); got != test.want || wrong != test.wrong {
			t.Errorf("cleanSQL(%q): got %q, %q, want %q, %q", test.sql, got, wrong, test.want, test.wrong)
		}
	}
}

func TestCleanSQLIgnoresQuotedSemicolons(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"a", "f(x)", "1", "'x;y'", "'it''s;'", `"q;"`, `E'\';'`, "$$;'$$", "$t$;$$;$t$", "/* ; /* ' */ ; */", "-- ; '\n", "e", "$1", "`;`", "::text",
	})
	rapid.Check(t, func(t *rapid.T) {
		body := "SELECT " + strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), " ")
		if got, wrong := cleanSQL(body + " ; "); wrong != "" || got != strings.TrimSpace(body) {
			t.Errorf("cleanSQL(%q): got %q, %q, want the text before the semicolon", body+" ; ", got, wrong)
		}
		if _, wrong := cleanSQL(body + " ; x " + body); wrong != "more than one statement" {
			t.Errorf("cleanSQL of two statements %q: got %q", body, wrong)
		}
	})
}

func FuzzCleanSQL(f *testing.F) {
	for _, s := range []string{"SELECT 1;", "WITH a AS (SELECT $t$;$t$) SELECT E'\\''", "-- x\nSELECT /* /* */ */ \"a;b\";;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		clean, wrong := cleanSQL(sql)
		if wrong != "" {
			if clean != "" {
				t.Errorf("got %q beside the fault %q", clean, wrong)
			}
			return
		}
		if again, wrong := cleanSQL(clean); wrong != "" || again != clean {
			t.Errorf("second call: got %q, %q, want %q unchanged", again, wrong, clean)
		}
	})
}
