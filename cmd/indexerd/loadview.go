package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

// A screen is where the daemon writes. On a terminal, log lines are written
// above the progress bars while there are any.
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

// watchLoads shows the progress of initial loads: bars on a terminal, a line
// now and then elsewhere. It returns when every table is loaded.
func watchLoads(ctx context.Context, tables []*table, s *screen, log *slog.Logger) {
	if s.terminal {
		drawLoads(ctx, tables, s)
		return
	}
	every(ctx, lineEvery, func() bool {
		loading := false
		for _, t := range tables {
			marks, _ := t.trace.Table(t.conf.Name)
			loading = loading || !marks.Loaded
			if p := t.progress.Snapshot(); p.Running {
				log.Info("initial loading", "table", t.conf.Name, "rows", p.Done, "of", p.Of,
					"rows_per_s", int(p.Rate), "eta", p.ETA.Round(time.Second))
			}
		}
		return loading
	})
}

func drawLoads(ctx context.Context, tables []*table, s *screen) {
	bars := map[*table]*mpb.Bar{}
	var drawing *mpb.Progress
	every(ctx, barEvery, func() bool {
		loading := false
		for _, t := range tables {
			marks, _ := t.trace.Table(t.conf.Name)
			loading = loading || !marks.Loaded
			p := t.progress.Snapshot()
			if p.Running && bars[t] == nil {
				if drawing == nil {
					drawing = mpb.New(mpb.WithOutput(s.out), mpb.WithAutoRefresh())
					s.show(drawing)
				}
				bars[t] = addBar(drawing, t, p.Of)
			}
			if bar := bars[t]; bar != nil {
				bar.SetTotal(max(p.Of, 1), !p.Running)
				bar.SetCurrent(p.Done)
			}
		}
		return loading
	})
	if drawing != nil {
		drawing.Shutdown()
		s.show(nil)
	}
}

func addBar(drawing *mpb.Progress, t *table, rows int64) *mpb.Bar {
	figures := func(decor.Statistics) string {
		p := t.progress.Snapshot()
		return fmt.Sprintf(" %d of %d rows, %.0f rows/s, %v to go", p.Done, p.Of, p.Rate, p.ETA.Round(time.Second))
	}
	return drawing.AddBar(max(rows, 1),
		mpb.PrependDecorators(decor.Name(t.conf.Name+" "), decor.Percentage()),
		mpb.AppendDecorators(decor.Any(figures)),
	)
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
