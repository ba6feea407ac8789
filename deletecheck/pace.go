package deletecheck

import (
	"context"
	"time"
)

// A pace knows how long was worked since the last rest.
type pace struct {
	take  func(ctx context.Context, worked time.Duration) error
	since time.Time
}

func newPace(take func(context.Context, time.Duration) error) *pace {
	return &pace{take: take, since: time.Now()}
}

func (p *pace) rest(ctx context.Context) error {
	if p.take != nil {
		if err := p.take(ctx, time.Since(p.since)); err != nil {
			return err
		}
	}
	p.since = time.Now()
	return ctx.Err()
}
