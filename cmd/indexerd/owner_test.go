package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// serviceUser is the user of the daemon in these tests; it owns no file else.
const serviceUser = 65534

// An owned is a SQLite database and a data directory of another user than the
// test's, who is root.
type owned struct{ dir, data, file string }

func newOwned(t *testing.T) owned {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be two users: run as root")
	}
	dir, err := os.MkdirTemp("/tmp", "indexerd-owned-") // no directory above it is root's alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o := owned{dir: dir, data: filepath.Join(dir, "data"), file: filepath.Join(dir, "c.yaml")}
	database := filepath.Join(dir, "db.sqlite")
	execSQLite(t, database, "CREATE TABLE note (id INTEGER PRIMARY KEY, u INTEGER, body TEXT)", "INSERT INTO note VALUES (1, 1700000000, 'first'), (2, 1700000000, 'second')")
	yaml := configOf("sqlite", database, o.data, "  note: {source: db, sql: 'SELECT id, u, body FROM note', key: id, updated: u, content: {fields: [body]}}\n")
	if err := os.WriteFile(o.file, []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, o.file, database} {
		if err := os.Chown(name, serviceUser, serviceUser); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{dir, filepath.Dir(binary(t))} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// as is a command of the other user.
func (o owned) as(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Dir = o.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: serviceUser, Gid: serviceUser}}
	return cmd
}

func (o owned) run(t *testing.T) *proc {
	t.Helper()
	p := startCmd(t, o.as(t, "run", "-c", o.file))
	p.ready(t)
	return p
}

// A user that may read the files can ask, and changes none of them: the service
// starts again afterwards. Commands that write name the user that they are for.
func TestQuestionsOfAnotherUser(t *testing.T) {
	t.Parallel()
	o := newOwned(t)
	o.run(t).stop(t)
	before := tree(t, o.data)
	for _, args := range [][]string{
		{"status"}, {"search", "note", "first"}, {"history", "note"}, {"versions", "note", "1"},
		{"explain", "note", "1"}, {"verify"}, {"verify", "--content"}, {"check"},
	} {
		args = append([]string{args[0], "-c", o.file}, args[1:]...)
		commands(t, 0, args...)
		if after := tree(t, o.data); after != before {
			t.Fatalf("%q as root changed the data directory: got\n%s\nwant\n%s", args, after, before)
		}
	}
	for _, args := range [][]string{
		{"run"}, {"sweep", "note"}, {"verify", "--repair"}, {"reindex", "note"}, {"reload", "note"},
		{"backup", filepath.Join(t.TempDir(), "copy")}, {"restore", filepath.Join(t.TempDir(), "copy")},
	} {
		args = append([]string{args[0], "-c", o.file}, args[1:]...)
		_, stderr, code := ask(t, args...)
		if code == 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "sudo -u ") {
			t.Errorf("%q as root: exit %d: %q, want one line that names the user to run it as", args, code, stderr)
		}
		if after := tree(t, o.data); after != before {
			t.Fatalf("%q as root changed the data directory: got\n%s\nwant\n%s", args, after, before)
		}
	}
	p := o.run(t)
	commands(t, 0, "verify", "-c", o.file)
	commands(t, 0, "sweep", "-c", o.file, "note")
	p.stop(t)
}

// A user that may not read the files learns whose they are.
func TestQuestionsOfAStranger(t *testing.T) {
	t.Parallel()
	o := newOwned(t)
	o.run(t).stop(t)
	err := filepath.WalkDir(o.data, func(name string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(name, 0, 0)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"status"}, {"run"}} {
		cmd := o.as(t, append(args, "-c", o.file)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "belongs to the user root") {
			t.Errorf("%s: %v: %q, want one line that names the owner", args[0], err, stderr.String())
		}
	}
}
