package format

import (
	"math"
	"strconv"
	"strings"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/input"
)

// A Number prints numbers by a pattern such as #,##0.00, as OpenSearch does.
type Number struct {
	prefix, suffix string
	digits         int     // least digits before the point
	group          int     // digits between commas; 0: no commas
	least, most    int     // digits behind the point
	times          float64 // 100 of a percentage
}

// ParseNumber reads a pattern: text, digits as 0, # and commas, a point and digits,
// and text.
func ParseNumber(pattern string) (*Number, error) {
	if pattern == "" {
		return &Number{group: 3, most: -1, times: 1}, nil // all digits
	}
	if strings.ContainsAny(pattern, "';E‰¤") || strings.HasSuffix(pattern, ".") {
		return nil, input.ParsingError("number format [%s] is not supported: write it as #,##0.00", query.Shorten(pattern))
	}
	f := &Number{times: 1}
	from := strings.IndexAny(pattern, "#0,.")
	if from < 0 {
		from = len(pattern)
	}
	rest := strings.TrimLeft(pattern[from:], "#0,")
	whole := pattern[from : len(pattern)-len(rest)]
	fraction, pointed := strings.CutPrefix(rest, ".")
	if pointed {
		rest = strings.TrimLeft(fraction, "0#")
		fraction = fraction[:len(fraction)-len(rest)]
	} else {
		fraction = ""
	}
	f.prefix, f.suffix = pattern[:from], rest
	f.digits, f.least, f.most = strings.Count(whole, "0"), strings.Count(fraction, "0"), len(fraction)
	if comma := strings.LastIndexByte(whole, ','); comma >= 0 {
		f.group = len(whole) - comma - 1
	}
	if strings.Contains(pattern, "%") {
		f.times = 100
	}
	switch plain := strings.ReplaceAll(whole, ",", ""); {
	case strings.Contains(strings.TrimLeft(plain, "#"), "#"), strings.Contains(strings.TrimLeft(fraction, "0"), "0"), strings.ContainsAny(rest, "#0,."), strings.HasSuffix(whole, ","):
		return nil, input.ArgumentError("Malformed pattern %q", query.Shorten(pattern))
	}
	return f, nil
}

// Print returns the text of a number.
func (f *Number) Print(n float64) string {
	switch {
	case math.IsNaN(n):
		return "NaN"
	case math.IsInf(n, 1):
		return f.prefix + "∞" + f.suffix
	case math.IsInf(n, -1):
		return "-" + f.prefix + "∞" + f.suffix
	}
	text := strconv.FormatFloat(math.Abs(n*f.times), 'f', f.most, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for len(fraction) > f.least && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if whole = strings.TrimLeft(whole, "0"); len(whole) < f.digits {
		whole = strings.Repeat("0", f.digits-len(whole)) + whole
	}
	if f.group > 0 {
		for at := len(whole) - f.group; at > 0; at -= f.group {
			whole = whole[:at] + "," + whole[at:]
		}
	}
	if fraction != "" {
		whole += "." + fraction
	} else if whole == "" {
		whole = "0"
	}
	if math.Signbit(n) {
		return "-" + f.prefix + whole + f.suffix
	}
	return f.prefix + whole + f.suffix
}
