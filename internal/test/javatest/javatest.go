// Package javatest fetches jars with Maven and runs Java programs for tests, each with a
// separate data directory. If the tests are killed, so are the programs.
package javatest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"indexerd/internal/test/process"
)

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
		return "", process.ErrMissing
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

// A Program is a Java program.
type Program struct {
	process.Process

	java []string // the command that runs it
}

// New makes a directory for a Java source file. Its arguments follow those of the Java
// machine. On error nothing remains.
func New(name string, source []byte, jars string, machine []string, arguments ...string) (*Program, error) {
	java, err := exec.LookPath(filepath.Join(cmp.Or(os.Getenv("JAVA_HOME"), "/usr"), "bin", "java"))
	if err != nil {
		return nil, process.ErrMissing
	}
	dir, err := os.MkdirTemp("", "indexerd-"+strings.ToLower(name)+"-")
	if err != nil {
		return nil, err
	}
	file := name + ".java"
	if err := os.WriteFile(filepath.Join(dir, file), source, 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	command := slices.Concat([]string{java}, machine, []string{"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(jars, "*"), file}, arguments)
	return &Program{process.Process{Dir: dir}, command}, nil
}

// Run starts the program, also after Kill.
func (p *Program) Run() error { return p.Start(exec.Command(p.java[0], p.java[1:]...)) }
