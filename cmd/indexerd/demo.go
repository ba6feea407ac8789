package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"indexerd/configs"
	"indexerd/internal/base/terminal"
	"indexerd/internal/tool/demo"
)

type demoCommand struct {
	Listen string `default:"127.0.0.1:7700" placeholder:"ADDR" help:"The address to listen on; a free port if 7700 is in use (${default})."`
	Dir    string `placeholder:"DIR" help:"The directory of the demo; by default a temporary one that is removed at the end."`
	Rows   int    `default:"20000" placeholder:"N" help:"Job orders to create (${default})."`
	Seed   uint64 `default:"1" placeholder:"N" help:"The seed of the random orders (${default})."`
}

// Help implements kong.HelpProvider.
func (demoCommand) Help() string {
	return "Creates a SQLite database of a freight company's job orders, in English and Chinese, indexes it\n" +
		"and keeps changing it. Nothing else needs to be installed.\n\n" +
		"Example:\n  indexerd demo"
}

// Run creates the demo and runs it until ctx ends.
func (c demoCommand) Run(ctx context.Context, w world) (err error) {
	if c.Rows < 1 {
		return coded{fmt.Errorf("demo: --rows %d: write at least 1", c.Rows), exitBad}
	}
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "indexerd-demo-"); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	listen, err := freeAddress(c.Listen)
	if err != nil {
		return coded{fmt.Errorf("demo: %w", err), exitBad}
	}
	config := demo.Config{Dir: c.Dir, Rows: c.Rows, Seed: c.Seed}
	fmt.Fprintf(w.stderr, "creating %d job orders in %s\n", c.Rows, c.Dir)
	if err := demo.Create(ctx, config); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	file := filepath.Join(c.Dir, "demo.yaml")
	yaml := demo.YAML(c.Dir, listen)
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	cfg, err := configs.Parse(file, []byte(yaml), w.getenv)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	writing := make(chan error, 1)
	go func() {
		err := config.Write(ctx)
		if err != nil && ctx.Err() == nil {
			stop(fmt.Errorf("demo: write orders: %w", err))
		}
		writing <- err
	}()
	err = runDaemon(ctx, cfg, w, nil, func(address string) { c.printExamples(w, file, address) })
	stop(nil)
	<-writing // its directory is removed next
	return err
}

// printExamples prints the address and some searches.
func (c demoCommand) printExamples(w world, file, address string) {
	base, me := "http://"+address, os.Args[0]
	fmt.Fprintf(w.stdout, "\nThe indexerd demo listens on %s\nOpen it in a browser, or search from another terminal:\n\n", base)
	for _, example := range demo.Searches() {
		fmt.Fprintf(w.stdout, "  %s\n    %s search -c %s job_order %s\n    curl -sG --data-urlencode %s %s/api/v1/tables/job_order/search\n\n",
			example.What, me, file, terminal.Quote(example.Query), terminal.Quote("q="+example.Query), base)
	}
	fmt.Fprintf(w.stdout, "  the state of the table\n    %s status -c %s\n\nOrders keep changing. A search finds a change about a second later. Ctrl-C stops the demo.\n\n", me, file)
}

// freeAddress returns address, or the same host with a free port if the port is in
// use.
func freeAddress(address string) (string, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, splitErr := net.SplitHostPort(address)
		if splitErr != nil {
			return "", splitErr
		}
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
