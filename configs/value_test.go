package configs

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64 // 0: not a size
	}{
		{"1", 1},
		{"65536", 65536},
		{"64KiB", 64 << 10},
		{"64 MiB", 64 << 20},
		{"2GiB", 2 << 30},
		{"9223372036854775807", math.MaxInt64},
		{"9007199254740991KiB", math.MaxInt64 - 1023},
		{"9007199254740992KiB", 0},
		{"0", 0},
		{"-1MiB", 0},
		{"1.5GiB", 0},
		{"64MB", 0},
		{"64kib", 0},
		{"MiB", 0},
		{"1KiBMiB", 0},
		{"", 0},
	} {
		got, ok := parseSize(test.text)
		if ok != (test.want != 0) || got != test.want {
			t.Errorf("parseSize(%q): got %d, %v, want %d", test.text, got, ok, test.want)
		}
	}
}

func TestExpand(t *testing.T) {
	for _, test := range []struct {
		text, want string
		expanded   bool
	}{
		{"plain", "plain", false},
		{"$", "$", false},
		{"a$b $1", "a$b $1", false},
		{"$$", "$", false},
		{"$${SECRET}", "${SECRET}", false},
		{"$$${ROWS}", "$500", true},
		{"a${ROWS}b${ROWS}", "a500b500", true},
		{"${EMPTY}", "", true},
		{"${EMPTY:-x}", "x", true},
		{"${ROWS:-x}", "500", true},
		{"${NONE:-}", "", true},
		{"${NONE:-a:-b$c}", "a:-b$c", true},
		{"${ROWS}}", "500}", true},
	} {
		r := &reader{config: &Config{File: "x.yaml"}, getenv: environment}
		got, ok := r.expand(place{}, test.text)
		if !ok || got.text != test.want || got.expanded != test.expanded {
			t.Errorf("expand(%q): got %+v, %v, %v, want %q, %v", test.text, got, ok, r.faults, test.want, test.expanded)
		}
	}
}

func TestExpandReplacesDoubledDollars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.StringMatching(`[a${}:\-A-Z]{0,20}`).Draw(t, "text")
		r := &reader{config: &Config{}, getenv: environment}
		got, ok := r.expand(place{}, strings.ReplaceAll(want, "$", "$$"))
		if !ok || got.text != want || got.expanded {
			t.Errorf("got %+v, %v, want %q", got, ok, want)
		}
	})
}
