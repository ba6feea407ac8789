package dialect

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

// The first and the last time that can be an updateTime.
var (
	first = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	last  = time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)
)

// Every time that the server writes is parsed, and its RFC 3339 form is the
// same time.
func TestTimeTextIsReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := time.UnixMicro(rapid.Int64Range(first.UnixMicro(), last.UnixMicro()).Draw(t, "time")).UTC()
		text := want.Format("2006-01-02 15:04:05.999999") + "+00"
		got, err := ParseTime(text)
		if err != nil || !got.Equal(want) {
			t.Errorf("got %v, %v for %q, want %v", got, err, text, want)
		}
		if got, want := TimeText(text, "Z"), want.Format("2006-01-02T15:04:05.000000Z"); got != want {
			t.Errorf("got %s for %q, want %s", got, text, want)
		}
	})
}

func FuzzTime(f *testing.F) {
	for _, s := range []string{"2024-02-29", "2024-02-29 01:02:03", "2024-02-29 01:02:03.5+00", "infinity", "0044-03-15 BC", "10000-01-01 00:00:00+00", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseTime(s)
		if err == nil && (v.Before(first) || v.After(last)) {
			t.Errorf("got %v for %q, want an error", v, s)
		}
		if err == nil && len(s) > 10 {
			if got, want := strings.TrimSuffix(TimeText(s, "Z"), "Z"), v.Format("2006-01-02T15:04:05.000000"); got != want && v.Format(time.DateOnly) == s[:10] {
				t.Errorf("got %s for %q, want %s", got, s, want)
			}
		}
	})
}
