// Command withpg runs a command with a private PostgreSQL server:
//
//	go run ./internal/test/pgtest/withpg go test ./...
//
// The command finds the server in INDEXERD_TEST_PG. The server is stopped and
// removed when the command has ended, or when withpg is interrupted or
// terminated or its parent has ended. The exit code is the command's.
//
// With -release 14.19 the server is of that release, which withpg fetches if
// needed: see package release. With -pooler the command also finds the address
// of a connection pooler in front of the server in INDEXERD_TEST_POOLER.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest/cluster"
	"indexerd/internal/test/pgtest/release"
)

// grace is the time that the command has to end after SIGTERM.
const grace = 10 * time.Second

// options say what to start.
type options struct {
	release string // "": the installed one
	pooler  bool
}

func main() {
	var o options
	flag.StringVar(&o.release, "release", "", "fetch and start this release of PostgreSQL")
	flag.BoolVar(&o.pooler, "pooler", false, "start a connection pooler too")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: withpg [-release version] [-pooler] command [argument ...]")
		os.Exit(2)
	}
	code, err := run(o, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "withpg:", err)
	}
	os.Exit(code)
}

// run returns the command's exit code, or 1 and an error if the command could
// not run.
func run(o options, command []string) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go watchParent(ctx, cancel)

	if o.release != "" {
		if err := useRelease(ctx, o.release); err != nil {
			return 1, err
		}
	}
	server, err := cluster.Start(ctx)
	if err != nil {
		return 1, err
	}
	defer func() { code, err = stopped(server.Stop(), code, err) }()
	if err := checkRelease(ctx, server, o.release); err != nil {
		return 1, err
	}
	env := append(os.Environ(), "INDEXERD_TEST_PG="+server.DSN())
	if !o.pooler {
		return runCommand(ctx, command, env)
	}
	pooler, err := cluster.StartPooler(server.DSN())
	if err != nil {
		return 1, err
	}
	defer pooler.Stop()
	return runCommand(ctx, command, append(env, "INDEXERD_TEST_POOLER="+pooler.Address()))
}

// useRelease puts a release's programs before those of every other version, for
// this process and for the command.
func useRelease(ctx context.Context, version string) error {
	programs, err := release.Programs(ctx, version)
	if err != nil {
		return err
	}
	return os.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// checkRelease checks that the server is of a release, or of any if want is "".
func checkRelease(ctx context.Context, server *cluster.Cluster, want string) error {
	if want == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, server.DSN())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var got string
	if err := conn.QueryRow(ctx, "SHOW server_version").Scan(&got); err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the server is PostgreSQL %s, want %s", got, want)
	}
	return nil
}

// stopped adds the error of a server that was stopped to a result.
func stopped(stopErr error, code int, err error) (int, error) {
	if stopErr != nil {
		return 1, errors.Join(err, stopErr)
	}
	return code, err
}

func runCommand(ctx context.Context, command, env []string) (code int, err error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = env
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
