// Command smoke runs every target of the Makefile that CI does not run, each with its
// smallest size, so that a target that no longer works is noticed:
//
//	make smoke
//
// It prints a line for each target: ok, or why it or a part of it was not run. It fails
// if a target fails, if a recipe names a package or a test that does not exist, or if the
// Makefile has a target that it does not know. A target that compares speeds may miss its
// bounds, since it measures too little here.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience is how long one target may take.
const patience = 10 * time.Minute

func main() {
	if filepath.Base(os.Args[0]) == "go" {
		fmt.Fprintln(os.Stderr, asGo(os.Args[1:]))
		os.Exit(1)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
		os.Exit(1)
	}
}

// run runs the targets with these names, or all.
func run(names []string) error {
	began := time.Now()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		return err
	}
	if faults := unlisted(string(makefile)); faults != nil {
		return errors.New(strings.Join(faults, "; "))
	}
	chosen, err := choose(names)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "indexerd-smoke-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env, vars, err := builds(dir)
	if err != nil {
		return err
	}
	s := &smoke{env: env, vars: vars}
	fmt.Printf("smoke: built in %.0f s\n", time.Since(began).Seconds())
	s.all(chosen)
	verdict := "ok"
	if s.failed > 0 {
		verdict = "MISS"
	}
	fmt.Printf("smoke: targets=%d ok=%d not_run=%d failed=%d took_s=%.0f %s\n", len(chosen), s.ok, s.notRun, s.failed, time.Since(began).Seconds(), verdict)
	if s.failed > 0 {
		return fmt.Errorf("%d targets failed", s.failed)
	}
	return nil
}

func choose(names []string) (chosen []target, err error) {
	if len(names) == 0 {
		return targets, nil
	}
	for _, name := range names {
		n := len(chosen)
		for _, t := range targets {
			if t.name == name {
				chosen = append(chosen, t)
			}
		}
		if len(chosen) == n {
			return nil, fmt.Errorf("there is no target %s", name)
		}
	}
	return chosen, nil
}

// A smoke is a run of targets.
type smoke struct {
	env, vars []string

	mu                 sync.Mutex // guards what follows, and lines of the output
	ok, notRun, failed int
}

// all runs targets, twice as many at a time as there are processors: most of them wait.
func (s *smoke) all(all []target) {
	queue := make(chan target, len(all))
	for _, t := range all {
		queue <- t
	}
	close(queue)
	var workers sync.WaitGroup
	for range 2 * runtime.NumCPU() {
		workers.Go(func() {
			for t := range queue {
				s.print(t, s.one(t))
			}
		})
	}
	workers.Wait()
}

// A result is what became of a target.
type result struct {
	err    error
	output string
	took   time.Duration
	cpu    time.Duration // of the processes that were waited for
	run    bool
	notRun []string // parts, with the reason
}

func (s *smoke) print(t target, r result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reasons := strings.Join(r.notRun, "; ")
	switch {
	case r.err != nil:
		s.failed++
		fmt.Printf("%s\nsmoke %s: FAILED after %.1f s: %v\n", r.output, t.name, r.took.Seconds(), r.err)
	case !r.run:
		s.notRun++
		fmt.Printf("smoke %s: NOT RUN: %s; its recipe names what exists\n", t.name, reasons)
	case reasons != "":
		s.ok++
		fmt.Printf("smoke %s: ok, %.1f s, CPU %.1f s; NOT RUN: %s\n", t.name, r.took.Seconds(), r.cpu.Seconds(), reasons)
	default:
		s.ok++
		fmt.Printf("smoke %s: ok, %.1f s, CPU %.1f s\n", t.name, r.took.Seconds(), r.cpu.Seconds())
	}
}

// one runs a target.
func (s *smoke) one(t target) (r result) {
	if r.err = checkRecipe(t); r.err != nil {
		return r
	}
	if t.without != "" {
		r.notRun = append(r.notRun, t.without)
	}
	for _, name := range t.needs {
		if _, err := os.Stat(cached(name)); err != nil {
			r.notRun = append(r.notRun, "without "+cached(name)+" it takes minutes")
		}
	}
	if len(r.notRun) > 0 && t.vars == "" && t.refuse == "" {
		return r
	}
	began := time.Now()
	err := s.make(t, &r)
	r.took = time.Since(began)
	r.judge(t, err)
	return r
}

// cached expands the user's cache in the name of a file.
func cached(name string) string {
	cache, _ := os.UserCacheDir() // without one the file does not exist
	return strings.Replace(name, "$CACHE", cache, 1)
}

var (
	skipped = regexp.MustCompile(`(?m)^(?:    \w+\.go:\d+: (.*)\n)?--- SKIP: (\w+)`)
	passed  = regexp.MustCompile(`(?m)^(--- PASS: |Benchmark\w+.*\t|ok  \t)`)
	none    = regexp.MustCompile(`(?m)no tests to run|no test files`)
)

// judge decides by the end of a target and its output what became of it.
func (r *result) judge(t target, err error) {
	r.run = true
	for _, m := range skipped.FindAllStringSubmatch(r.output, -1) {
		r.notRun = append(r.notRun, strings.TrimSpace(m[2]+": "+m[1]))
	}
	missed := t.judges && strings.Contains(r.output, "MISS")
	switch {
	case t.refuse != "":
		if r.run = false; err == nil || !strings.Contains(r.output, t.refuse) {
			r.err = fmt.Errorf("got error %w, want it to fail and to print %q", err, t.refuse)
		}
	case err != nil && !missed:
		r.err = err
	case none.MatchString(r.output):
		r.err = errors.New("it runs no test")
	case strings.Contains(r.output, "--- SKIP: ") && !passed.MatchString(r.output):
		r.run = false
	}
}

// make runs make.
func (s *smoke) make(t target, r *result) error {
	args := append(t.args(), s.vars...)
	if !t.server {
		args = append(args, "WITHPG=")
	}
	cmd := exec.Command("make", args...)
	out := &watched{until: t.until, seen: make(chan struct{})}
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		r.output = out.String()
		r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	group := func(signal syscall.Signal) { _ = syscall.Kill(-cmd.Process.Pid, signal) } // it may have ended
	select {
	case err := <-ended:
		if t.until != "" {
			err = fmt.Errorf("it ended before it printed %q: %v", t.until, err)
		}
		return err
	case <-out.seen:
		group(syscall.SIGINT)
		select {
		case <-ended:
			return nil
		case <-time.After(patience):
		}
	case <-time.After(patience):
	}
	group(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		group(syscall.SIGKILL)
		<-ended
	}
	return fmt.Errorf("it runs for more than %v", patience)
}

// watched keeps what is written, and closes seen when that has a text.
type watched struct {
	until string
	seen  chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
	has  bool
}

func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.text.Write(b)
	if !w.has && w.until != "" && strings.Contains(w.text.String(), w.until) {
		w.has = true
		close(w.seen)
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
