package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"indexerd/internal/base/progress"
	"indexerd/internal/serve/daemon"
	"indexerd/internal/serve/httpapi"
)

// Beside a terminal work shows a line every few seconds, and nothing if it takes less.
func TestProgressLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		m := new(progress.Meter)
		_, stop := watch(world{stderr: &out}, "move", m)
		m.Step("copying film", "pages", 0, 100)
		for range 12 {
			time.Sleep(time.Second)
			m.Add(5)
		}
		m.Step("listing", "", 0, progress.Unknown)
		time.Sleep(4 * time.Second)
		stop()
		want := regexp.MustCompile(`^(move: copying film: \d+ %, \d+ of 100 pages, \d\.\d pages/s, \d+s left\n){2}$`)
		if !want.MatchString(out.String()) {
			t.Errorf("got %q, want %s", out.String(), want)
		}
		out.Reset()
		_, stop = watch(world{stderr: &out}, "move", m)
		time.Sleep(lineEvery - time.Millisecond)
		stop()
		if out.Len() > 0 {
			t.Errorf("got %q of work that took less, want nothing", out.String())
		}
	})
}

// Many loads are one line of the log.
func TestProgressOfManyLoads(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	var all []daemon.Load
	for i := range 2 * mostLoads {
		all = append(all, daemon.Load{Table: fmt.Sprintf("t%d", i), Loaded: i == 0, Reading: progress.Reading{Running: i > 0, Done: 10, Of: 20, Rate: 5, Left: 2 * time.Second}})
	}
	logLoads(all[:mostLoads], new(progress.Meter), log)
	if got := strings.Count(out.String(), `msg="initial load" `); got != mostLoads-1 {
		t.Errorf("got %d lines, want one for each load", got)
	}
	out.Reset()
	logLoads(all, new(progress.Meter), log)
	if got, want := out.String(), `msg="initial loads" running=15 tables=1 of=16 eta=0s`; strings.Count(got, "\n") != 1 || !strings.Contains(got, want) {
		t.Errorf("got %q, want one line with %s", got, want)
	}
}

// newTerminal returns a pseudo terminal of some columns: the side that a person sees, and
// that of a command.
func newTerminal(t *testing.T, columns uint16) (seen, command *os.File) {
	t.Helper()
	seen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	t.Cleanup(func() { seen.Close() })
	if err := unix.IoctlSetPointerInt(int(seen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(seen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if command, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Close() })
	if err := unix.IoctlSetWinsize(int(command.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return seen, command
}

// onTerminal runs a command whose stderr is a terminal.
func onTerminal(t *testing.T, columns uint16, args ...string) (stdout, seen string) {
	t.Helper()
	view, tty := newTerminal(t, columns)
	cmd := command(t, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, tty
	read := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(view) // it ends with an error when no process has the terminal
		read <- all
	}()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	tty.Close()
	return out.String(), string(<-read)
}

// manyTables returns a database of SQLite with many tables.
func manyTables(t *testing.T, tables int) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "many.sqlite")
	var b strings.Builder
	b.WriteString("BEGIN;\n")
	for i := range tables {
		fmt.Fprintf(&b, "CREATE TABLE t%03d (id INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT, updated_at TEXT DEFAULT CURRENT_TIMESTAMP);\nINSERT INTO t%03d (name, body) VALUES ('one', 'a house and a ship');\n", i, i)
	}
	b.WriteString("COMMIT;\n")
	execSQLite(t, path, b.String())
	return path
}

// The configuration on stdout is the same whether stderr is a terminal or not. On a
// terminal a bar shows how far init has come, also where it is narrow, and is gone at the
// end.
func TestProgressOfInit(t *testing.T) {
	t.Parallel()
	const tables = 900
	path := manyTables(t, tables)
	plain, err := exec.Command(binary(t), "init", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(plain), "\n    source: "); got != tables {
		t.Errorf("got %d tables, want %d", got, tables)
	}
	steps := regexp.MustCompile(fmt.Sprintf(`init: (reading a row of each|reading samples) \d+ %% .*\d+ of %d tables`, tables)) // at the end without rate
	for _, columns := range []uint16{140, 40} {
		stdout, seen := onTerminal(t, columns, "init", path)
		if stdout != string(plain) {
			t.Errorf("%d columns: stdout differs from that without a terminal", columns)
		}
		if columns > 100 && !steps.MatchString(seen) {
			t.Errorf("got %q on the terminal, want a bar like %s", seen, steps)
		}
		if !strings.Contains(seen, "init: ") || strings.Contains(seen, "panic") {
			t.Errorf("%d columns: got %q", columns, seen)
		}
		// The bar is above: the cursor goes up to its line, and the rest is cleared.
		if end := fmt.Sprintf("\x1b[1A\x1b[Jinit: %d of %d tables of many.sqlite\r\n", tables, tables); !strings.HasSuffix(seen, end) {
			t.Errorf("%d columns: got %q at the end, want %q", columns, seen[max(0, len(seen)-300):], end)
		}
	}
}

// A run of the daemon shows itself to the command that waits for it: lines here, as its
// endpoint has them.
func TestProgressOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		c := &client{http: http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
			run := httpapi.Run{Run: "1", Pass: "verify", State: "running", Step: "film", Unit: "rows", Done: 400, Of: 1000, PerS: 100, ETAS: 6}
			if time.Since(began) > lineEvery+time.Second {
				run = httpapi.Run{Run: "1", Pass: "verify", State: "done"}
			}
			text, err := json.Marshal(run)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(text))}, err
		})}}
		var out, errs bytes.Buffer
		run, err := c.wait(t.Context(), world{stdout: &out, stderr: &errs}, "1")
		if err != nil || run.State != "done" || run.Progress() != (progress.Reading{}) {
			t.Errorf("got %+v, %v, want it done, without what the answers before had", run, err)
		}
		if got, want := errs.String(), "verify: film: 40 %, 400 of 1000 rows, 100 rows/s, 6s left\n"; got != want || out.Len() > 0 {
			t.Errorf("got %q and on stdout %q, want %q", got, out.String(), want)
		}
	})
}

// status lists what callers have started and what is not done.
func TestStatusListsRuns(t *testing.T) {
	var out bytes.Buffer
	printStatus(&out, httpapi.Status{Version: "1.0.0", Runs: []httpapi.Run{
		{Run: "7", Table: "film", Pass: "deletecheck", State: "running", Unit: "rows", Done: 40, Of: 100, PerS: 20, ETAS: 3},
		{Run: "8", Pass: "verify", State: "running", Step: "files of film"},
		{Run: "9", Pass: "move", State: "running"},
	}})
	want := "run 7, sweep film: 40 %, 40 of 100 rows, 20 rows/s, 3s left\nrun 8, verify: files of film\nrun 9, move: under way\n"
	if _, got, _ := strings.Cut(out.String(), "\n"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
