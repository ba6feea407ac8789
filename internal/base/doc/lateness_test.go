package doc

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

func TestQuantileIsAtMost19PercentTooHigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		late := rapid.SliceOfN(rapid.Int64Range(-1e9, 8e14), 1, 200).Draw(t, "late")
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		var a, b Lateness
		for i, ns := range late {
			if i%2 == 0 {
				a.Note(time.Duration(ns))
			} else {
				b.Note(time.Duration(ns))
			}
		}
		a.Add(b)
		slices.Sort(late)
		rank := int(float64(len(late))*q + 0.999999999)
		exact := max(time.Duration(late[min(max(rank, 1), len(late))-1]), 0)
		got := a.Quantile(q)
		if got < exact-time.Millisecond || float64(got) > 1.2*float64(exact)+float64(time.Millisecond) {
			t.Errorf("quantile %v: got %v, want %v to 19 %% more", q, got, exact)
		}
		if n := a.Count(); n != int64(len(late)) {
			t.Errorf("count: got %d, want %d", n, len(late))
		}
		if want := max(time.Duration(late[len(late)-1]), 0); a.Max != want {
			t.Errorf("max: got %v, want %v", a.Max, want)
		}
		if got := a.Beyond(a.Max); got != 0 && bound(bucket(a.Max)) <= a.Max {
			t.Errorf("beyond the max: got %d, want 0", got)
		}
	})
}

func TestEmptyLatenessIsZero(t *testing.T) {
	var l Lateness
	l.Add(Lateness{})
	if got := l.Quantile(0.99); got != 0 || l.Count() != 0 || l.Beyond(0) != 0 {
		t.Errorf("got quantile %v, count %d, beyond %d; want zeros", got, l.Count(), l.Beyond(0))
	}
}

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
		got, err := ParseDuration(test.text)
		if (err != nil) != (test.want == 0) || err == nil && got != test.want {
			t.Errorf("ParseDuration(%q): got %v, %v, want %v", test.text, got, err, test.want)
		}
	}
}

func TestParseDurationWithDaysEqualsGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := rapid.IntRange(0, 50_000).Draw(t, "days")
		rest := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)-1).Draw(t, "rest"))
		want := time.Duration(days)*24*time.Hour + rest
		for _, text := range []string{want.String(), fmt.Sprintf("%dd%v", days, rest)} {
			if got, err := ParseDuration(text); err != nil || got != want {
				t.Errorf("ParseDuration(%q): got %v, %v, want %v", text, got, err, want)
			}
		}
	})
}
