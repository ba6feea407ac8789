package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/progress"
	"indexerd/internal/serve/moves"
	"indexerd/store"
)

// A movedTable has its pages in files or in the emulator of Bigtable.
type movedTable struct {
	*remote
	files, table *configs.Config
}

func newMoved(t *testing.T) *movedTable {
	r := newRemote(t)
	files, err := configs.Load(writeFile(t, fmt.Sprintf("data: %s\nhttp: {listen: 127.0.0.1:0}\nsources:\n  db: {driver: sqlite, dsn: %s}\ntables:\n", r.data, r.path)+
		bodyTable("item", ", pages: {versions: 2}")), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return &movedTable{r, files, r.config(r.data)}
}

// runs runs a daemon until verify finds a number of rows equal, and returns why the
// table was unverified at its start.
func (m *movedTable) runs(cfg *configs.Config, rows int, f func()) (unverified string) {
	m.t.Helper()
	m.t.Run("run", func(t *testing.T) {
		e := openToServe(t, cfg)
		marks, _ := e.trace.Table("item")
		unverified = marks.Unverified
		serve(t, e, slog.New(slog.DiscardHandler))
		m.equal(e, rows)
		f()
	})
	return unverified
}

func (m *movedTable) move(ctx context.Context, from, to *configs.Config) (all []moves.Moved, err error) {
	err = moves.Pages(ctx, from, to, nil, func(one moves.Moved) { all = append(all, one) })
	return all, err
}

// begun begins a move, and ends it after the first batch of pages.
func (m *movedTable) begun(from, to *configs.Config) error {
	meter := new(progress.Meter)
	return moves.Pages(untilMoved{m.t.Context(), meter}, from, to, meter, func(moves.Moved) {})
}

// untilMoved is a context that is cancelled when pages are moved.
type untilMoved struct {
	context.Context
	meter *progress.Meter
}

// Err implements context.Context.
func (u untilMoved) Err() error {
	if u.meter.Reading().Done > 0 {
		return context.Canceled
	}
	return u.Context.Err()
}

// Pages go to another store and back. The tables stay verified, and their content is
// that of the database.
func TestMovePages(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {
		if _, err := m.move(t.Context(), m.files, m.table); !errors.Is(err, store.ErrLocked) {
			t.Errorf("got error %v beside a daemon, want that the directory is locked", err)
		}
	})
	for i, way := range [][2]*configs.Config{{m.files, m.table}, {m.table, m.files}, {m.files, m.table}} {
		if err := m.begun(way[0], way[1]); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v of a move that is cancelled", err)
		}
		all, err := m.move(t.Context(), way[0], way[1])
		if err != nil || len(all) != 1 || !all[0].Exact() || all[0].Pages != 300-i {
			t.Fatalf("got %+v, %v, want %d pages moved", all, err, 300-i)
		}
		if _, err := m.move(t.Context(), way[0], way[1]); err == nil || !strings.Contains(err.Error(), "already") {
			t.Errorf("got error %v of a second move, want that the pages are there already", err)
		}
		why := m.runs(way[1], 300-i, func() {
			m.exec(fmt.Sprintf("DELETE FROM item WHERE id = %d", i+1), fmt.Sprintf("UPDATE item SET body = 'changed %d', u = %d WHERE id > 250", i, 1800000000+i))
		})
		if why != "" {
			t.Errorf("the table is unverified after a move: %s", why)
		}
		m.runs(way[1], 299-i, func() {})
	}
}

// A daemon that starts with another store, without a move or after one that did not end,
// has an unverified table, and its sweep fetches the pages.
func TestOtherStoreWithoutMove(t *testing.T) {
	m := newMoved(t)
	m.runs(m.files, 300, func() {})
	if err := m.begun(m.files, m.table); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v of a move that is cancelled", err)
	}
	for _, cfg := range []*configs.Config{m.table, m.files} {
		if why := m.runs(cfg, 300, func() {
			m.exec("UPDATE item SET body = 'changed', u = 1800000000 + id WHERE id < 50")
		}); !strings.Contains(why, "in another store") {
			t.Errorf("got reason %q, want that the pages are in another store", why)
		}
	}
}

// What works on the files of one data directory refuses marks that are shared.
func TestSharedMarksAreNoFiles(t *testing.T) {
	files := &configs.Config{Data: t.TempDir(), PageStore: configs.PageStore{Engine: configs.FileMap}}
	remote := &configs.Config{Data: files.Data, PageStore: configs.PageStore{Engine: configs.HBase}, Marks: configs.Marks{Engine: configs.Etcd}}
	for _, way := range [][2]*configs.Config{{files, remote}, {remote, files}} {
		err := moves.Pages(t.Context(), way[0], way[1], nil, nil)
		if err == nil || !strings.Contains(err.Error(), "while marks are in the file") {
			t.Errorf("move: got error %v, want that it is refused", err)
		}
	}
}
