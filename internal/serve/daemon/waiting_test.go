package daemon

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"indexerd/internal/serve/front"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
	"indexerd/internal/test/simtest/servers"
)

// hanging is the way to servers of which some requests get no answer.
type hanging struct {
	servers.Gate
	mu     sync.Mutex
	server string // "": none hangs
	text   string // of the requests that hang
	ends   chan struct{}
}

func newHanging(g servers.Gate) *hanging { return &hanging{Gate: g, ends: make(chan struct{})} }

// hang makes the requests of a server hang that have a text, and those go on that hung.
func (h *hanging) hang(server, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.server, h.text = server, text
	close(h.ends)
	h.ends = make(chan struct{})
}

// Send implements servers.Gate.
func (h *hanging) Send(ctx context.Context, server, request string, effect func() func()) error {
	for {
		h.mu.Lock()
		hangs, ends := server == h.server && strings.Contains(request, h.text), h.ends
		h.mu.Unlock()
		if !hangs {
			return h.Gate.Send(ctx, server, request, effect)
		}
		select {
		case <-ends:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waits waits until the table actor is being opened and waits for something, and film is in a
// state.
func (d *peaceful) waits(t *testing.T, what, film string) (httpapi.Status, map[string]httpapi.TableStatus) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Second / 10) {
		s, tables := d.tables(t)
		if actor := tables["actor"]; actor.Opening != nil && actor.Opening.WaitsFor == what && tables["film"].State == film {
			return s, tables
		}
		if time.Now().After(end) {
			t.Fatalf("not that actor waits for %s and film is %s: %+v", what, film, tables)
		}
	}
}

// follows waits until both tables follow.
func (d *peaceful) follows(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Second) {
		s, tables := d.tables(t)
		if film, actor := tables["film"], tables["actor"]; s.Ready && film.State == "following" && actor.State == "following" && film.Documents == 30 && !actor.Settled.Unverified {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("not both tables follow: %+v", tables)
		}
	}
}

// A daemon that takes over while servers hang answers a request for its status within some
// seconds: a table that is open as it is, one that is not as opening, with what it waits
// for and since when. All other requests wait, and are refused then.
func TestStatusWhileServersHang(t *testing.T) {
	oneCollector(t)
	synctest.Test(t, func(t *testing.T) {
		d := newPeace(t).run(t, "a")
		d.follows(t)

		d.way.hang(servers.OpenSearch, "shop-actor")
		hung := time.Now()
		resigns(t, d.shared) // and leads again: there is no other daemon
		s, tables := d.waits(t, stored.WaitIndex, "opening")
		if since := time.Time(tables["actor"].Opening.Since); since.Before(hung) || since.After(time.Now()) {
			t.Errorf("waits since %v, want %v or later", since, hung)
		}
		if s.Ready || s.Leader == nil || !s.Leader.This || s.PID == 0 {
			t.Errorf("got %+v, leader %+v, want that both tables are being opened by the leader", s, s.Leader)
		}

		d.way.hang(servers.Pages, "actor")
		_, tables = d.waits(t, stored.WaitPages, "following")
		actor, film := tables["actor"], tables["film"]
		if actor.State != "opening" || actor.Settled.At == nil || actor.Marks.Incremental == nil || !actor.Settled.Unverified {
			t.Errorf("got %+v, want a table that is being opened, with its marks", actor)
		}
		if film.Opening != nil || film.Documents != 30 {
			t.Errorf("got %+v, want that the other table is open", film)
		}
		if code, body, _ := d.shown("/metrics"); code != http.StatusOK || !strings.Contains(body, `indexerd_opening{table="actor"} 1`) ||
			strings.Contains(body, `indexerd_documents{table="actor"}`) || !strings.Contains(body, `indexerd_documents{table="film"} 30`) {
			t.Errorf("/metrics: got %d, %s", code, body)
		}
		if code, body, took := d.shown("/api/v1/tables/film/search?q=1"); code != http.StatusServiceUnavailable || took != front.HoldWithin || !strings.Contains(body, "ask again in a moment") {
			t.Errorf("a search: got %d after %v, %s, want 503 with a hint after %v", code, took, body, front.HoldWithin)
		}
		_, tables = d.tables(t)
		if again := tables["actor"].Opening; again == nil || *again != *actor.Opening {
			t.Errorf("got %+v, want the same as before, %+v", again, actor.Opening)
		}

		d.way.hang("", "")
		d.follows(t)
	})
}
