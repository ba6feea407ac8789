package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"indexerd/internal/base/progress"
	"indexerd/internal/serve/daemon"
)

const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// A shown is what stderr shows of the work of a command while it goes on: on a terminal a
// bar, which leaves nothing behind, otherwise a line every few seconds. Work that takes
// less, or can't be counted, shows no line. All commands show the same parts: what is done, how much of it, the
// rate, and the time that is left.
type shown struct {
	what     string // the command, and its table
	terminal bool
	out      io.Writer

	mu      sync.Mutex
	lined   time.Time
	drawing *mpb.Progress // nil: nothing is drawn
	bar     *bar
}

func newShown(w world, what string) *shown {
	return &shown{what: what, terminal: isTerminal(w.stderr), out: w.stderr, lined: time.Now()}
}

// show shows a reading of work that goes on.
func (s *shown) show(r progress.Reading) {
	if !r.Running {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.terminal && s.drawing == nil:
		s.drawing = mpb.New(mpb.WithOutput(s.out), mpb.WithAutoRefresh())
		s.bar = newBar(s.drawing)
		fallthrough
	case s.terminal:
		s.bar.set(s.title(r), r, false)
	case time.Since(s.lined) >= lineEvery && r.String() != "":
		s.lined = time.Now()
		fmt.Fprintf(s.out, "%s: %s\n", s.title(r), r)
	}
}

// title returns the command with the step of its work.
func (s *shown) title(r progress.Reading) string {
	if r.Step == "" {
		return s.what
	}
	return s.what + ": " + r.Step
}

// print has other text printed, above the bar.
func (s *shown) print(text func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
	text()
}

// end removes the bar.
func (s *shown) end() { s.print(func() {}) }

func (s *shown) clear() {
	if s.drawing == nil {
		return
	}
	s.bar.Abort(true)
	s.drawing.Wait()
	s.drawing = nil
}

// watch shows what a meter counts, until stop is called.
func watch(w world, what string, m *progress.Meter) (s *shown, stop func()) {
	s = newShown(w, what)
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	watching.Go(func() {
		every(ctx, barEvery, func() bool { s.show(m.Reading()); return true })
	})
	return s, func() {
		cancel()
		watching.Wait()
		s.end()
	}
}

// A bar is the bar of a reading:
//
//	verify film 41 % [=====>-------] 410 of 1000 rows, 90 rows/s, 7s left
type bar struct {
	*mpb.Bar
	title, numbers, percent atomic.Pointer[string]
}

func newBar(drawing *mpb.Progress) *bar {
	b := new(bar)
	text := func(p *atomic.Pointer[string], form string) decor.Decorator {
		return decor.Any(func(decor.Statistics) string {
			if s := p.Load(); s != nil && *s != "" {
				return fmt.Sprintf(form, *s)
			}
			return ""
		})
	}
	b.Bar = drawing.AddBar(0,
		mpb.PrependDecorators(text(&b.title, "%s "), text(&b.percent, "%s ")),
		mpb.AppendDecorators(text(&b.numbers, " %s")),
	)
	return b
}

// set shows a reading. A bar that is complete stays as it is.
func (b *bar) set(title string, r progress.Reading, complete bool) {
	numbers, percent := strings.Join(r.Numbers(), ", "), ""
	if r.Of > 0 {
		percent = fmt.Sprintf("%d %%", 100*r.Done/r.Of)
	}
	b.title.Store(&title)
	b.numbers.Store(&numbers)
	b.percent.Store(&percent)
	b.SetCurrent(r.Done)
	b.SetTotal(max(r.Of, r.Done, 1), complete)
}

// A screen is the output of the daemon. On a terminal, it writes log lines above
// the progress bars.
type screen struct {
	terminal bool
	out      io.Writer

	mu   sync.Mutex
	bars *mpb.Progress
}

func newScreen(out io.Writer) *screen { return &screen{terminal: isTerminal(out), out: out} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bars != nil {
		if n, err := s.bars.Write(b); err == nil {
			return n, nil
		}
	}
	return s.out.Write(b)
}

func (s *screen) show(bars *mpb.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bars = bars
}

// mostLoads is how many tables that are being loaded are shown at a time. Of more, those
// that are loaded are counted.
const mostLoads = 8

// watchLoads shows the progress of initial loads: bars on a terminal, log lines
// otherwise. It returns when every table is loaded.
func watchLoads(ctx context.Context, loads func() []daemon.Load, s *screen, log *slog.Logger) {
	if s.terminal {
		drawLoads(ctx, loads, s)
		return
	}
	tables := new(progress.Meter)
	every(ctx, lineEvery, func() bool {
		all := loads()
		logLoads(all, tables, log)
		return slices.ContainsFunc(all, unloaded)
	})
}

func unloaded(l daemon.Load) bool { return !l.Loaded }

// countLoads has a meter count the tables that are loaded.
func countLoads(all []daemon.Load, tables *progress.Meter) progress.Reading {
	loaded := 0
	for _, l := range all {
		if l.Loaded {
			loaded++
		}
	}
	tables.Set(int64(loaded), int64(len(all)))
	r := tables.Reading()
	r.Unit = "tables"
	return r
}

// logLoads logs how far the loads have come that go on.
func logLoads(all []daemon.Load, tables *progress.Meter, log *slog.Logger) {
	whole := countLoads(all, tables)
	var running []daemon.Load
	for _, l := range all {
		if l.Running {
			running = append(running, l)
		}
	}
	if len(running) > mostLoads {
		log.Info("initial loads", "running", len(running), "tables", whole.Done, "of", whole.Of, "eta", whole.Left.Round(time.Second))
		return
	}
	for _, l := range running {
		log.Info("initial load", "table", l.Table, "rows", l.Done, "of", l.Of, "rows_per_s", int(l.Rate), "eta", l.Left.Round(time.Second))
	}
}

// A loadBars is the bars of loads: one for each table, which stays when the table is loaded;
// or, if there are many tables, one for each that has come some way, at most mostLoads at a
// time, and below them one for all.
type loadBars struct {
	drawing *mpb.Progress
	many    bool
	bars    map[string]*bar
	tables  progress.Meter
	whole   *bar // nil unless there are many
	drawn   int  // bars of tables
}

// drawLoads draws how far loads have come.
func drawLoads(ctx context.Context, loads func() []daemon.Load, s *screen) {
	var d *loadBars
	every(ctx, barEvery, func() bool {
		all := loads()
		if d == nil && slices.ContainsFunc(all, func(l daemon.Load) bool { return l.Running }) {
			d = newLoadBars(len(all), s)
		}
		if d != nil {
			d.show(all)
		}
		return slices.ContainsFunc(all, unloaded)
	})
	if d != nil {
		d.end()
		s.show(nil)
	}
}

func newLoadBars(tables int, s *screen) *loadBars {
	d := &loadBars{drawing: mpb.New(mpb.WithOutput(s.out), mpb.WithAutoRefresh()), many: tables > mostLoads, bars: map[string]*bar{}}
	s.show(d.drawing)
	if d.many {
		d.whole = newBar(d.drawing)
		d.whole.SetPriority(tables)
	}
	return d
}

// show shows the loads.
func (d *loadBars) show(all []daemon.Load) {
	for _, l := range all {
		b := d.bars[l.Table]
		switch {
		case b == nil && l.Running && (!d.many || l.Done > 0 && l.Done < l.Of && d.drawn < mostLoads):
			b = newBar(d.drawing)
			d.bars[l.Table] = b
			d.drawn++
		case b == nil:
			continue
		case d.many && !l.Running:
			b.Abort(true)
			delete(d.bars, l.Table)
			d.drawn--
			continue
		}
		b.set(l.Table, l.Reading, !l.Running)
	}
	if d.whole != nil {
		d.whole.set("loaded", countLoads(all, &d.tables), false)
	}
}

// end leaves the bars of tables that are loaded, unless there are many.
func (d *loadBars) end() {
	for _, b := range d.bars {
		b.Abort(d.many)
	}
	if d.whole != nil {
		d.whole.Abort(true)
	}
	d.drawing.Wait()
}

// every calls f at an interval until it returns false or ctx ends.
func every(ctx context.Context, d time.Duration, f func() bool) {
	ticks := time.NewTicker(d)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
			if !f() {
				return
			}
		}
	}
}
