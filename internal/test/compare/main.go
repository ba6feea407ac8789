// Compare measures the CPU time that two commits take for a row.
//
//	go run ./internal/test/compare -old COMMIT [-new COMMIT] [-rounds 10] [-rows 100000]
//
// COMMIT may also be the name of a binary.
//
// It builds the daemon of both commits and runs it on the same databases:
// PostgreSQL and SQLite, with and without three children for each row. In a round
// each loads the table into a new data directory, stops and starts again. Then both
// sweep, in alternation. In every other round the new commit is first. All
// measurement is outside of the daemon, so it is the same for both.
//
// The time is user and system CPU of the daemon: for a load that of the whole
// process, for a sweep that between its request and its end. The CPU of the
// PostgreSQL server is printed beside it, since work may move between the two.
//
// Each line has medians over the rounds, the ratio of new to old, and the lowest
// and highest ratio of a single round, which is the noise. A ratio above 1.05 is a
// MISS and makes the exit code 1. The server's ratio is not judged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"indexerd/internal/test/pgtest/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// run prints the comparison. It returns an error if a ratio is a miss.
func run(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	older := flags.String("old", "", "the commit to compare with")
	newer := flags.String("new", "HEAD", "the commit to judge")
	rounds := flags.Int("rounds", 10, "how often each commit runs")
	rows := flags.Int("rows", 100_000, "rows of the table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *older == "" || *rounds < 1 || *rows < 1 || flags.NArg() > 0 {
		return errors.New("name a commit with -old, and positive numbers with -rounds and -rows")
	}
	dir, err := os.MkdirTemp("", "indexerd-compare-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var binaries [2]string
	for i, commit := range []string{*older, *newer} {
		if binaries[i], err = build(ctx, commit, filepath.Join(dir, fmt.Sprint("source", i))); err != nil {
			return err
		}
	}
	server, err := cluster.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	subjects, err := makeSubjects(ctx, dir, server.DSN(), *rows)
	if err != nil {
		return err
	}
	return compare(ctx, dir, binaries, subjects, *rounds, *rows)
}

// compare runs all rounds and prints the result of each subject.
func compare(ctx context.Context, dir string, binaries [2]string, subjects []subject, rounds, rows int) error {
	missed := false
	fmt.Printf("%d rows, %d rounds, CPU in µs a row: old, new, new/old (lowest to highest of a round)\n", rows, rounds)
	for _, s := range subjects {
		var load, sweep series
		for round := range rounds {
			loads, swept, err := s.measure(ctx, binaries, filepath.Join(dir, "run"), round%2)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", s.name, round+1, err)
			}
			for i := range binaries {
				load[i], sweep[i] = append(load[i], loads[i]), append(sweep[i], swept[i])
			}
		}
		for _, line := range []struct {
			pass string
			series
		}{{"load", load}, {"sweep", sweep}} {
			text, ok := line.line(rows, s.server != nil)
			fmt.Printf("%-8s %-5s  %s\n", s.name, line.pass, text)
			missed = missed || !ok
		}
	}
	if missed {
		return fmt.Errorf("MISS: a ratio is above %.2f", most)
	}
	return nil
}
