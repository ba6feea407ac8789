package main

import (
	"os"
	"strings"
	"testing"
)

// Marks go from the file to etcd and back, with rows that change between. No daemon starts
// on the place that does not count, nothing is loaded again, and every row is in index and
// pages.
func TestMoveMarks(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	etcd, b := p.file("a"), p.file("b")
	text, err := os.ReadFile(etcd)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), "marks:")
	_, after, _ := strings.Cut(rest, "\n")
	file := writeFile(t, before+after)
	env := []string{"BIGTABLE_EMULATOR_HOST=" + p.emulator}
	says := func(want string, code int, args ...string) {
		t.Helper()
		stdout, stderr, got := ask(t, env, args...)
		if got != code || !strings.Contains(stdout+stderr, want) {
			t.Errorf("%v: got exit code %d: %s%s, want %d and %q", args, got, stdout, stderr, code, want)
		}
	}
	follows := func(id int, config string, d *proc) {
		t.Helper()
		p.insert(id)
		p.finds(d, "common", 300+id-1000)
		same(t, config, env)
		if strings.Contains(d.log.String(), "initial loaded") != (id == 1001) {
			t.Errorf("the table was loaded again:\n%s", d.log)
		}
	}
	d := p.start(file)
	d.ready(t)
	p.finds(d, "common", 300)
	follows(1001, file, d)
	says("a daemon uses", 1, "move", "--from", file, "-c", etcd)
	d.stop(t)
	says("has the marks in a file", 2, "run", "-c", etcd)
	says("the marks are in etcd /indexerd/shop, tables: 1, rows in quarantine: 0", 0, "move", "--from", file, "-c", etcd)
	says("already", 0, "move", "--from", file, "-c", etcd)
	says("the marks are in etcd /indexerd/shop", 2, "run", "-c", file)

	d = p.start(etcd)
	d.ready(t)
	follows(1002, etcd, d)
	d.stop(t)
	d = p.start(b)
	d.ready(t)
	follows(1003, b, d)
	says("leads with the marks in etcd", 1, "move", "--from", etcd, "-c", file)
	d.stop(t)
	says("the marks are in the file below ", 0, "move", "--from", etcd, "-c", file)
	says("were moved from etcd", 2, "run", "-c", b)
	d = p.start(file)
	d.ready(t)
	follows(1004, file, d)
	d.stop(t)
}
