package postgres

import (
	"fmt"
	"strings"
	"time"
)

// parseTime reads the text of a time or date as UTC. The server writes times as
// "2006-01-02 15:04:05.999999" and dates as "2006-01-02". A time with zone ends in
// "+00", since the session's zone is UTC. Infinity and years before 1 or after 9999
// have other forms, which are an error: "infinity", "0044-03-15 BC", "10000-01-01".
func parseTime(text string) (time.Time, error) {
	layout := time.DateOnly
	if len(text) > len(layout) {
		layout = time.DateTime
	}
	t, err := time.Parse(layout, strings.TrimSuffix(text, "+00"))
	if err != nil || t.Year() < 1 {
		return t, fmt.Errorf("%q is not a time of the years 1 to 9999", text)
	}
	return t, nil
}

// rfc3339 converts a time's text to RFC 3339 with microseconds. Text that RFC 3339
// can't express is returned unchanged.
func rfc3339(text string) string {
	t, err := parseTime(text)
	if err != nil {
		return text
	}
	layout := "2006-01-02T15:04:05.000000"
	if strings.HasSuffix(text, "+00") {
		layout += "Z"
	}
	return t.Format(layout)
}
