package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"indexerd/internal/serve/daemon"
	"indexerd/internal/serve/httpapi"
)

const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 5 * time.Second
)

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

// watchLoads shows the progress of initial loads: bars on a terminal, log lines
// otherwise. It returns when every table is loaded.
func watchLoads(ctx context.Context, loads func() []daemon.Load, s *screen, log *slog.Logger) {
	if s.terminal {
		drawLoads(ctx, loads, s)
		return
	}
	every(ctx, lineEvery, func() bool {
		all := loads()
		for _, l := range all {
			if l.Running {
				log.Info("initial load", "table", l.Table, "rows", l.Done, "of", l.Of, "rows_per_s", int(l.Rate), "eta", l.ETA.Round(time.Second))
			}
		}
		return slices.ContainsFunc(all, func(l daemon.Load) bool { return !l.Loaded })
	})
}

func drawLoads(ctx context.Context, loads func() []daemon.Load, s *screen) {
	bars := map[string]*mpb.Bar{}
	var drawing *mpb.Progress
	every(ctx, barEvery, func() bool {
		all := loads()
		for i, l := range all {
			if l.Running && bars[l.Table] == nil {
				if drawing == nil {
					drawing = mpb.New(mpb.WithOutput(s.out), mpb.WithAutoRefresh())
					s.show(drawing)
				}
				bars[l.Table] = addBar(drawing, l, func() daemon.Load { return loads()[i] })
			}
			if bar := bars[l.Table]; bar != nil {
				bar.SetTotal(max(l.Of, 1), !l.Running)
				bar.SetCurrent(l.Done)
			}
		}
		return slices.ContainsFunc(all, func(l daemon.Load) bool { return !l.Loaded })
	})
	if drawing != nil {
		drawing.Shutdown()
		s.show(nil)
	}
}

func addBar(drawing *mpb.Progress, l daemon.Load, now func() daemon.Load) *mpb.Bar {
	numbers := func(decor.Statistics) string {
		l := now()
		return fmt.Sprintf(" %d of %d rows, %.0f rows/s, %v left", l.Done, l.Of, l.Rate, l.ETA.Round(time.Second))
	}
	return drawing.AddBar(max(l.Of, 1),
		mpb.PrependDecorators(decor.Name(l.Table+" "), decor.Percentage()),
		mpb.AppendDecorators(decor.Any(numbers)),
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

// A runBar shows the progress of a run on a terminal.
type runBar struct {
	drawing *mpb.Progress
	bar     *mpb.Bar
}

func newRunBar(w world) *runBar {
	if !isTerminal(w.stderr) {
		return &runBar{}
	}
	return &runBar{drawing: mpb.New(mpb.WithOutput(w.stderr), mpb.WithAutoRefresh())}
}

func (b *runBar) show(run httpapi.Run) {
	if b.drawing == nil || run.Of == 0 {
		return
	}
	if b.bar == nil {
		b.bar = b.drawing.AddBar(run.Of, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Name(run.Pass+" "), decor.Percentage()),
			mpb.AppendDecorators(decor.CountersNoUnit(" %d of %d")))
	}
	b.bar.SetTotal(run.Of, false)
	b.bar.SetCurrent(run.Done)
}

func (b *runBar) end() {
	if b.drawing == nil {
		return
	}
	if b.bar != nil {
		b.bar.Abort(true)
	}
	b.drawing.Shutdown()
}
