package store

import (
	"context"
	"time"
)

func halfGarbage(garbage, size int64) bool { return garbage > 0 && garbage*2 >= size }

// plan groups the closed segments to rewrite: those with enough garbage, and
// runs of small neighbours, which become one segment.
func (m *FileMap) plan(enough func(garbage, size int64) bool) (groups [][]*segment) {
	order := *m.order.Load()
	var g group
	clean := true // the segments before hold no garbage, or lose it in this compaction
	for _, s := range order[:len(order)-1] {
		size := s.end.Load()
		garbage := s.garbage(clean)
		wanted := enough(garbage, size)
		if !wanted && s.dead.Load() > 0 {
			clean = false
		}
		small := size < m.options.SegmentBytes/8
		if len(g.segments) > 0 && (!wanted && !small || g.live+size-garbage > m.options.SegmentBytes) {
			groups = g.appendTo(groups)
			g = group{}
		}
		if wanted || small {
			g.segments = append(g.segments, s)
			g.live += size - garbage
			g.wanted = g.wanted || wanted
		}
	}
	return g.appendTo(groups)
}

// A group is a run of neighbouring segments that fit into one.
type group struct {
	segments []*segment
	live     int64
	wanted   bool // one of them has enough garbage
}

// appendTo appends the group if it is worth rewriting.
func (g *group) appendTo(groups [][]*segment) [][]*segment {
	if g.wanted || len(g.segments) > 1 {
		groups = append(groups, g.segments)
	}
	return groups
}

// A pacer limits the rate of copying.
type pacer struct {
	rate  int64 // bytes per second; below 0: unlimited
	start time.Time
	bytes int64
}

func (p *pacer) wait(ctx context.Context, n int) error {
	p.bytes += int64(n)
	if p.rate < 0 {
		return ctx.Err()
	}
	due := p.start.Add(time.Duration(float64(p.bytes) / float64(p.rate) * float64(time.Second)))
	t := time.NewTimer(time.Until(due))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
