package history

import (
	"fmt"
	"strings"
	"time"

	"indexerd/internal/doc"
)

// enough is how many rows a distribution needs before it advises anything.
const enough = 100

// Advice says in a sentence what a distribution means for the last tier,
// whose timeout no transaction may exceed.
func Advice(l *doc.Lateness, lastTimeout time.Duration) string {
	n := l.Count()
	if n < enough {
		return fmt.Sprintf("%d rows seen so far: too few to advise", n)
	}
	text := fmt.Sprintf("99.9 %% of rows were seen within %s; ", short(round(l.Quantile(0.999))))
	if beyond := l.Beyond(lastTimeout); beyond > 0 {
		return text + fmt.Sprintf("%s were later than your last tier's timeout of %s: raise it above %s", share(beyond, n), short(lastTimeout), short(round(l.Max)))
	}
	text += fmt.Sprintf("your last tier's timeout of %s is safe", short(lastTimeout))
	if shorter := lastTimeout * 3 / 10; shorter > 0 {
		text += fmt.Sprintf("; %s would miss %s", short(shorter), share(l.Beyond(shorter), n))
	}
	return text
}

// share says part of n as a number in a million.
func share(part, n int64) string {
	if part == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2g in 10^6", float64(part)/float64(n)*1e6)
}

// short is a duration as people write it: 10m, and not 10m0s.
func short(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func round(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
