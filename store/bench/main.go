// Command bench runs FileMap beside the embeddable Go stores, and beside the
// bare file system calls, on the same pages in one run, and says for each
// target ok or MISS.
//
//	go run . [-n 200000] [-rounds 1] [-stores filemap-mmap,pogreb]
//
// Each store works in processes of its own, so that its memory is its own: one
// loads and ends (FileMap without a Close, as in a crash), one opens and reads.
// A store that needs more than 10 minutes for one of the two is left out, and the
// report says so. Rounds are interleaved and a figure is the median of its rounds. It is a
// module of its own, so that the peers are no part of the product.
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

// A plan is what one run does to each store.
type plan struct {
	N      int    `json:"n"`      // pages
	Size   int    `json:"size"`   // mean bytes of a page
	Gets   int    `json:"gets"`   // random gets, by 1 and by 2 threads
	Store  string `json:"store"`  // for a child: which one
	Phase  string `json:"phase"`  // for a child: load or read
	Dir    string `json:"dir"`    // for a child
	Sample int    `json:"sample"` // gets whose time is taken one by one
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
	flag.IntVar(&rounds, "rounds", 0, "interleaved rounds, of which the median counts (default: 3, and 1 for more than a million pages)")
	flag.StringVar(&dir, "dir", "", "where to put the data (default: a temporary directory)")
	flag.StringVar(&names, "stores", strings.Join(storeNames, ","), "which to run; a ratio to another one is not measured")
	flag.StringVar(&child, "child", "", "for the command's own processes")
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
				fmt.Fprintf(os.Stderr, "%s is left out: %v\n", name, err)
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

// patience is how long one phase of one store may take.
const patience = 10 * time.Minute

// runStore lets two processes load and read one store.
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
