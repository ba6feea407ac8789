package daemon

import (
	"context"
	"log/slog"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/moves"
	"indexerd/internal/serve/tables"
)

// An order that comes as a storage breaks waits for the next engine. If it were lost,
// its run would never end.
func TestOrderBesideAnotherEnd(t *testing.T) {
	cfg := &configs.Config{}
	d := &daemon{Options: Options{Log: slog.New(slog.DiscardHandler)}, cfg: cfg, orders: make(chan order, maxOrders)}
	e := newEngine(cfg, nil)
	_, move := moves.NewLive(t.Context(), cfg, cfg, nil, nil)
	for _, c := range []struct {
		first error // that ends the engine; nil: the order does
		waits int
	}{{tables.ErrBroken, 1}, {nil, 0}} {
		ctx, end := context.WithCancelCause(t.Context())
		d.orders <- order{move: move}
		d.takeOrders(ctx, e, func(cause error) {
			if c.first != nil {
				end(c.first)
			}
			end(cause)
		})
		if got := len(d.orders); got != c.waits {
			t.Errorf("ended by %v: %d orders wait, want %d", context.Cause(ctx), got, c.waits)
		}
		for len(d.orders) > 0 {
			<-d.orders
		}
	}
}
