package tierplan

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"indexerd/internal/base/doc"
)

// Ends of a window that have a name.
const (
	latest  = "latest"
	settled = "settled"
)

// longest limits durations, so that a few of them can be added.
const longest time.Duration = math.MaxInt64 / 8

// Parse reads tiers as every:timeout[:end], separated by commas, for example
// 1m:1m,3m:3m,10m:10m:settled. end is latest (the default), settled, or a duration
// not longer than the timeout.
func Parse(s string) ([]Tier, error) {
	var tiers []Tier
	for i, text := range strings.Split(s, ",") {
		t, err := parseTier(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("tier %d %q: %w", i+1, text, err)
		}
		tiers = append(tiers, t)
	}
	return tiers, nil
}

func parseTier(s string) (t Tier, err error) {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Tier{}, errors.New("write every:timeout[:end], as 10m:10m:settled")
	}
	if t.Every, err = parseDuration("every", parts[0]); err != nil {
		return Tier{}, err
	}
	if t.Timeout, err = parseDuration("timeout", parts[1]); err != nil {
		return Tier{}, err
	}
	if len(parts) == 3 {
		t.End, err = parseEnd(parts[2], t.Timeout)
	}
	return t, err
}

func parseEnd(s string, timeout time.Duration) (time.Duration, error) {
	switch s {
	case latest:
		return 0, nil
	case settled:
		return timeout, nil
	}
	end, err := parseDuration("end", s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("end %q: write latest, settled or a duration, as 90s, 10m or 1d12h", s)
	case end > timeout:
		return 0, fmt.Errorf("end %s is longer than the timeout %s", doc.ShortDuration(end), doc.ShortDuration(timeout))
	}
	return end, nil
}

// parseDuration reads a duration as in configurations.
func parseDuration(what, s string) (time.Duration, error) {
	d, err := doc.ParseDuration(s)
	if err != nil || strings.ContainsAny(s, "+-") || d <= 0 || d >= longest {
		return 0, fmt.Errorf("%s %q: write a duration above zero, as 90s, 10m or 1d12h", what, s)
	}
	return d, nil
}
