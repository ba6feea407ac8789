package inspect

import (
	"context"
	"errors"
	"fmt"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// settled says how what is settled will be known, and why.
func (l *look) settled() error {
	path := l.path + ".compensate.horizon"
	switch {
	case l.Horizon == nil:
		l.add(horizonMode, path, "compared: the database can't tell what may still come, so everything is compared whenever it has changed", nothing)
		return nil
	case l.Conf.Compensate.Horizon == "timeout":
		l.assumed("horizon: timeout is set")
		return nil
	}
	var h doc.Horizon
	known, err := l.probe("the horizon", func(ctx context.Context) (err error) {
		h, err = l.proven(ctx)
		return err
	})
	switch {
	case !known:
		if errors.Is(err, doc.ErrUnavailable) {
			return err
		}
		return nil
	case h.Exact:
		l.add(horizonMode, path, "exact: the database tells which transactions are open", nothing)
	case l.Conf.Compensate.Horizon == "exact":
		l.add(horizonNotExact, path, h.Reason, "do what it says, or set horizon: auto")
	default:
		l.assumed(h.Reason)
	}
	return nil
}

// proven reads the horizon. What was open unseen when the first was read hides
// it, mostly for a moment.
func (l *look) proven(ctx context.Context) (doc.Horizon, error) {
	for end := time.Now().Add(probeWithin / 2); ; {
		h, err := l.Horizon.Horizon(ctx)
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

// assumed compares the longest transaction that the tiers allow for with what
// the database allows.
func (l *look) assumed(why string) {
	timeout := longest(l.Conf)
	l.add(horizonMode, l.path+".compensate.horizon", fmt.Sprintf("assumed, that no transaction stays open longer than %s: %s", span(timeout), why), nothing)
	d := l.servers[l.Conf.Source]
	bound := d.TransactionTimeout
	if bound == 0 {
		bound = d.IdleTimeout
	}
	what := "lets transactions stay open for ever"
	switch {
	case bound > timeout:
		what = "lets them stay open for " + span(bound)
	case bound > 0:
		return
	}
	l.add(unboundedTransactions, l.path+".compensate.tiers", fmt.Sprintf("the last tier allows for transactions of %s, and the database %s", span(timeout), what),
		fmt.Sprintf("ALTER DATABASE ... SET idle_in_transaction_session_timeout = '%ds', or transaction_timeout from PostgreSQL 17 on", int(timeout.Seconds())))
}

// longest is the longest transaction that the configuration allows for.
func longest(t configs.Table) time.Duration {
	d := t.TransactionTimeout
	for _, tier := range t.Compensate.Tiers {
		d = max(d, tier.Timeout)
	}
	return d
}
