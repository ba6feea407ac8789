// Command withpg runs a command with a private PostgreSQL server:
//
//	go run ./internal/pgtest/withpg go test ./...
//
// The command finds the server in INDEXERD_TEST_PG. The server is stopped and
// removed when the command has ended, or when withpg is interrupted or
// terminated or its parent has ended. The exit code is the command's.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"indexerd/internal/pgtest/cluster"
)

// grace is the time that the command has to end after SIGTERM.
const grace = 10 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: withpg command [argument ...]")
		os.Exit(2)
	}
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpg:", err)
	}
	os.Exit(code)
}

// run returns the command's exit code, or 1 and an error if the command could
// not run.
func run(command []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go watchParent(ctx, cancel)

	server, err := cluster.Start(ctx)
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := server.Stop(); stopErr != nil {
			code, err = 1, errors.Join(err, stopErr)
		}
	}()

	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "INDEXERD_TEST_PG="+server.DSN())
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = grace
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// watchParent calls cancel when the parent has ended: "go run" does not pass a
// SIGTERM on, and the server would run for ever.
func watchParent(ctx context.Context, cancel func()) {
	parent := os.Getppid()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				cancel()
				return
			}
		}
	}
}
