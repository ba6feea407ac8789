package main

import (
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
	before, rest, _ := strings.Cut(readFile(t, etcd), "marks:")
	_, after, _ := strings.Cut(rest, "\n")
	file := writeFile(t, before+after)
	with := withEnv(t, "BIGTABLE_EMULATOR_HOST="+p.emulator)
	follows := func(id int, config string, d *proc) {
		t.Helper()
		p.insert(id)
		p.finds(d, "common", uint64(300+id-1000))
		isEqual(with, config)
		if strings.Contains(d.log.String(), "initial loaded") != (id == 1001) {
			t.Errorf("the table was loaded again:\n%s", d.log)
		}
	}
	d := p.start(file)
	d.ready(t)
	p.finds(d, "common", 300)
	follows(1001, file, d)
	says(with, 1, "a daemon uses", "move", "--from", file, "-c", etcd)
	d.stop(t)
	says(with, 2, "has the marks in a file", "run", "-c", etcd)
	says(with, 0, "the marks are in etcd /indexerd/shop, tables: 1, rows in quarantine: 0", "move", "--from", file, "-c", etcd)
	says(with, 0, "already", "move", "--from", file, "-c", etcd)
	says(with, 2, "the marks are in etcd /indexerd/shop", "run", "-c", file)

	d = p.start(etcd)
	d.ready(t)
	follows(1002, etcd, d)
	d.stop(t)
	d = p.start(b)
	d.ready(t)
	follows(1003, b, d)
	says(with, 1, "leads with the marks in etcd", "move", "--from", etcd, "-c", file)
	d.stop(t)
	says(with, 0, "the marks are in the file below ", "move", "--from", etcd, "-c", file)
	says(with, 2, "were moved from etcd", "run", "-c", b)
	d = p.start(file)
	d.ready(t)
	follows(1004, file, d)
	d.stop(t)
}
