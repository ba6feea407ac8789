package aggs

import (
	"math/rand/v2"
	"testing"
	"time"

	"indexerd/internal/base/calendar"
)

// The kept intervals give the starts that the calendar gives, however many there are.
func TestStarts(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, iv := range []calendar.Interval{
		{Unit: calendar.Month, Zone: zone}, {Unit: calendar.Day, Zone: zone}, {Unit: calendar.Hour}, {Length: 7 * time.Hour, Zone: zone}, {Unit: calendar.Day, Zone: zone, Offset: 90 * time.Minute},
	} {
		start := starts(iv)
		for range 3 * manyIntervals {
			ms := r.Int64N(2e12) - 1e12
			if got, want := start(float64(ms)), float64(iv.Start(ms)); got != want {
				t.Fatalf("%+v, %d: got %f, want %f", iv, ms, got, want)
			}
		}
	}
}
