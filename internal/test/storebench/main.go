// Command bench compares FileMap with embeddable Go stores and with bare file
// system calls, on the same pages, and prints ok or MISS for each target.
//
//	go run . [-n 200000] [-rounds 1] [-stores filemap,pogreb]
//
// Each store runs in two processes, so that their memory can be measured: one
// loads and ends (FileMap without Close, as in a crash), one opens and reads. A
// store that takes more than 10 minutes in one of them is skipped, with a line on
// stderr. Rounds are interleaved; a figure is the median of its rounds. The
// command is a separate module, so that the product does not depend on the other
// stores.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A plan describes the run of one store.
type plan struct {
	N      int    `json:"n"`      // pages
	Size   int    `json:"size"`   // mean bytes of a page
	Gets   int    `json:"gets"`   // random gets, with 1 and with 2 threads
	Store  string `json:"store"`  // of a child process
	Phase  string `json:"phase"`  // of a child process: load or read
	Dir    string `json:"dir"`    // of a child process
	Sample int    `json:"sample"` // gets that are timed one by one
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var p plan
	var rounds int
	var dir, child, names string
	flag.IntVar(&p.N, "n", 200_000, "pages")
	flag.IntVar(&p.Size, "size", 1024, "mean bytes of a page")
	flag.IntVar(&p.Gets, "gets", 1_000_000, "random gets")
	flag.IntVar(&rounds, "rounds", 0, "interleaved rounds; a figure is their median (default: 3, and 1 for more than a million pages)")
	flag.StringVar(&dir, "dir", "", "directory for the data (default: a temporary directory)")
	flag.StringVar(&names, "stores", strings.Join(storeNames, ","), "stores to run; ratios to other stores are not measured")
	flag.StringVar(&child, "child", "", "internal: the plan of a child process")
	flag.Parse()
	if child != "" {
		return runChild(child)
	}
	p.Sample = 100_000
	if rounds == 0 && p.N <= 1_000_000 {
		rounds = 3
	}
	rounds = max(rounds, 1)
	if dir == "" {
		tmp, err := os.MkdirTemp("", "bench-store-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	all, err := runRounds(p, dir, rounds, strings.Split(names, ","))
	if err != nil {
		return err
	}
	return report(os.Stdout, p, all)
}

// runRounds returns the medians of every store that was not too slow.
func runRounds(p plan, dir string, rounds int, names []string) (map[string]result, error) {
	got := map[string][]result{}
	slow := map[string]bool{}
	for round := range rounds {
		for _, name := range names {
			if slow[name] {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, name)
			p.Store, p.Dir = name, filepath.Join(dir, name)
			r, err := runStore(p)
			slow[name] = errors.Is(err, context.DeadlineExceeded)
			if err != nil && !slow[name] {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if slow[name] {
				fmt.Fprintf(os.Stderr, "%s is skipped: %v\n", name, err)
				delete(got, name)
			} else {
				got[name] = append(got[name], r)
			}
			if err := os.RemoveAll(p.Dir); err != nil {
				return nil, err
			}
		}
	}
	all := map[string]result{}
	for name, results := range got {
		all[name] = median(results)
	}
	return all, nil
}

// patience is the maximum time of one phase of one store.
const patience = 10 * time.Minute

// runStore loads and reads one store in two processes.
func runStore(p plan) (result, error) {
	var r result
	for _, phase := range []string{"load", "read"} {
		p.Phase = phase
		out, err := runPhase(p)
		if err != nil {
			return r, fmt.Errorf("%s: %w", phase, err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

func runPhase(p plan) ([]byte, error) {
	arg, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-child", string(arg))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("more than %v: %w", patience, ctx.Err())
	}
	return out, err
}
