package configs

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		text string
		want time.Duration // 0: an error
	}{
		{"1s", time.Second},
		{"1h30m", 90 * time.Minute},
		{"2d", 2 * day},
		{"1.5d", 36 * time.Hour},
		{"1d12h30m", day + 12*time.Hour + 30*time.Minute},
		{"", 0},
		{"d", 0},
		{"1", 0},
		{"1h2d", 0},
		{"1d-1h", 0},
		{"-1d", 0},
		{"1dd", 0},
		{"1e3d", 0},
		{"99999999d", 0},
		{"53000d2500000h", 0},
	} {
		got, err := parseDuration(test.text)
		if (err != nil) != (test.want == 0) || err == nil && got != test.want {
			t.Errorf("parseDuration(%q): got %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestParseDurationWithDaysEqualsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(0, 50_000).Draw(t, "days")
		rest := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)-1).Draw(t, "rest"))
		want := time.Duration(days)*24*time.Hour + rest
		for _, text := range []string{want.String(), fmt.Sprintf("%dd%v", days, rest)} {
			if got, err := parseDuration(text); err != nil || got != want {
				t.Errorf("parseDuration(%q): got %v, %v, want %v", text, got, err, want)
			}
		}
	})
}

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
