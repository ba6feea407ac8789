package opensearch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/query"
)

// A standIn is a cluster with one index, which a test changes.
type standIn struct {
	mu         sync.Mutex
	meta       meta
	uuid       string
	history    string
	durability string
	aliases    map[string]struct{}
	successful int // shards of three, in an answer to a search
	state      string
	operations int
	deleted    bool     // while it is examined
	others     []string // to which the alias leads, too
}

const standInName = "films-g7-a"

func newStandIn(t *testing.T) (*standIn, Config) {
	t.Helper()
	s := &standIn{uuid: "u1", history: "h1", durability: "request", aliases: map[string]struct{}{"films": {}}, successful: 3, state: "STARTED"}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c := config(t, server.URL)
	c.Name = "films"
	s.meta = meta{Owner: c.Owner, Generation: 7, epoch: epoch{4, EpochBits}, Mapping: films}
	return s, c
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := object{}
	switch path := r.URL.Path; {
	case path == "/_alias/films":
		for _, name := range append(s.others, standInName) {
			answer[name] = object{}
		}
	case path == "/_aliases":
		var body struct {
			Actions []map[string]struct{ Alias string }
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		for _, a := range body.Actions {
			s.aliases[a["add"].Alias] = struct{}{}
			delete(s.aliases, a["remove"].Alias)
		}
	case strings.HasSuffix(path, "/_stats") && s.deleted:
		w.WriteHeader(http.StatusNotFound)
	case strings.HasSuffix(path, "/_stats"):
		answer["indices"] = object{standInName: object{"shards": object{"0": []object{s.shard()}}}}
	case strings.HasSuffix(path, "/_mapping"):
		var body struct {
			Meta struct{ Indexerd meta } `json:"_meta"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.meta = body.Meta.Indexerd
	case strings.HasSuffix(path, "/_search"):
		answer["_shards"] = object{"total": 3, "successful": s.successful}
	case path == "/"+standInName:
		answer[standInName] = object{
			"aliases": s.aliases, "mappings": object{"_meta": object{"indexerd": s.meta}},
			"settings": object{"index": object{"uuid": s.uuid, "number_of_shards": "1", "translog": object{"durability": s.durability}}},
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// shard is the primary, as _stats shows it.
func (s *standIn) shard() object {
	return object{
		"routing": object{"primary": true, "state": s.state, "node": "n"}, "seq_no": object{"max_seq_no": s.operations - 1},
		"commit": object{"user_data": object{"history_uuid": s.history}},
	}
}

// stored returns what the index says of itself.
func (s *standIn) stored() (m meta) {
	s.change(func() { m = s.meta })
	return m
}

// change changes the index behind the back of those who have it open.
func (s *standIn) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

func opened(t *testing.T, c Config) *Index {
	t.Helper()
	ix, err := c.Open(t.Context(), 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ix.Close() })
	return ix
}

// An index whose acknowledged writes a crash can lose is refused.
func TestAsynchronousIndexIsRefused(t *testing.T) {
	s, c := newStandIn(t)
	s.durability = "async"
	if _, err := c.Open(t.Context(), 7); err == nil || !strings.Contains(err.Error(), "translog.durability") {
		t.Errorf("got %v, want that the durability is wrong", err)
	}
}

// Each Open begins an epoch of its own, in the index before it returns.
func TestEveryOpenRaisesTheEpoch(t *testing.T) {
	s, c := newStandIn(t)
	for want := uint64(5); want < 8; want++ {
		if ix := opened(t, c); ix.Epoch() != want || s.stored().Epoch != want {
			t.Errorf("got epoch %d, in the index %d, want %d", ix.Epoch(), s.stored().Epoch, want)
		}
	}
}

// An epoch is at least the term of the daemon.
func TestTheEpochIsNotBelowTheTerm(t *testing.T) {
	s, c := newStandIn(t)
	for _, test := range []struct{ term, want uint64 }{{0, 5}, {9, 9}, {9, 10}, {10, 11}, {7, 12}, {13, 13}} {
		c.Term = test.term
		if ix := opened(t, c); ix.Epoch() != test.want || s.stored().Epoch != test.want {
			t.Errorf("term %d: got epoch %d, in the index %d, want %d", test.term, ix.Epoch(), s.stored().Epoch, test.want)
		}
	}
}

// Versions of an index that an older program has opened are above 2^40 for each epoch. It
// is known by the identity that this program has left.
func TestAnEpochOfAnOlderProgram(t *testing.T) {
	s, c := newStandIn(t)
	if err := opened(t, c).Trust(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(c.Dir, identityFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(text), `"epoch":5,"epoch_bits":36`, `"epoch":5`, 1)
	if err := os.WriteFile(name, []byte(old), 0o600); err != nil || old == string(text) {
		t.Fatalf("got %s, error %v, want an epoch of 36 bits", text, err)
	}
	s.change(func() { s.meta.epoch = epoch{Epoch: 5} })
	ix := opened(t, c)
	if doubt := ix.Doubt(); doubt != "" {
		t.Errorf("got %q, want no doubt", doubt)
	}
	if before, now := uint64(5)<<40, ix.Epoch()<<EpochBits; now <= before {
		t.Errorf("got numbers above %d, want above %d", now, before)
	}
}

// An index that is not as this data directory has left it is doubted until Trust.
func TestDoubt(t *testing.T) {
	s, c := newStandIn(t)
	doubt := func(what string, want bool) {
		t.Helper()
		ix := opened(t, c)
		if got := ix.Doubt(); (got != "") != want {
			t.Errorf("%s: got %q, want a doubt: %t", what, got, want)
		}
		if err := ix.Trust(); err != nil {
			t.Fatal(err)
		}
	}
	doubt("a new data directory", true)
	doubt("as it was left", false)
	for what, change := range map[string]func(){
		"an index of the same name":       func() { s.uuid += "x" },
		"a shard restored":                func() { s.history += "x" },
		"opened by another since":         func() { s.meta.Epoch++ },
		"the index of another generation": func() { s.meta.Generation++ },
	} {
		s.change(change)
		doubt(what, true)
		doubt(what+", then as it was left", false)
	}
}

// An index that others replace is noticed while it is open.
func TestExamine(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*standIn)
		want   error
	}{
		{"nothing", func(*standIn) {}, nil},
		{"another index", func(s *standIn) { s.uuid = "u2" }, ErrReplaced},
		{"a shard restored", func(s *standIn) { s.history = "h2" }, ErrReplaced},
		{"the alias leads elsewhere", func(s *standIn) { delete(s.aliases, "films") }, ErrReplaced},
		{"deleted while it is examined", func(s *standIn) { s.deleted = true }, ErrReplaced},
		{"a primary that starts", func(s *standIn) { s.state = "INITIALIZING" }, ErrAway},
		{"opened by another", func(s *standIn) { s.aliases = map[string]struct{}{"films": {}, standInName + "-w-x": {}} }, ErrFenced},
	} {
		s, c := newStandIn(t)
		ix := opened(t, c)
		s.change(func() { test.change(s) })
		if err := ix.Examine(t.Context()); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, err, test.want)
		}
	}
}

// The index of another data directory is opened only to take it over.
func TestTakeOver(t *testing.T) {
	s, c := newStandIn(t)
	s.change(func() { s.meta.Owner = "another" })
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrOwner) {
		t.Errorf("got %v, want %v", err, ErrOwner)
	}
	c.TakeOver = true
	if ix := opened(t, c); ix.Doubt() == "" || s.stored().Owner != c.Owner {
		t.Errorf("taken over: got doubt %q and owner %s, want a doubt and %s", ix.Doubt(), s.stored().Owner, c.Owner)
	}
}

// An alias that leads to an index which is not indexerd's, or to two, is waited for:
// someone has to correct it.
func TestAliasOfOthersIsWaitedFor(t *testing.T) {
	s, c := newStandIn(t)
	c.TakeOver = true
	s.change(func() { s.meta.Owner = "" })
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrAway) || errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "remove the alias films") {
		t.Errorf("another index: got %v, want %v", err, ErrAway)
	}
	s.change(func() { s.meta.Owner, s.others = "me", []string{"theirs"} })
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrAway) || !strings.Contains(err.Error(), "leads to 2 indexes") {
		t.Errorf("two indexes: got %v, want %v", err, ErrAway)
	}
}

// A client that writes to an alias which leads nowhere makes an index of its name. It is
// no other daemon's, so that the daemon waits until it is deleted.
func TestIndexInPlaceOfTheAliasIsWaitedFor(t *testing.T) {
	c := node(t)
	w := newWire(c)
	if err := w.ask(t.Context(), http.MethodPut, "/"+c.Name+"/_doc/1", object{"title": "of a client"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Open(t.Context(), 7); !errors.Is(err, ErrMissing) {
		t.Errorf("Open: got %v, want %v", err, ErrMissing)
	}
	if err := c.Claim(t.Context()); !errors.Is(err, ErrAway) || errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("Claim: got %v, want %v and what to do", err, ErrAway)
	}
	if err := w.ask(t.Context(), http.MethodDelete, "/"+c.Name, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Claim(t.Context()); err != nil {
		t.Errorf("deleted: got %v, want none", err)
	}
}

// A search of some shards only is an error, not fewer hits.
func TestSearchNeedsAllShards(t *testing.T) {
	s, c := newStandIn(t)
	ix := opened(t, c)
	if _, err := ix.Search(t.Context(), query.Request{Query: query.All{}, Size: 1}); err != nil {
		t.Error(err)
	}
	s.change(func() { s.successful = 2 })
	if _, err := ix.Search(t.Context(), query.Request{Query: query.All{}, Size: 1}); !errors.Is(err, ErrAway) {
		t.Errorf("got %v, want %v", err, ErrAway)
	}
	if err := ix.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Search(t.Context(), query.Request{Query: query.All{}, Size: 1}); !errors.Is(err, fulltext.ErrClosed) {
		t.Errorf("after Close: got %v, want %v", err, fulltext.ErrClosed)
	}
}
