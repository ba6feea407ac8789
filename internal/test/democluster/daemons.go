package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"indexerd/internal/test/process"
)

// A daemon is one of the two.
type daemon struct {
	name    string
	address string
	file    string // its configuration
	log     string
	program string
}

// config has the address and the data directory of a daemon, the servers, and the source.
const config = `http: {listen: %s}
data: %s
index: {engine: opensearch, url: ["%s"], prefix: demo-, replicas: 0}
pages: {engine: hbase, rest: ["%s"], table: pages}
bloom: {engine: redis, url: "%s", key: demo}
marks: {engine: etcd, endpoints: ["%s"], prefix: /indexerd/demo}
sources:
  freight: {driver: postgres, dsn: "%s"}
tables:
  job_order:
    source: freight
    sql: SELECT * FROM job_order
    key: id
    updated: updated_at
    content: {fields: [reference, customer, consignee, port, cargo, remarks], analyzer: cjk}
    metadata: {status: keyword, port: keyword}
`

// newDaemons writes the configurations of two daemons.
func newDaemons(dir, program string, s servers) (all []*daemon, err error) {
	ports, err := process.FreePorts(2)
	if err != nil {
		return nil, err
	}
	for i, name := range []string{"a", "b"} {
		d := &daemon{name: name, address: "127.0.0.1:" + ports[i], file: filepath.Join(dir, name+".yaml"), log: filepath.Join(dir, name+".log"), program: program}
		text := fmt.Sprintf(config, d.address, filepath.Join(dir, name), s.openSearch, s.hbase, s.redis, s.etcd, s.dsn)
		if err := os.WriteFile(d.file, []byte(text), 0o600); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// restartAfter is how long a daemon that ended is left so.
const restartAfter = 10 * time.Second

// keep runs a daemon until ctx ends, and starts it again when it ends before.
func (d *daemon) keep(ctx context.Context) error {
	log, err := os.Create(d.log)
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		cmd := exec.CommandContext(ctx, d.program, "run", "-c", d.file)
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = 10 * time.Second
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Printf("daemon %s runs as process %d: its log is %s\n", d.name, cmd.Process.Pid, d.log)
		err := cmd.Wait()
		if ctx.Err() != nil {
			return nil
		}
		fmt.Printf("daemon %s ended (%v); it starts again in %v\n", d.name, err, restartAfter)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(restartAfter):
		}
	}
}

// A status is what this program reads of a daemon's status.
type status struct {
	PID    int
	Ready  bool
	Leader *struct {
		This bool
		Term uint64
	}
	Tables []struct{ Documents uint64 }
}

// status asks a daemon; nil if it does not answer.
func (d *daemon) status(ctx context.Context) *status {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.address+"/api/v1/status", http.NoBody)
	if err != nil {
		return nil
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	var s status
	if answer.StatusCode != http.StatusOK || json.NewDecoder(answer.Body).Decode(&s) != nil {
		return nil
	}
	return &s
}

// watch prints which daemon leads, whenever that changes.
func watch(ctx context.Context, daemons []*daemon) {
	var term uint64
	every := time.NewTicker(time.Second / 2)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		for _, d := range daemons {
			s := d.status(ctx)
			if s == nil || !s.Ready || s.Leader == nil || !s.Leader.This || s.Leader.Term == term || len(s.Tables) != 1 {
				continue
			}
			term = s.Leader.Term
			fmt.Printf("daemon %s leads in term %d, and has %d documents: kill it with\n  kill -9 %d\n", d.name, term, s.Tables[0].Documents, s.PID)
		}
	}
}

// explain prints what to look at.
func explain(daemons []*daemon) {
	a, b := daemons[0], daemons[1]
	fmt.Printf(`
dashboards: http://%s and http://%s
another terminal can look at them:
  %[3]s status -c %[4]s
  %[3]s search -c %[5]s job_order 'frozen shrimp'
  %[3]s verify --content -c %[4]s
Ctrl-C ends and removes everything.

`, a.address, b.address, a.program, a.file, b.file)
}
