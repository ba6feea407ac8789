package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/nodetest"
)

// The tests of this file's helpers run the real binary, so that a kill is a
// kill.

// build builds the binary, unless INDEXERD_BINARY names one.
var build = sync.OnceValues(func() (string, error) {
	if name := os.Getenv("INDEXERD_BINARY"); name != "" {
		return name, nil
	}
	dir, err := os.MkdirTemp("", "indexerd-test-")
	if err != nil {
		return "", err
	}
	built = dir
	name := filepath.Join(dir, "indexerd")
	flags := exec.Command("../../packaging/ldflags.sh")
	flags.Env = append(os.Environ(), "COMMIT="+builtCommit, "DATE="+builtDate)
	ldflags, err := flags.Output()
	if err != nil {
		return "", fmt.Errorf("packaging/ldflags.sh: %w", err)
	}
	args := []string{"build", "-ldflags", strings.TrimSpace(string(ldflags)), "-o", name}
	if underRace() {
		args = append(args, "-race")
		os.Setenv("GORACE", "halt_on_error=1") // a daemon with a race ends, which fails the test
	}
	out, err := exec.Command("go", append(args, ".")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return name, nil
})

// What the binary prints as its commit and its date.
const builtCommit, builtDate = "0123456789ab", "2026-11-21T10:15:30Z"

// underRace reports whether this test runs with the race detector.
func underRace() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// built is where the binary is, if a test has needed it.
var built string

func TestMain(m *testing.M) {
	code := nodetest.Main(m)
	os.RemoveAll(built)
	os.Exit(code)
}

func binary(t testing.TB) string {
	t.Helper()
	name, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// A proc is a running daemon.
type proc struct {
	cmd  *exec.Cmd
	base string
	log  *syncBuffer
	done chan struct{} // closed when it has ended
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// servesAt finds the address in a log of either format.
var servesAt = regexp.MustCompile(`\burl"?[=:]"?(http[^"\s]+)`)

// start runs the daemon and returns when it answers.
func start(t testing.TB, args ...string) *proc {
	t.Helper()
	return startCmd(t, command(t, args...))
}

// follow runs the daemon of a configuration, and returns when its tables are loaded.
func follow(t testing.TB, file string, more ...string) *proc {
	t.Helper()
	p := start(t, append([]string{"run", "-c", file}, more...)...)
	p.ready(t)
	return p
}

// startCmd is start for a command of the caller.
func startCmd(t testing.TB, cmd *exec.Cmd) *proc {
	t.Helper()
	p := launch(t, cmd)
	eventually(t, soon, "the daemon answers", func() error {
		select {
		case <-p.done:
			t.Fatalf("the daemon ended: %s", p.log)
		default:
		}
		return p.answers()
	})
	return p
}

// launch runs the daemon.
func launch(t testing.TB, cmd *exec.Cmd) *proc {
	t.Helper()
	p := &proc{cmd: cmd, log: &syncBuffer{}, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = p.cmd.Wait(); close(p.done) }() // how it ended is in ProcessState
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the daemon's log:\n%s", p.log)
		}
	})
	return p
}

// answers is an error until the daemon has an address and answers there.
func (p *proc) answers() error {
	url := servesAt.FindStringSubmatch(p.log.String())
	if url == nil {
		return fmt.Errorf("its log is %q", p.log)
	}
	p.base = url[1]
	_, err := get(p.base + "/healthz")
	return err
}

// kill is kill -9.
func (p *proc) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.done
}

// stop is SIGTERM; it returns how long the daemon took to leave.
func (p *proc) stop(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.done:
	case <-time.After(soon):
		t.Fatalf("SIGTERM: still running after %v", soon)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code after SIGTERM: got %d, want 0", code)
	}
	return time.Since(began)
}

// ready waits until every table is loaded.
func (p *proc) ready(t testing.TB) {
	t.Helper()
	p.readyWithin(t, 2*time.Minute)
}

func (p *proc) readyWithin(t testing.TB, most time.Duration) {
	t.Helper()
	eventually(t, most, "ready", func() error {
		_, err := get(p.base + "/readyz")
		return err
	})
}

func (p *proc) status(t testing.TB) httpapi.Status {
	t.Helper()
	var s httpapi.Status
	decode(t, p.base+"/api/v1/status", &s)
	return s
}

// waitFor waits until the status of the first table is as wanted.
func (p *proc) waitFor(t testing.TB, what string, is func(httpapi.TableStatus) bool) {
	t.Helper()
	eventually(t, 3*time.Minute, what, func() error {
		if s := p.status(t).Tables[0]; !is(s) {
			return fmt.Errorf("got %+v, last error %+v", s, s.LastError)
		}
		return nil
	})
}

// run asks for a pass and waits for its end.
func (p *proc) run(t testing.TB, table, pass string) (run httpapi.Run) {
	t.Helper()
	response, err := http.Post(p.base+"/api/v1/tables/"+table+"/run/"+pass, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&run); err != nil || response.StatusCode != http.StatusAccepted {
		t.Fatalf("run %s: status %d, %v", pass, response.StatusCode, err)
	}
	eventually(t, soon, "the run ends", func() error {
		decode(t, p.base+"/api/v1/runs/"+run.Run, &run)
		if run.State == "running" {
			return fmt.Errorf("%d of %d", run.Done, run.Of)
		}
		return nil
	})
	return run
}

func (p *proc) search(t testing.TB, table, q string, more ...string) search.Answer {
	t.Helper()
	var a search.Answer
	decode(t, p.base+"/api/v1/tables/"+table+"/search?"+strings.Join(append(more, "q="+url.QueryEscape(q)), "&"), &a)
	return a
}

// has checks how many rows a query finds.
func (p *proc) has(t testing.TB, table, q string, want uint64) {
	t.Helper()
	if got := p.search(t, table, q, "size=0").Total; got != want {
		t.Errorf("%s: %q finds %d, want %d", table, q, got, want)
	}
}

// found waits until a query finds so many rows. Each search on the way is answered.
func (p *proc) found(t testing.TB, table, q string, want uint64) {
	t.Helper()
	p.as("").found(t, table, q, want)
}

// reaches waits until a query finds so many rows, and returns how long that took. A search
// on the way may be refused, such as while the index is another one.
func (p *proc) reaches(t testing.TB, table, q string, want uint64) time.Duration {
	t.Helper()
	began := time.Now()
	eventually(t, 2*soon, fmt.Sprintf("%s: %q is found", table, q), func() error {
		var a search.Answer
		body, err := get(p.base + "/api/v1/tables/" + table + "/search?size=0&q=" + url.QueryEscape(q))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(body, &a); err != nil || a.Total != want {
			return fmt.Errorf("got %d, want %d: %v", a.Total, want, err)
		}
		return nil
	})
	return time.Since(began)
}

func decode(t testing.TB, address string, into any) {
	t.Helper()
	body, err := get(address)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v: %s", address, err, body)
	}
}

// the client that accepts any certificate.
var anyone = http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}

func get(address string) ([]byte, error) {
	request, err := http.NewRequest(http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	return fetchBody(request)
}

// fetchBody makes a request and reads its answer, which must be 200.
func fetchBody(request *http.Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(request.Context(), soon)
	defer cancel()
	response, err := anyone.Do(request.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %s", request.URL, response.StatusCode, body)
	}
	return body, err
}

// soon is how long a test waits for what takes a daemon a moment: others may use
// this machine. How soon it is, benchmarks and TestJudged say.
const soon = time.Minute

// eventually polls until f succeeds.
func eventually(t testing.TB, within time.Duration, what string, f func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := f()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v: %v", what, within, err)
		}
		<-time.After(20 * time.Millisecond)
	}
}
