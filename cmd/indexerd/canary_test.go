package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"indexerd/internal/test/pgtest"
)

// tokenCanary is a token that must never be seen.
const tokenCanary = "c4naryToken"

// A miner looks for secrets in all that a daemon puts out.
type miner struct {
	t       *testing.T
	secrets []string // beside the canaries
	bytes   int
}

// looks fails where a secret is in what was put out.
func (m *miner) looks(where string, out []byte) {
	m.t.Helper()
	m.bytes += len(out)
	for _, secret := range append([]string{canary, tokenCanary}, m.secrets...) {
		if at := bytes.Index(out, []byte(secret)); at >= 0 {
			m.t.Errorf("%s shows a secret: ...%q", where, out[max(0, at-80):at])
		}
	}
}

// asks runs a command, which may end as it likes.
func (m *miner) asks(args ...string) {
	m.t.Helper()
	stdout, stderr, _ := ask(withEnv(m.t, "INDEXERD_TOKEN="+tokenCanary, "CANARY="+canary), args...)
	if stdout+stderr == "" {
		m.t.Errorf("%v puts nothing out", args)
	}
	m.looks(strings.Join(args, " "), []byte(stdout+stderr))
}

// gets reads what the daemon serves, whatever its status.
func (m *miner) gets(p *proc, paths ...string) {
	m.t.Helper()
	for _, path := range paths {
		_, answer := p.as("").ask(m.t, http.MethodGet, path, "")
		m.looks(path, []byte(answer))
	}
}

// everything is asked and read at one point of a daemon's life.
func (m *miner) everything(p *proc, file string) {
	m.t.Helper()
	for _, c := range []string{"status", "check"} {
		m.asks(c, "-c", file)
		m.asks(c, "-c", file, "--json")
	}
	m.asks("search", "-c", file, "note", "note")
	m.asks("verify", "-c", file, "--wait", "1s")
	m.asks("explain", "-c", file, "note", "7")
	m.asks("history", "-c", file, "note", "--json")
	m.asks("sweep", "-c", file, "note")
	m.gets(p, "/", "/web/page.js", "/healthz", "/readyz", "/metrics", "/api/v1/status", "/api/v1/tables/note/search?q=note",
		"/api/v1/tables/note/quarantine", "/api/v1/tables/note/history", "/api/v1/tables/note/docs/7", "/api/v1/tables/note/explain/7", "/api/v1/runs/1")
}

// files reads all files below a directory.
func (m *miner) files(dir string) {
	m.t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		m.looks("the name of "+name, []byte(name))
		content, err := os.ReadFile(name)
		m.looks(name, content)
		return err
	})
	if err != nil {
		m.t.Error(err)
	}
}

// archive reads a backup as its tar stream.
func (m *miner) archive(name string) {
	m.t.Helper()
	f, err := os.Open(name)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		m.t.Fatal(err)
	}
	defer z.Close()
	var tar bytes.Buffer
	if _, err := tar.ReadFrom(z); err != nil {
		m.t.Fatal(err)
	}
	m.looks(name, tar.Bytes())
}

// TestNoSecretIsPutOut takes a daemon through its life, with a password in its
// address: it connects, is cut off, is given bad configurations and a user that
// is refused, is backed up and ends. Of all bytes that come out, none is of the
// password.
func TestNoSecretIsPutOut(t *testing.T) {
	t.Parallel()
	m := &miner{t: t}
	between, reach := newProxy(t, lateTable(t))
	address, err := url.Parse(reach)
	if err != nil {
		t.Fatal(err)
	}
	address.User = url.UserPassword(address.User.Username(), canary)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	good := strings.Replace(lateConfig(address.String(), data, "{every: 500ms}"), ":"+canary+"@", ":${CANARY}@", 1)
	file := writeFile(t, good)
	p := follow(withEnv(t, "CANARY="+canary), file)
	m.everything(p, file)
	m.asks("backup", "-c", file, filepath.Join(dir, "backup"))
	m.asks("backup", "-c", file, filepath.Join(dir, "backup.tar.zst"))
	m.files(filepath.Join(dir, "backup"))
	m.archive(filepath.Join(dir, "backup.tar.zst"))

	between.suffers(&mishap{kind: "cut"})
	between.reset()
	eventually(t, time.Minute, "the database is missed", func() error {
		if s := p.status(t).Sources[0]; s.Error == nil {
			return fmt.Errorf("%+v", s)
		}
		return nil
	})
	m.everything(p, file)
	between.heal()

	for i, bad := range []string{
		strings.Replace(good, address.Host, "127.0.0.1:port", 1),
		strings.Replace(good, "${CANARY}@", "${CANARY}x${CANARY}%zz@", 1),
		strings.Replace(good, "dsn: ", "dsn: "+canary+" ", 1),
		strings.Replace(good, address.User.Username()+":", "nobody_of_this_name:", 1),
		strings.Replace(good, "sql: SELECT", "sql: SELEKT", 1),
	} {
		if bad == good {
			t.Fatalf("bad configuration %d is the good one", i)
		}
		replace(t, file, bad)
		m.asks("check", "-c", file)
		m.asks("verify", "-c", file)
		before := len(p.log.String())
		p.hangUp(t)
		eventually(t, time.Minute, "the daemon has looked at it", func() error {
			if said := p.log.String()[before:]; !strings.Contains(said, kept) && !strings.Contains(said, took) {
				return fmt.Errorf("got %q", said)
			}
			return nil
		})
	}
	replace(t, file, good)
	p.hangUp(t)
	eventually(t, time.Minute, "it follows again", func() error {
		if s := p.status(t).Sources[0]; s.Error != nil {
			return fmt.Errorf("%s", *s.Error)
		}
		return nil
	})
	m.everything(p, file)
	m.files(data)
	p.stop(t)
	m.asks("status", "-c", file)
	m.asks("restore", "-c", file, filepath.Join(dir, "backup"))
	m.looks("the log", []byte(p.log.String()))
	m.files(data)
	if log := p.log.String(); m.bytes < 1<<16 || !strings.Contains(log, kept) || !regexp.MustCompile(`level=ERROR.*(failed|tries again)`).MatchString(log) {
		t.Errorf("only %d bytes were looked at, or nothing failed:\n%s", m.bytes, log)
	}
	if pgtest.Value[int](t, reach, "SELECT 1") != 1 {
		t.Error("the database is gone: nothing was tested")
	}
}
