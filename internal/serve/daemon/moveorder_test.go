package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/moves"
	"indexerd/timetrace"
)

// ordered checks which configuration the order of a move has that has not ended; "": none.
func (m *movedTable) ordered(want string) {
	m.t.Helper()
	noted, err := notedMove(m.data)
	got := ""
	if noted != nil {
		got = noted.Config
	}
	if err != nil || got != want {
		m.t.Errorf("order: got %q, %v, want %q", got, err, want)
	}
}

// hbase returns a configuration whose pages are on a server.
func (m *movedTable) hbase(address string) *configs.Config {
	m.t.Helper()
	cfg, err := configs.Load(writeFile(m.t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\npages: {engine: hbase, rest: 'http://%s', table: pages}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", m.data, address, m.path)+
		bodyTable("item", ", pages: {versions: 2}")), os.LookupEnv)
	if err != nil {
		m.t.Fatal(err)
	}
	return cfg
}

// silent returns the address of a server that never answers.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

func (w *whole) order(to *configs.Config) (run httpapi.Run, err error) {
	err = w.call(http.MethodPost, "/api/v1/move", httpapi.MoveRequest{Config: to.File, From: configs.FileMap}, &run)
	return run, err
}

func (w *whole) logs(text string, times int) {
	w.t.Helper()
	eventually(w.t, soon, text, func() error {
		if strings.Count(w.log.String(), text) < times {
			return fmt.Errorf("the log is %s", &w.log)
		}
		return nil
	})
}

// failed waits until a run has failed with a text.
func (w *whole) failed(run httpapi.Run, text string) {
	w.t.Helper()
	eventually(w.t, soon, "the move fails", func() error {
		err := w.call(http.MethodGet, "/api/v1/runs/"+run.Run, nil, &run)
		if err == nil && (run.State != "failed" || run.Error == nil || !strings.Contains(*run.Error, text)) {
			err = fmt.Errorf("got %s, %v, want that it fails with %q", run.State, run.Error, text)
		}
		return err
	})
}

// The order of a move is carried out by a daemon that starts after one that was killed
// before it did so. A move that is done leaves no order.
func TestMoveIsDurable(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {})
	if err := noteMove(m.data, httpapi.MoveRequest{Config: m.table.File, From: configs.FileMap}); err != nil {
		t.Fatal(err)
	}
	w := startWhole(t, m.files)
	w.logs("the pages were moved", 1)
	m.ordered("")
	if _, err := w.order(m.table); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("got error %v of another move, want that the pages are there already", err)
	}
	w.stop()
	if why := m.runs(m.table, 300, func() {}); why != "" {
		t.Errorf("the table is unverified after the move: %s", why)
	}
}

// An order that can't be stored is refused, and leaves none.
func TestMoveThatCantBeStored(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {})
	w := startWhole(t, m.files)
	for _, step := range []string{moveFile(m.data) + ".tmp", moveFile(m.data)} { // at the first write, and at the rename
		if err := os.MkdirAll(filepath.Join(step, "full"), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := w.order(m.table); err == nil || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), "the order can't be stored") {
			t.Errorf("%s: got error %v, want that the order is refused", step, err)
		}
		if err := os.RemoveAll(step); err != nil {
			t.Fatal(err)
		}
		m.ordered("")
	}
	w.stop()
	m.runs(m.files, 300, func() {})
}

// A move that failed or was cancelled leaves no order. One that a SIGHUP or the end of the
// daemon has cut continues in the next engine; until it ends, an order of another move is
// refused.
func TestOrderOfAMoveThatEnds(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {})
	away, hangs := m.hbase("127.0.0.1:1"), m.hbase(silent(t))
	w := startWhole(t, m.files)

	run, err := w.order(away)
	if err != nil {
		t.Fatal(err)
	}
	w.failed(run, "move the pages of item")
	m.ordered("")

	if run, err = w.order(hangs); err != nil {
		t.Fatal(err)
	}
	m.ordered(hangs.File)
	if _, err := w.order(m.table); err == nil || !strings.Contains(err.Error(), "being moved with "+hangs.File) {
		t.Errorf("got error %v of another move, want that it is refused", err)
	}
	if err := w.call(http.MethodDelete, "/api/v1/runs/"+run.Run, nil, nil); err != nil {
		t.Fatal(err)
	}
	w.failed(run, "")
	m.ordered("")

	if run, err = w.order(hangs); err != nil {
		t.Fatal(err)
	}
	w.hangups <- syscall.SIGHUP
	w.logs("the move of the pages continues", 1)
	w.failed(run, "then continues the move")
	m.ordered(hangs.File)
	again, err := w.order(hangs)
	if err != nil || again.State != "running" || again.Run == run.Run {
		t.Errorf("the same order: got %+v, %v, want the run that continues", again, err)
	}
	w.stop()
	m.ordered(hangs.File)

	w = startWhole(t, m.files)
	w.logs("the move of the pages continues", 1)
	w.stop()
	m.ordered(hangs.File)
}

// An order that can't be carried out after a start is removed, with a line in the log.
func TestMoveThatCantContinue(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {})
	damaged, err := json.Marshal(httpapi.MoveRequest{Config: m.table.File, From: configs.FileMap})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, why string }{
		{`{"config":"/none.yaml","from":"filemap"}`, "read the configuration"},
		{fmt.Sprintf(`{"config":%q,"from":"filemap"}`, m.files.File), "already"},
		{strings.TrimSuffix(string(damaged), "}") + `,"crc":"00000000"}`, "the checksum is wrong"},
	} {
		if err := os.WriteFile(moveFile(m.data), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		w := startWhole(t, m.files)
		w.stop() // when it has looked at the order
		if log := w.log.String(); !strings.Contains(log, "the order to move the pages was removed") || !strings.Contains(log, c.why) {
			t.Errorf("%s: want the reason %q in the log:\n%s", c.text, c.why, log)
		}
		if _, err := os.Stat(moveFile(m.data)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the order: got %v, want that it is gone", c.text, err)
		}
	}
}

// A move whose copy had ended when another engine had to open continues in that one.
func TestMoveThatIsLeftContinues(t *testing.T) {
	cfg := &configs.Config{Data: t.TempDir()}
	d := &daemon{Options: Options{Log: slog.New(slog.DiscardHandler)}, cfg: cfg, orders: make(chan order, maxOrders)}
	e := newEngine(cfg, new(timetrace.Trace))
	e.orders, e.log, e.getenv = d.orders, d.Log, os.LookupEnv
	if err := noteMove(cfg.Data, httpapi.MoveRequest{Config: "/none.yaml", From: configs.FileMap}); err != nil {
		t.Fatal(err)
	}
	_, left := moves.NewLive(t.Context(), cfg, cfg, nil, nil)
	d.refuse(order{move: left}, moves.ErrCut)
	if noted, err := notedMove(cfg.Data); noted == nil {
		t.Errorf("got no order of a move that was cut, %v", err)
	}
	d.orders <- order{move: left}
	_, last := moves.NewLive(t.Context(), cfg, cfg, e.trace, nil)
	d.orders <- order{move: last}
	ctx, end := context.WithCancelCause(t.Context())
	d.takeOrders(ctx, e, end)
	if noted, err := notedMove(cfg.Data); noted != nil || err != nil {
		t.Errorf("got order %+v, %v, want that it was looked at, and removed: it can't be carried out", noted, err)
	}
}
