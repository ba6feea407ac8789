package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"indexerd/configs"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/moves"
	"indexerd/timetrace"
)

// A whole is a daemon that reads its configuration again and has its pages moved.
type whole struct {
	t       *testing.T
	base    string
	hangups chan os.Signal
	log     syncBuffer
	stop    func()
}

func startWhole(t *testing.T, cfg *configs.Config) *whole {
	t.Helper()
	w := &whole{t: t, hangups: make(chan os.Signal, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	serving, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, cfg, Options{
			Getenv: os.LookupEnv, Hangups: w.hangups, Log: slog.New(slog.NewTextHandler(&w.log, nil)),
			Serving: func(address string) { serving <- address },
		})
	}()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(w.stop)
	select {
	case address := <-serving:
		w.base = "http://" + address
	case err := <-ended:
		ended <- nil
		t.Fatalf("run: %v", err)
	}
	eventually(t, soon, "ready", func() error { return w.call(http.MethodGet, "/readyz", nil, nil) })
	return w
}

func (w *whole) call(method, path string, request, answer any) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(method, w.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err
	case response.StatusCode >= 300:
		return fmt.Errorf("%s: %s", response.Status, body)
	case answer == nil:
		return nil
	}
	return json.Unmarshal(body, answer)
}

// move moves the pages, and returns the run and its result.
func (w *whole) move(from, to *configs.Config) (run httpapi.Run, r httpapi.MoveResult) {
	w.t.Helper()
	if err := w.call(http.MethodPost, "/api/v1/move", httpapi.MoveRequest{Config: to.File, From: from.PageStore.Name()}, &run); err != nil {
		w.t.Fatal(err)
	}
	eventually(w.t, soon, "the move", func() error {
		if err := w.call(http.MethodGet, "/api/v1/runs/"+run.Run, nil, &run); err != nil {
			return err
		}
		if run.State == "running" {
			return fmt.Errorf("it runs: %d of %d", run.Done, run.Of)
		}
		return nil
	})
	if err := json.Unmarshal(run.Result, &r); err != nil {
		w.t.Fatal(err)
	}
	return run, r
}

// writes changes rows a hundred times a second, until stop is called. Without a pause the
// database has no time for the move.
func (m *movedTable) writes() (stop func()) {
	ended := make(chan struct{})
	var going sync.WaitGroup
	going.Go(func() {
		due := time.NewTicker(10 * time.Millisecond)
		defer due.Stop()
		for i := 0; ; i++ {
			select {
			case <-ended:
				return
			case <-due.C:
			}
			m.exec(fmt.Sprintf("UPDATE item SET body = 'round %d', u = CAST(strftime('%%s', 'now') AS INTEGER) WHERE id %% 7 = %d", i, i%7),
				fmt.Sprintf("INSERT OR REPLACE INTO item VALUES (%d, CAST(strftime('%%s', 'now') AS INTEGER), 'new')", 1000+i%50))
		}
	})
	stop = sync.OnceFunc(func() { close(ended); going.Wait() })
	m.t.Cleanup(stop)
	return stop
}

// rows adds the rows that writes has not added yet, and returns how many there are.
func (m *movedTable) rows() int {
	m.t.Helper()
	m.exec("WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1049) INSERT OR IGNORE INTO item SELECT i, CAST(strftime('%s', 'now') AS INTEGER), 'new' FROM n")
	return 350
}

// Pages go to another store and back while the daemon runs and rows change. A SIGHUP with
// the old configuration keeps the new store, and after a restart with the new one the
// table is verified, and all is that of the database.
func TestMovePagesLive(t *testing.T) {
	m := newMoved(t)
	for _, way := range [][2]*configs.Config{{m.files, m.table}, {m.table, m.files}, {m.files, m.table}} {
		w := startWhole(t, way[0])
		stop := m.writes()
		run, r := w.move(way[0], way[1])
		if run.Error != nil || len(r.Tables) != 1 || r.Config != way[0].File {
			t.Fatalf("got %+v, want one table moved\n%s", run, &w.log)
		}
		if one := r.Tables[0]; one.Damaged+one.Differ > 0 || one.Pages < 300 || one.To != way[1].PageStore.Name() {
			t.Errorf("got %+v, want 300 pages or more in %s", one, way[1].PageStore.Name())
		}
		stop()
		w.hangups <- syscall.SIGHUP
		eventually(t, soon, "the configuration", func() error {
			if !strings.Contains(w.log.String(), "pages "+way[1].PageStore.Name()) || strings.Count(w.log.String(), "read its configuration again") < 2 {
				return fmt.Errorf("its log is %s", &w.log)
			}
			return nil
		})
		err := w.call(http.MethodPost, "/api/v1/move", httpapi.MoveRequest{Config: way[1].File, From: way[0].PageStore.Name()}, nil)
		if err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("got error %v of a second move, want that the pages are there already", err)
		}
		w.stop()
		if why := m.runs(way[1], m.rows(), func() {}); why != "" {
			t.Errorf("the table is unverified after a move: %s", why)
		}
	}
}

// A SIGHUP ends the copy of a move, which continues when it begins again.
func TestReloadEndsAMove(t *testing.T) {
	e := &Engine{}
	ctx, mine := moves.NewLive(t.Context(), &configs.Config{}, &configs.Config{}, nil, nil)
	e.moving.now = mine
	e.moving.endBut(mine)
	if ctx.Err() != nil {
		t.Error("the order of a move has cancelled it")
	}
	e.moving.endBut(nil)
	if cause := context.Cause(ctx); cause != moves.ErrCut {
		t.Errorf("got cause %v, want that it was cut", cause)
	}
	if _, err := mine.Next(&configs.Config{}, new(timetrace.Trace)); err != moves.ErrCut {
		t.Errorf("got error %v of another engine, want that it was cut", err)
	}
}
