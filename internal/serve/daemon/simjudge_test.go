package daemon

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/release"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/state/etcd"
	"indexerd/internal/state/quarantine"
	"indexerd/internal/test/fakeworld"
	"indexerd/internal/test/simtest/servers"
	"indexerd/timetrace"
)

// simJudge sees each step of the servers, and what the marks promise.
type simJudge struct {
	w *simWorld

	leader  string // machine; "": none
	term    uint64
	terms   map[string]uint64 // of a machine's last election
	of      map[string]uint64 // term of the daemon that has made a write alias
	read    map[string]int    // by machine: the step at which it read the marks
	fenced  map[string]fence  // by machine
	step    int
	epoch   uint64            // the highest in a version of a document
	late    map[string]uint64 // pages of an epoch before that have arrived, and their versions
	settled time.Time
	rewinds uint64

	seeds, commits, takeovers, settles, writes int
	lost, stale, ghost                         int
}

// fence is when a daemon first removed a write alias in a term.
type fence struct {
	term uint64
	step int
}

// simPrefix is where the daemons have their keys.
const simPrefix = "/indexerd/shop/"

func newSimJudge(w *simWorld) simJudge {
	w.etcd.Wrote = func(by string, keys []string) { w.judge.keysWritten(by, keys) }
	w.etcd.Read = func(by, key string) { w.judge.keyRead(by, key) }
	w.cluster.Opened = func(by, alias string) { w.judge.of[alias] = w.judge.terms[by] }
	w.cluster.Fenced = func(by, _ string) { w.judge.aliasRemoved(by) }
	w.pages.Wrote = func(_ string, row pagetable.Cells) { w.judge.pageWritten(row) }
	w.redis.Excluded = func(by string, oid doc.OID) { w.judge.excluded(by, oid) }
	w.cluster.Wrote = func(by, alias string, d servers.Document) { w.judge.documentWritten(by, alias, d) }
	return simJudge{w: w, terms: map[string]uint64{}, of: map[string]uint64{}, read: map[string]int{}, fenced: map[string]fence{}, late: map[string]uint64{}}
}

// keysWritten judges a transaction of etcd.
func (j *simJudge) keysWritten(by string, keys []string) {
	for _, key := range keys {
		name := strings.TrimPrefix(key, simPrefix)
		switch {
		case name == "leader":
			j.elected()
		case strings.HasPrefix(name, "state/") && by != j.leader:
			j.w.faultLocked("%s has written %s while %q led", by, name, j.leader)
		}
		if name == "state/marks/film" {
			j.marksWritten(by)
		}
	}
}

// elected judges an election, or the end of a term.
func (j *simJudge) elected() {
	value := j.w.etcd.Value(simPrefix + "leader")
	if value == nil {
		j.w.logLocked("no daemon leads")
		j.leader = ""
		return
	}
	var leader etcd.Leader
	if err := json.Unmarshal(value, &leader); err != nil {
		j.w.faultLocked("the leader: %v", err)
	}
	if leader.Term <= j.term {
		j.w.faultLocked("%s leads in term %d after term %d", leader.Name, leader.Term, j.term)
	}
	j.w.logLocked("%s leads in term %d", leader.Name, leader.Term)
	j.leader, j.term, j.terms[leader.Name] = leader.Name, leader.Term, leader.Term
	j.takeovers++
}

// keyRead notes when a daemon reads the marks.
func (j *simJudge) keyRead(by, key string) {
	if strings.HasPrefix(key, simPrefix+"state/marks/") {
		j.step++
		j.read[by] = j.step
	}
}

// aliasRemoved notes when a daemon first fences the index in a term.
func (j *simJudge) aliasRemoved(by string) {
	if term := j.terms[by]; j.fenced[by].term != term {
		j.step++
		j.fenced[by] = fence{term, j.step}
	}
}

// documentWritten judges a write that the index has accepted.
func (j *simJudge) documentWritten(by, alias string, d servers.Document) {
	j.writes++
	j.epoch = max(j.epoch, d.Version>>etcd.NumberBits)
	if term := j.of[alias]; d.Version>>etcd.NumberBits < term {
		j.w.faultLocked("%s has written version %d of a document in term %d", by, d.Version, term)
	}
}

// pageWritten notes pages that an earlier leader has sent.
func (j *simJudge) pageWritten(row pagetable.Cells) {
	if at := row.Cells[0].At; at>>etcd.NumberBits < max(j.epoch, j.term) {
		j.late[row.Key] = at
	}
}

// excluded judges a key that the filter does not have: no leader's page has it. That of an
// earlier leader may arrive when the filter has been built again.
func (j *simJudge) excluded(by string, oid doc.OID) {
	key, page, ok := j.w.pages.Newest("." + hex.EncodeToString([]byte(oid)))
	if ok && page.Value[1] == 1 && j.late[key] != page.At {
		j.w.faultLocked("the filter tells %s that page %v does not exist, and it is version %d", by, oid, page.At)
	}
}

// A fixed is a store of what etcd has.
type fixed map[string][]byte

func (f fixed) Read() (map[string][]byte, error) { return f, nil }
func (f fixed) Write(map[string][]byte) error    { return etcd.ErrLost }
func (f fixed) String() string                   { return "etcd" }

// marks returns the marks that etcd has.
func (j *simJudge) marks() timetrace.Table {
	trace, err := timetrace.OpenIn(fixed(j.w.etcd.Under(simPrefix+"state/marks/")), release.Version)
	if err != nil {
		j.w.faultLocked("the marks: %v", err)
		return timetrace.Table{}
	}
	marks, _ := trace.Table("film")
	return marks
}

func (j *simJudge) quarantine() *quarantine.Quarantine {
	q, err := quarantine.OpenIn(fixed(j.w.etcd.Under(simPrefix + "state/quarantine/film/")))
	if err != nil {
		j.w.faultLocked("the quarantine: %v", err)
		q, _ = quarantine.OpenIn(fixed{})
	}
	return q
}

// marksWritten judges what new marks promise.
func (j *simJudge) marksWritten(by string) {
	m := j.marks()
	if f := j.fenced[by]; f.term == j.terms[by] && j.read[by] < f.step {
		j.w.faultLocked("%s has read the marks before it fenced the index in term %d", by, f.term)
	}
	if m.Settled.Before(j.settled) && m.Rewinds == j.rewinds && m.Loaded {
		j.w.faultLocked("%s has moved S from %v back to %v", by, j.settled, m.Settled)
	}
	if !m.Settled.After(j.settled) {
		return
	}
	j.settles++
	j.settled, j.rewinds = m.Settled, m.Rewinds
	if !m.Loaded || m.Unverified != "" {
		return
	}
	docs, q := j.w.cluster.Documents("shop-film"), j.quarantine()
	for _, oid := range slices.Sorted(maps.Keys(j.w.table.Rows())) {
		if row := j.w.table.Rows()[oid]; row.Updated.Before(m.Settled) {
			if difference := j.difference(oid, row, docs, q); difference != "" {
				j.w.faultLocked("%s has moved S to %v, and row %v of %v is %s", by, m.Settled, oid, row.Updated, difference)
			}
		}
	}
}

// difference returns how documents and quarantine differ from a row; "": they do not.
func (j *simJudge) difference(oid doc.OID, row fakeworld.Row, docs map[string]servers.Document, q *quarantine.Quarantine) string {
	if strings.HasPrefix(row.Title, tooLong) {
		if q.Has(oid) {
			return ""
		}
		j.lost++
		return "rejected, and not in quarantine"
	}
	d, ok := docs[base64.RawURLEncoding.EncodeToString([]byte(oid))]
	var source struct {
		Title string
		IX    struct{ Row struct{ Title string } }
	}
	if ok {
		if err := json.Unmarshal(d.Source, &source); err != nil {
			return err.Error()
		}
	}
	switch {
	case !ok:
		j.lost++
		return "lost"
	case source.Title+source.IX.Row.Title != row.Title:
		j.stale++
		return fmt.Sprintf("stale: the index has %q, the database %q", source.Title+source.IX.Row.Title, row.Title)
	}
	if _, listed := q.Partial(oid); strings.HasPrefix(row.Title, noNumber) && !listed {
		return "without its number, and not listed as partial"
	}
	return ""
}

// follows reports whether a daemon leads that has nothing left to do.
func (j *simJudge) follows() bool {
	m := j.marks()
	newest := time.Time{}
	for _, row := range j.w.table.Rows() {
		if row.Updated.After(newest) {
			newest = row.Updated
		}
	}
	return j.leader != "" && m.Loaded && m.Unverified == "" && m.Settled.After(newest)
}

func (j *simJudge) state() string {
	j.w.mu.Lock()
	defer j.w.mu.Unlock()
	m := j.marks()
	return fmt.Sprintf("%q leads, loaded %t, unverified %q, S %v", j.leader, m.Loaded, m.Unverified, m.Settled)
}

// all compares rows with documents, pages and quarantine, both ways. What a row in
// quarantine had before may be of two writes, if a daemon was killed between them: the
// sweep leaves it.
func (j *simJudge) all() {
	j.w.mu.Lock()
	defer j.w.mu.Unlock()
	rows, docs, q := j.w.table.Rows(), j.w.cluster.Documents("shop-film"), j.quarantine()
	pages := j.pagesOf()
	for _, oid := range slices.Sorted(maps.Keys(rows)) {
		row, id := rows[oid], base64.RawURLEncoding.EncodeToString([]byte(oid))
		if difference := j.difference(oid, row, docs, q); difference != "" {
			j.w.faultLocked("at the end: row %v is %s", oid, difference)
		} else if d, ok := docs[id]; ok && !q.Has(oid) && pages[oid].V != doc.Version(d.Version) {
			j.stale++
			j.w.faultLocked("at the end: row %v is torn: its page has version %d, its document %d", oid, pages[oid].V, d.Version)
		}
		delete(docs, id)
		delete(pages, oid)
	}
	for id := range docs {
		j.ghost++
		j.w.faultLocked("at the end: document %s has no row", id)
	}
	for oid := range pages {
		j.ghost++
		j.w.faultLocked("at the end: page %v has no row", oid)
	}
	for _, oid := range q.Keys("", 1000) {
		if _, ok := rows[oid]; !ok {
			j.ghost++
			j.w.faultLocked("at the end: row %v is in quarantine, and was deleted", oid)
		}
	}
}

// pagesOf returns the pages in the store.
func (j *simJudge) pagesOf() map[doc.OID]doc.Meta {
	pages := pagetable.Config{Store: j.w.pages.Connect("judge", open{}), Name: "film", Versions: 1}.OpenReadOnly()
	defer pages.Close()
	found := map[doc.OID]doc.Meta{}
	for m, err := range pages.All() {
		if err != nil {
			j.w.faultLocked("the pages: %v", err)
			break
		}
		found[m.OID] = m
	}
	return found
}

// open is a gate that is open: it is for the judge, who holds the world.
type open struct{}

// Send implements servers.Gate.
func (open) Send(_ context.Context, _, _ string, effect func() func()) error {
	if later := effect(); later != nil {
		later()
	}
	return nil
}
