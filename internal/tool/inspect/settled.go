package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/internal/base/doc"
)

// settled reports how the table's settled time is found.
func (tc *tableCheck) settled() error {
	path := tc.path + ".compensate.horizon"
	switch {
	case tc.Horizon == nil:
		tc.add(horizonMode, path, "compared: the database has no horizon, so every change is followed by a full comparison", nothing)
		return nil
	case tc.Conf.Compensate.Horizon == "timeout":
		tc.assumed("horizon: timeout is set")
		return nil
	}
	h, known, err := ask(tc, "the horizon", tc.exactHorizon)
	switch {
	case !known:
		if errors.Is(err, doc.ErrUnavailable) {
			return err
		}
		return nil
	case h.Exact:
		tc.add(horizonMode, path, "exact: the database shows which transactions are open", nothing)
	case tc.Conf.Compensate.Horizon == "exact":
		tc.add(horizonNotExact, path, h.Reason, "remove the reason, or set horizon: auto")
	default:
		tc.assumed(h.Reason)
	}
	return nil
}

// exactHorizon reads the horizon. While a transaction is open whose begin the
// role can't see, it tries again for half of queryWithin.
func (tc *tableCheck) exactHorizon(ctx context.Context) (doc.Horizon, error) {
	for end := time.Now().Add(queryWithin / 2); ; {
		h, err := tc.Horizon.Horizon(ctx)
		if err != nil || h.Exact || !h.Hidden || time.Now().After(end) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return h, nil
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// assumed reports whether the database lets transactions stay open longer than
// the tiers look back.
func (tc *tableCheck) assumed(why string) {
	timeout := tc.Conf.AssumedTimeout()
	tc.add(horizonMode, tc.path+".compensate.horizon", fmt.Sprintf("assumed: no transaction may stay open longer than %s: %s", doc.ShortDuration(timeout), why), nothing)
	d := tc.servers[tc.Conf.Source]
	bound := cmp.Or(d.TransactionTimeout, d.IdleTimeout)
	what := "sets no limit"
	switch {
	case bound > timeout:
		what = "allows " + doc.ShortDuration(bound)
	case bound > 0:
		return
	}
	tc.add(unboundedTransactions, tc.path+".compensate.tiers", fmt.Sprintf("the tiers cover transactions of up to %s, but the database %s", doc.ShortDuration(timeout), what),
		fmt.Sprintf(d.Advice.Limit, int(timeout.Seconds())))
}
