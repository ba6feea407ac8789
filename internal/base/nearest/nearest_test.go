package nearest

import (
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

func TestNameReturnsTheMostSimilarName(t *testing.T) {
	columns := []string{"film_id", "last_update", "title", "release_year"}
	for _, test := range []struct{ name, want string }{
		{"last_updat", "last_update"},
		{"last_updaet", "last_update"},
		{"LAST_UPDATE", "last_update"},
		{"releaseyear", "release_year"},
		{"tilte", "title"},
		{"title", "title"},
		{"description", ""},
		{"", ""},
		{"标题", ""},
	} {
		if got := Name(test.name, columns); got != test.want {
			t.Errorf("Name(%q): got %q, want %q", test.name, got, test.want)
		}
	}
	if got := Name("title", nil); got != "" {
		t.Errorf("no names: got %q, want none", got)
	}
}

func TestNameFindsAnyNameWithOneEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := []rune(rapid.StringMatching(`[a-z_]{3,12}`).Draw(t, "name"))
		at := rapid.IntRange(0, len(name)-1).Draw(t, "at")
		letter := rune(rapid.IntRange('a', 'z').Draw(t, "letter"))
		var edited string
		switch rapid.SampledFrom([]string{"remove", "insert", "replace", "swap"}).Draw(t, "edited") {
		case "remove":
			edited = string(name[:at]) + string(name[at+1:])
		case "insert":
			edited = string(name[:at]) + string(letter) + string(name[at:])
		case "replace":
			edited = string(name[:at]) + string(letter) + string(name[at+1:])
		case "swap":
			at = max(at, 1)
			edited = string(name[:at-1]) + string(name[at]) + string(name[at-1]) + string(name[at+1:])
		}
		if got, want := Name(edited, []string{string(name)}), string(name); got != want {
			t.Errorf("Name(%q): got %q, want %q", edited, got, want)
		}
		if got, want := Distance(edited, string(name)), Distance(string(name), edited); got != want || got > 1 {
			t.Errorf("distance of %q and %q: got %d and %d, want the same, at most 1", edited, string(name), got, want)
		}
	})
}
