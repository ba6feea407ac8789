package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
)

// median returns the median of each figure.
func median(results []result) result {
	figures := map[string][]float64{}
	for _, r := range results {
		for name, v := range r.figures() {
			figures[name] = append(figures[name], v)
		}
	}
	medians := map[string]float64{}
	for name, v := range figures {
		slices.Sort(v)
		medians[name] = v[len(v)/2]
	}
	var m result
	b, err := json.Marshal(medians)
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		panic(err) // figures are numbers
	}
	return m
}

func (r result) figures() (f map[string]float64) {
	b, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		panic(err)
	}
	return f
}

var errMissed = errors.New("a target was missed")

// A target is a figure and its bound.
type target struct {
	what  string
	got   float64
	bound float64
	less  bool // the bound is a maximum
}

func (t target) met() bool {
	if t.less {
		return t.got <= t.bound
	}
	return t.got >= t.bound
}

func report(w io.Writer, p plan, all map[string]result) error {
	if err := table(w, all); err != nil {
		return err
	}
	missed, unknown := 0, 0
	for _, t := range targets(p, all) {
		sign, verdict := ">=", "ok"
		if t.less {
			sign = "<="
		}
		switch {
		case math.IsNaN(t.got):
			verdict = "not measured"
			unknown++
		case !t.met():
			verdict = "MISS"
			missed++
		}
		fmt.Fprintf(w, "%-44s %9.2f %s %-7g %s\n", t.what, t.got, sign, t.bound, verdict)
	}
	m := all["filemap"]
	verdict := "ok"
	switch {
	case missed > 0:
		verdict = "MISS"
	case unknown > 0:
		verdict = "incomplete"
	}
	fmt.Fprintf(w, "bench-store: n=%d load=%.0f/s get=%.0f/s get2=%.0f/s p50=%.2fus p99=%.2fus longest_put=%.1fms missed=%d not_measured=%d %s\n",
		p.N, m.Load, m.Get, m.Get2, m.P50, m.P99, m.PutMax, missed, unknown, verdict)
	if missed > 0 {
		return errMissed
	}
	return nil
}

func table(w io.Writer, all map[string]result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "k/s\tload\tget\tget 2\tview\tview 2\tmiss\tupdate\tcold get\tp50 µs\tp99 µs\tlongest put ms\treopen killed ms\tclean ms\tdisk MB\tanon MB\t")
	for _, name := range storeNames {
		r, ok := all[name]
		if !ok {
			continue
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.1f\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.0f\t%.0f\t\n", name,
			r.Load/1e3, r.Get/1e3, r.Get2/1e3, r.View/1e3, r.View2/1e3, r.Miss/1e3, r.Update/1e3, r.Cold/1e3, r.P50, r.P99, r.PutMax,
			r.ReopenDead*1e3, r.Reopen*1e3, r.Disk, r.Anon)
	}
	return t.Flush()
}

func targets(p plan, all map[string]result) []target {
	m, raw, pogreb, pebble := all["filemap"], all["raw"], all["pogreb"], all["pebble"]
	return []target{
		{"get / raw pread", ratio(m.Get, raw.Get), 0.7, false},
		{"cold get / raw pread", ratio(m.Cold, raw.Cold), 0.9, false},
		{"miss / pogreb", ratio(m.Miss, pogreb.Miss), 1.5, false},
		{"load / raw append and fdatasync", ratio(m.Load, raw.Load), 0.55, false},
		{"load / pogreb", ratio(m.Load, pogreb.Load), 2, false},
		{"load / pebble", ratio(m.Load, pebble.Load), 3, false},
		{"update / pebble", ratio(m.Update, pebble.Update), 1.2, false},
		{"index, bytes per entry", measured(m.Index), 12, true},
		{"10,000 warm gets, ms", measured(m.Get10k), 25, true},
		{"reopen after Close, ms", measured(m.Reopen) * 1e3, 100, true},
		{"reopen after a kill, s per million pages", measured(m.ReopenDead) / max(float64(p.N)/1e6, 0.1), 1, true},
	}
}
