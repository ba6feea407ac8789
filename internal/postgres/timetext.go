package postgres

import (
	"errors"
	"fmt"
	"time"
)

// The server writes times as "2006-01-02 15:04:05.999999" and dates as
// "2006-01-02". A time with zone ends in "+00", since the session's zone is UTC.
// Infinity and years before 1 or after 9999 have other forms: "infinity",
// "0044-03-15 BC", "10000-01-01".

const zeroFraction = ".000000"

// rfc3339 converts a time's text to RFC 3339 with microseconds. Text that RFC
// 3339 can't express is returned unchanged.
func rfc3339(text string) string {
	body, zone := text, ""
	if n := len(text) - len("+00"); n >= 0 && text[n:] == "+00" {
		body, zone = text[:n], "Z"
	}
	n := len("2006-01-02 15:04:05")
	if len(body) < n || body[4] != '-' || body[10] != ' ' {
		return text
	}
	decimals := body[n:]
	if _, rest, ok := fraction(decimals); !ok || rest != "" {
		return text // BC follows
	}
	if decimals == "" {
		decimals = "."
	}
	return body[:10] + "T" + body[11:n] + decimals + zeroFraction[len(decimals):] + zone
}

var errTime = errors.New("is not a time of the years 1 to 9999")

// parseTime reads the text of a time or date as UTC.
func parseTime(text string) (time.Time, error) {
	s := text
	year, s, ok1 := digits(s, 4, "-")
	month, s, ok2 := digits(s, 2, "-")
	day, s, ok3 := digits(s, 2, "")
	if !ok1 || !ok2 || !ok3 || year < 1 || month < 1 || month > 12 || day < 1 || day > 31 {
		return time.Time{}, fmt.Errorf("%q %w", text, errTime)
	}
	if s == "" {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), nil
	}
	if s[0] != ' ' {
		return time.Time{}, fmt.Errorf("%q %w", text, errTime)
	}
	hour, s, ok1 := digits(s[1:], 2, ":")
	minute, s, ok2 := digits(s, 2, ":")
	second, s, ok3 := digits(s, 2, "")
	us, s, ok4 := fraction(s)
	if !ok1 || !ok2 || !ok3 || !ok4 || hour > 23 || minute > 59 || second > 59 || s != "" && s != "+00" {
		return time.Time{}, fmt.Errorf("%q %w", text, errTime)
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, us*1000, time.UTC), nil
}

// digits reads n digits and the separator after them.
func digits(s string, n int, separator string) (v int, rest string, ok bool) {
	if len(s) < n+len(separator) || s[n:n+len(separator)] != separator {
		return 0, "", false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, "", false
		}
		v = v*10 + int(s[i]-'0')
	}
	return v, s[n+len(separator):], true
}

// fraction reads microseconds, which are absent if 0 and have no trailing
// zeros.
func fraction(s string) (us int, rest string, ok bool) {
	if s == "" || s[0] != '.' {
		return 0, s, true
	}
	scale := 1_000_000
	for s = s[1:]; s != "" && s[0] >= '0' && s[0] <= '9'; s = s[1:] {
		if scale == 1 {
			return 0, "", false
		}
		scale /= 10
		us += int(s[0]-'0') * scale
	}
	return us, s, scale < 1_000_000
}
