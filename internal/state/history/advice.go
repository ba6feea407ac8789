package history

import (
	"fmt"
	"time"

	"indexerd/internal/base/doc"
)

// enough is the number of rows for which Advice gives advice.
const enough = 100

// Advice returns a sentence on whether the last tier's timeout, which no transaction
// may exceed, fits the distribution.
func Advice(l *doc.Lateness, lastTimeout time.Duration) string {
	n := l.Count()
	if n < enough {
		return fmt.Sprintf("%d rows seen so far: too few to advise", n)
	}
	text := fmt.Sprintf("99.9 %% of rows were seen within %s; ", doc.ShortDuration(round(l.Quantile(0.999))))
	if beyond := l.Beyond(lastTimeout); beyond > 0 {
		return text + fmt.Sprintf("%s were later than your last tier's timeout of %s: raise it above %s", share(beyond, n), doc.ShortDuration(lastTimeout), doc.ShortDuration(round(l.Max)))
	}
	text += fmt.Sprintf("your last tier's timeout of %s is safe", doc.ShortDuration(lastTimeout))
	if shorter := lastTimeout * 3 / 10; shorter > 0 {
		text += fmt.Sprintf("; %s would miss %s", doc.ShortDuration(shorter), share(l.Beyond(shorter), n))
	}
	return text
}

// share returns part of n as a number in a million.
func share(part, n int64) string {
	if part == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2g in 10^6", float64(part)/float64(n)*1e6)
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
