// Package javatest fetches jars with Maven and runs Java programs for tests, each with a
// separate data directory. If the tests are killed, so are the programs.
package javatest

import (
	"cmp"
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

// ErrMissing reports that Java or the jars are not installed.
var ErrMissing = errors.New("not installed")

// Jars returns the directory with the jars of Maven artifacts (group:artifact:version)
// and of all that they need. With fetch, Maven fetches them once into the user's cache
// directory, under the name.
func Jars(name string, fetch bool, artifacts ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	jars := filepath.Join(cache, "indexerd", name)
	if _, err := os.Stat(jars); err == nil {
		return jars, nil
	}
	if !fetch {
		return "", ErrMissing
	}
	if err := os.MkdirAll(filepath.Dir(jars), 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(filepath.Dir(jars), "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	if err := os.WriteFile(filepath.Join(temp, "pom.xml"), []byte(pom(artifacts)), 0o600); err != nil {
		return "", err
	}
	cmd := exec.Command("mvn", "-q", "-B", "dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=jars")
	cmd.Dir = temp
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mvn: %w: %s", err, out)
	}
	return jars, os.Rename(filepath.Join(temp, "jars"), jars)
}

func pom(artifacts []string) string {
	var b strings.Builder
	b.WriteString(`<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version><dependencies>`)
	for _, a := range artifacts {
		part := strings.Split(a, ":")
		fmt.Fprintf(&b, "<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>", part[0], part[1], part[2])
	}
	b.WriteString("</dependencies></project>")
	return b.String()
}

// A Program is a running Java program.
type Program struct {
	Dir string // removed by Stop

	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

// Start runs a Java source file in a new directory. Its arguments follow those of the
// Java machine. On error nothing remains.
func Start(name string, source []byte, jars string, machine []string, arguments ...string) (*Program, error) {
	java, err := exec.LookPath(filepath.Join(cmp.Or(os.Getenv("JAVA_HOME"), "/usr"), "bin", "java"))
	if err != nil {
		return nil, ErrMissing
	}
	dir, err := os.MkdirTemp("", "indexerd-"+strings.ToLower(name)+"-")
	if err != nil {
		return nil, err
	}
	p := &Program{Dir: dir, ended: make(chan struct{})}
	file := name + ".java"
	args := append(machine, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(jars, "*"), file)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, file), source, 0o600), p.start(java, append(args, arguments...))); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Program) start(java string, args []string) error {
	log, err := os.Create(filepath.Join(p.Dir, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(java, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.Dir, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The program is killed when the thread that started it ends.
		runtime.LockOSThread()
		err := cmd.Start()
		if started <- err; err == nil {
			_ = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	p.process = cmd
	return nil
}

// Answers waits until a URL answers with status 200.
func (p *Program) Answers(url string, within time.Duration) error {
	for deadline := time.Now().Add(within); time.Now().Before(deadline); {
		resp, err := http.Get(url)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-p.ended:
			return fmt.Errorf("the program ended: %s", p.said())
		case <-time.After(100 * time.Millisecond):
		}
	}
	return fmt.Errorf("the program did not answer within %s: %s", within, p.said())
}

// said returns the end of the program's log.
func (p *Program) said() string {
	b, _ := os.ReadFile(filepath.Join(p.Dir, "log"))
	return strings.TrimSpace(string(b[max(0, len(b)-2000):]))
}

// Stop kills the program and removes its directory.
func (p *Program) Stop() {
	if p.process != nil {
		_ = p.process.Process.Kill()
		<-p.ended
	}
	_ = os.RemoveAll(p.Dir)
}

// FreePort returns a free loopback port.
func FreePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
