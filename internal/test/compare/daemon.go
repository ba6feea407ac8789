package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A daemon is a running daemon.
type daemon struct {
	cmd  *exec.Cmd
	log  bytes.Buffer // read it after done is closed
	done chan struct{}
	err  error // how it ended, once done is closed
	base string
}

// startDaemon starts a daemon and returns when it has written its address to the
// lock file of its data directory.
func startDaemon(ctx context.Context, binary, file string) (*daemon, error) {
	d := &daemon{cmd: exec.CommandContext(ctx, binary, "run", "-c", file), done: make(chan struct{})}
	d.cmd.Stdout, d.cmd.Stderr = &d.log, &d.log
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { d.err = d.cmd.Wait(); close(d.done) }()
	err := d.poll(ctx, func() (bool, error) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "data", "lock"))
		pid, base, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
		d.base = base
		return err == nil && ok && pid == fmt.Sprint(d.cmd.Process.Pid), nil
	})
	if err != nil {
		d.kill()
		return nil, err
	}
	return d, nil
}

// poll calls f until it reports true. The interval is long, since an answer costs
// the daemon CPU time.
func (d *daemon) poll(ctx context.Context, f func() (bool, error)) error {
	for {
		if ok, err := f(); ok || err != nil {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-d.done:
			return fmt.Errorf("the daemon ended: %w: %s", d.err, d.log.Bytes())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// ready waits until the table is loaded.
func (d *daemon) ready(ctx context.Context) error {
	return d.poll(ctx, func() (bool, error) {
		status, _, err := d.ask(ctx, http.MethodGet, "/readyz")
		return status == http.StatusOK, err
	})
}

// sweep sweeps the table. It returns an error if the sweep changed anything or did
// not compare all rows.
func (d *daemon) sweep(ctx context.Context, rows int) error {
	var run struct {
		Run, State string
		Result     struct{ Compared, Added, Updated, Deleted, Skipped, Held int }
	}
	_, body, err := d.ask(ctx, http.MethodPost, "/api/v1/tables/row/sweep")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, &run); err != nil || run.Run == "" {
		return fmt.Errorf("the sweep does not start: %s", body)
	}
	err = d.poll(ctx, func() (bool, error) {
		_, body, err = d.ask(ctx, http.MethodGet, "/api/v1/runs/"+run.Run)
		if err != nil {
			return false, err
		}
		err = json.Unmarshal(body, &run)
		return run.State != "running", err
	})
	r := run.Result
	if err == nil && (run.State != "done" || r.Compared != rows || r.Added+r.Updated+r.Deleted+r.Skipped+r.Held > 0) {
		err = fmt.Errorf("got %s, want %d rows compared and no difference", body, rows)
	}
	return err
}

func (d *daemon) ask(ctx context.Context, method, path string) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, method, d.base+path, nil)
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// cpu returns the CPU time of the running daemon in seconds, to the nanosecond.
// /proc has only hundredths.
func (d *daemon) cpu() (float64, error) {
	const scheduled = 2 // CPUCLOCK_SCHED: user and system time of all threads
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^d.cmd.Process.Pid<<3|scheduled), &t); err != nil {
		return 0, fmt.Errorf("CPU clock of the daemon: %w", err)
	}
	return time.Duration(t.Nano()).Seconds(), nil
}

// stop ends the daemon and returns the CPU time of its whole life in seconds.
func (d *daemon) stop() (float64, error) {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, err
	}
	<-d.done
	if d.err != nil {
		return 0, fmt.Errorf("the daemon ended: %w: %s", d.err, d.log.Bytes())
	}
	return (d.cmd.ProcessState.UserTime() + d.cmd.ProcessState.SystemTime()).Seconds(), nil
}

func (d *daemon) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	<-d.done
}
