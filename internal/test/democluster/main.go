// Command democluster shows two daemons beside a cluster on this machine:
//
//	go run ./internal/test/democluster -indexerd ./indexerd
//
// It starts PostgreSQL with the job orders of indexerd demo, OpenSearch, HBase, etcd and
// Redis, each with a separate directory and on free ports, and two daemons. It changes
// orders, and prints which daemon leads. A daemon that ends is started again ten seconds
// later, as systemd does, so that the reader can kill the leader. SIGINT and SIGTERM end
// and remove everything.
//
// Maven fetches OpenSearch and HBase once, about 200 MB. All of it takes 3 GB of memory,
// and a minute to start.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
)

// options say what to run.
type options struct {
	indexerd string // the program
	orders   int
}

func main() {
	var o options
	flag.StringVar(&o.indexerd, "indexerd", "./indexerd", "the program of the daemons")
	flag.IntVar(&o.orders, "orders", 5000, "job orders to create")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "democluster:", err)
		os.Exit(1)
	}
}

// run runs the demo until ctx ends.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "indexerd-democluster-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var s servers
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx, dir); err != nil {
		return err
	}
	if err := createOrders(ctx, dir, s.dsn, o.orders); err != nil {
		return fmt.Errorf("create orders: %w", err)
	}
	daemons, err := newDaemons(dir, o.indexerd, s)
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, d := range daemons {
		group.Go(func() error { return d.keep(ctx) })
	}
	group.Go(func() error { return changeOrders(ctx, s.dsn) })
	group.Go(func() error {
		explain(daemons)
		watch(ctx, daemons)
		return nil
	})
	return group.Wait()
}
