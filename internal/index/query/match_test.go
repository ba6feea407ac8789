package query

import "testing"

func TestMatchIn(t *testing.T) {
	for _, c := range []struct {
		match   Match
		query   string
		want    string // with <a b> for most of a and b
		differs bool
	}{
		{MatchAll, "a b", "a b", false},
		{"", "a b", "a b", false},
		{MatchAny, "", "*", false},
		{MatchAny, "a", "a", false},
		{MatchAny, "a b", "a OR b", true},
		{MatchMost, "a b", "<a b>", true},
		{MatchMost, `a b* c~ "d e" f:g -h`, `"d e" f:g -h <a b* c~>`, true},
		{MatchAny, "a (b OR c) d", "(b OR c) (a OR d)", true},
		{MatchAny, "a (b c)", "a OR b OR c", true},
		{MatchAny, "a OR b c", "a OR b c", false},
		{MatchMost, `a "b c" d:e`, `a "b c" d:e`, false},
	} {
		n, err := Parse(c.query)
		if err != nil {
			t.Fatal(err)
		}
		got, differs := c.match.In(n)
		if text := printSome(got); text != c.want || differs != c.differs {
			t.Errorf("%s of %s: got %s, %t, want %s, %t", c.match, c.query, text, differs, c.want, c.differs)
		}
	}
	for n, want := range map[int]int{1: 1, 2: 1, 3: 2, 4: 3, 5: 4, 6: 4, 7: 5, 10: 7, 100: 70} {
		if got := Most(n); got != want {
			t.Errorf("most of %d: got %d, want %d", n, got, want)
		}
	}
}

// printSome is String, with a Some in angle brackets.
func printSome(n Node) string {
	switch n := n.(type) {
	case Some:
		return "<" + n.String() + ">"
	case And:
		text := ""
		for i, c := range n.Nodes {
			if i > 0 {
				text += " "
			}
			if _, or := c.(Or); or {
				text += "(" + c.String() + ")"
			} else {
				text += printSome(c)
			}
		}
		return text
	}
	return n.String()
}
