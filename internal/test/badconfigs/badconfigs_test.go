package badconfigs

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

const base = "a: 1\nb: 2\nc: 3\n"

func TestCases(t *testing.T) {
	for _, c := range []struct{ name, archive, want string }{
		{"replaced", "-- x.diff --\n-b: 2\n+b: 4\n", "a: 1\nb: 4\nc: 3\n"},
		{"removed", "-- x.diff --\n-b: 2\n", "a: 1\nc: 3\n"},
		{"added after a line", "-- x.diff --\n a: 1\n+d: 4\n+e: 5\n", "a: 1\nd: 4\ne: 5\nb: 2\nc: 3\n"},
		{"added at the end", "-- x.diff --\n+d: 4\n", "a: 1\nb: 2\nc: 3\nd: 4\n"},
		{"changed in two places", "-- x.diff --\n-a: 1\n c: 3\n+d: 4\n", "b: 2\nc: 3\nd: 4\n"},
		{"whole", "-- x.yaml --\nd: 4\n", "d: 4\n"},
		{"whole and empty", "-- x.yaml --\n", ""},
		{"quoted", "-- x.yaml.quoted --\n\"\\xff\\xfe\"\n", "\xff\xfe"},
		{"quoted diff", "-- x.diff.quoted --\n\"-b: 2\\n\"\n\"+\\tb: 2\\n\"\n", "a: 1\n\tb: 2\nc: 3\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cases, err := casesOf(txtar.Parse([]byte(c.archive+"-- x.want --\nx.yaml:1: f\n")), []byte(base))
			if err != nil {
				t.Fatal(err)
			}
			if len(cases) != 1 || cases[0].Name != "x.yaml" || string(cases[0].YAML) != c.want || cases[0].Want != "x.yaml:1: f\n" {
				t.Errorf("got %q, want one case x.yaml of %q", cases, c.want)
			}
		})
	}
}

func TestBrokenArchives(t *testing.T) {
	for _, c := range []struct{ archive, want string }{
		{"-- x.diff --\n", "no change"},
		{"-- x.diff --\n-d: 4\n", "is not in what is left"},
		{"-- x.diff --\n-c: 3\n-a: 1\n", "is not in what is left"}, // in the wrong order
		{"-- x.diff --\nb: 4\n", "begins with neither"},
		{"-- x.diff --\n+d: 4\n\n", "begins with neither"},
		{"-- x.yaml.quoted --\nd: 4\n", "not a Go string literal"},
		{"-- x.golden --\nd: 4\n", "unknown kind"},
		{"-- x.want --\nx.yaml:1: f\n", "does not follow"},
		{"-- x.diff --\n+d: 4\n-- y.want --\ny.yaml:1: f\n", "does not follow"},
		{"-- x.diff --\n+d: 4\n-- x.want --\nf\n-- x.want --\nf\n", "does not follow"},
	} {
		if _, err := casesOf(txtar.Parse([]byte(c.archive)), []byte(base)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want an error with %q", c.archive, err, c.want)
		}
	}
}

func TestReplaceWants(t *testing.T) {
	archive := txtar.Parse([]byte("About.\n-- x.diff --\n+d: 4\n-- x.want --\nold\n-- y.yaml.quoted --\n\"d\"\n-- z.yaml --\nd\n-- z.want --\nkept\n"))
	replaceWants(archive, map[string]string{"x.yaml": "new\n", "y.yaml": "first\n"})
	const want = "About.\n-- x.diff --\n+d: 4\n-- x.want --\nnew\n-- y.yaml.quoted --\n\"d\"\n-- y.want --\nfirst\n-- z.yaml --\nd\n-- z.want --\nkept\n"
	if got := string(txtar.Format(archive)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
