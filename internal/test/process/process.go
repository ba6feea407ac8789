// Package process runs the servers of tests: each is a process on this machine, with a
// directory and a log of its own. If the tests are killed, so are the servers.
//
// A Shared server is one that all tests of a package use. Need skips a test whose server
// is not installed.
package process

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// A Process is a server. It is started, killed and started again any number of times.
type Process struct {
	Dir string // removed by Stop

	command *exec.Cmd
	ended   chan struct{} // closed when the command has ended
}

// Start runs a command in the directory, in a session of its own: Ctrl-C on the terminal
// does not reach it. What it prints is added to the log.
func (p *Process) Start(command *exec.Cmd) error {
	log, err := os.OpenFile(filepath.Join(p.Dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command.Dir, command.Stdout, command.Stderr = p.Dir, log, log
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setsid, command.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The server is killed when the thread that started it ends.
		runtime.LockOSThread()
		err := command.Start()
		if started <- err; err == nil {
			_ = command.Wait()
			close(ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	p.command, p.ended = command, ended
	return nil
}

// Ended returns a channel that is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Wait asks the server until it answers, for so long at the most.
func (p *Process) Wait(within time.Duration, answers func() error) error {
	for deadline := time.Now().Add(within); ; {
		err := answers()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("no answer within %s: %w: %s", within, err, p.Log())
		}
		select {
		case <-p.ended:
			return fmt.Errorf("the server ended: %s", p.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// WaitFor waits until a URL answers with status 200.
func (p *Process) WaitFor(url string, within time.Duration) error {
	return p.Wait(within, func() error {
		answer, err := http.Get(url)
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status)
		}
		return nil
	})
}

// Log returns the end of what the server has printed.
func (p *Process) Log() string {
	b, _ := os.ReadFile(filepath.Join(p.Dir, "log"))
	return strings.TrimSpace(string(b[max(0, len(b)-8<<10):]))
}

// Signal sends a signal, such as SIGSTOP.
func (p *Process) Signal(s syscall.Signal) { _ = p.command.Process.Signal(s) } // it may have ended

// Kill is kill -9. It returns when the process has ended, or if it has not been started.
func (p *Process) Kill() {
	if p.command != nil {
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

// Stop kills the server and removes its directory.
func (p *Process) Stop() {
	p.Kill()
	_ = os.RemoveAll(p.Dir)
}

// FreePorts returns loopback ports on which no process listens.
func FreePorts(n int) (ports []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // after the last one is found
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
	}
	return ports, nil
}
