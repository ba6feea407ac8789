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
		{`SELECT fine'\' , 'x'`, `SELECT fine'\' , 'x'`, ""}, // no E string: e is the end of a word
		{"SELECT $$;$$, $a$;$b$;$a$, $1", "SELECT $$;$$, $a$;$b$;$a$, $1", ""},
		{"SELECT a$b$, ';'", "SELECT a$b$, ';'", ""}, // inside a word $ quotes nothing
		{"SELECT `a;b`, \"c;d\"", "SELECT `a;b`, \"c;d\"", ""},
		{"SELECT 1 - -1 / 2", "SELECT 1 - -1 / 2", ""},
		{"SELECT 1; SELECT 2", "", "several statements"},
		{"SELECT 1;(", "", "several statements"},
		{"SELECT $1;$2", "", "several statements"},
		{"", "", "empty"},
		{" ;-- x", "", "empty"},
		{"SELECT 'a", "", "a quote or comment that is not closed"},
		{"SELECT /* /* */", "", "a quote or comment that is not closed"},
		{"SELECT /*/", "", "a quote or comment that is not closed"},
		{"SELECT $a$ $b$", "", "a quote or comment that is not closed"},
		{"(SELECT 1)", "", "a statement that begins with neither SELECT nor WITH"},
		{"SELECTED", "", "a statement that begins with neither SELECT nor WITH"},
		{"UPDATE film SET title = ''", "", "a statement that begins with neither SELECT nor WITH"},
	} {
		if got, wrong := cleanSQL(test.sql); got != test.want || wrong != test.wrong {
			t.Errorf("cleanSQL(%q): got %q, %q, want %q, %q", test.sql, got, wrong, test.want, test.wrong)
		}
	}
}

// Whatever is quoted or commented out, only semicolons between the pieces
// count.
func TestCleanSQLFindsEverySemicolon(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"a", "f(x)", "1", "'x;y'", "'it''s;'", `"q;"`, `E'\';'`, "$$;'$$", "$t$;$$;$t$", "/* ; /* ' */ ; */", "-- ; '\n", "e", "$1", "`;`", "::text",
	})
	rapid.Check(t, func(t *rapid.T) {
		body := "SELECT " + strings.Join(rapid.SliceOf(pieces).Draw(t, "pieces"), " ")
		if got, wrong := cleanSQL(body + " ; "); wrong != "" || got != strings.TrimSpace(body) {
			t.Errorf("cleanSQL(%q): got %q, %q, want what stands before the semicolon", body+" ; ", got, wrong)
		}
		if _, wrong := cleanSQL(body + " ; x " + body); wrong != "several statements" {
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
			t.Errorf("cleaned again: got %q, %q, want %q as it is", again, wrong, clean)
		}
	})
}
