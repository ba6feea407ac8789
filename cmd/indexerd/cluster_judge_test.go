package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/httpapi"
)

// The judge compares the database with the documents that a client of the cluster
// sees. It asks neither indexerd nor its pages.

// A judgedNote is a note with its tags, in the database or the cluster.
type judgedNote struct {
	text    string    // the body and the tags, sorted
	stamped time.Time // the last updateTime of the note and its tags; zero in the cluster
}

// notes reads the database in one statement, by _id.
func (k *clusterChaos) notes() (map[string]judgedNote, error) {
	rows, err := k.db.Query(`SELECT n.id, n.body, coalesce(string_agg(t.name, '|' ORDER BY t.name COLLATE "C"), ''), greatest(n.updated, max(t.updated))
		FROM note n LEFT JOIN tag t ON t.note_id = n.id GROUP BY n.id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]judgedNote{}
	for rows.Next() {
		var id int64
		var body, tags string
		var stamped time.Time
		if err := rows.Scan(&id, &body, &tags, &stamped); err != nil {
			return nil, err
		}
		oid, err := doc.NewOID(id)
		if err != nil {
			return nil, err
		}
		all[base64.RawURLEncoding.EncodeToString([]byte(oid))] = judgedNote{body + "|" + tags, stamped}
	}
	return all, rows.Err()
}

// documents reads what the alias leads to, all of it or an error.
func (k *clusterChaos) documents() (map[string]judgedNote, error) {
	var answer struct {
		TimedOut bool                            `json:"timed_out"`
		Shards   struct{ Total, Successful int } `json:"_shards"`
		Hits     struct {
			Total struct{ Value int }
			Hits  []struct {
				ID     string `json:"_id"`
				Source struct {
					Body string
					Tags []string
				} `json:"_source"`
			}
		}
	}
	before, err := k.call(http.MethodGet, "/_alias/"+k.alias, nil)
	if err != nil {
		return nil, err
	}
	if _, err := k.call(http.MethodPost, "/"+k.alias+"/_refresh", nil); err != nil {
		return nil, err
	}
	text, err := k.call(http.MethodPost, "/"+k.alias+"/_search?allow_partial_search_results=false", map[string]any{"size": 10_000, "track_total_hits": true})
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	after, err := k.call(http.MethodGet, "/_alias/"+k.alias, nil)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(before, after) { // another index than was refreshed
		return nil, fmt.Errorf("the alias led to %s, and leads to %s", before, after)
	}
	if answer.TimedOut || answer.Shards.Successful < answer.Shards.Total || answer.Hits.Total.Value != len(answer.Hits.Hits) {
		return nil, fmt.Errorf("%d of %d documents, %d of %d shards", len(answer.Hits.Hits), answer.Hits.Total.Value, answer.Shards.Successful, answer.Shards.Total)
	}
	all := map[string]judgedNote{}
	for _, hit := range answer.Hits.Hits {
		slices.Sort(hit.Source.Tags)
		all[hit.ID] = judgedNote{text: hit.Source.Body + "|" + strings.Join(hit.Source.Tags, "|")}
	}
	return all, nil
}

// A verdict counts rows that differ.
type verdict struct{ lost, stale, ghost, torn int }

func (v *verdict) add(w verdict) {
	v.lost, v.stale, v.ghost, v.torn = v.lost+w.lost, v.stale+w.stale, v.ghost+w.ghost, v.torn+w.torn
}

// judges compares what S claims while rows and cluster change. Rows that change meanwhile
// and rows above S are not judged. An unverified table claims nothing.
func (k *clusterChaos) judges(t *testing.T) {
	t.Helper()
	s := k.table(t)
	if k.suspended || s.Settled.Unverified || s.Settled.At == nil {
		return
	}
	settled, marks := time.Time(*s.Settled.At), k.marks(t)
	before, err := k.notes()
	if err != nil {
		return // the server was killed
	}
	there, err := k.documents()
	if err != nil {
		return // no client can see the index
	}
	after, err := k.notes()
	if err != nil || k.marks(t).Rewinds != marks.Rewinds {
		return
	}
	var v verdict
	for id, row := range before {
		if after[id] == row && row.stamped.Before(settled) {
			v.add(k.differs(t, "S is "+settled.Format(time.RFC3339Nano), id, row, there))
			k.looks++
		}
	}
	k.found.add(v)
}

// equal compares everything once no writer runs and S has passed. Removals
// have until the end of a sweep.
func (k *clusterChaos) equal(t *testing.T, removals bool) {
	t.Helper()
	rows, err := k.notes()
	if err != nil {
		t.Fatal(err)
	}
	var there map[string]judgedNote
	eventually(t, soon, "the cluster shows its documents", func() (err error) {
		there, err = k.documents()
		return err
	})
	var v verdict
	for id, row := range rows {
		v.add(k.differs(t, "at rest", id, row, there))
	}
	for id, document := range there {
		if _, ok := rows[id]; !ok && removals {
			v.ghost++
			t.Errorf("%s, after a sweep: ghost %s: %q", k.phase, keyOf(id), document.text)
		}
	}
	k.found.add(v)
}

func (k *clusterChaos) differs(t *testing.T, when, id string, row judgedNote, there map[string]judgedNote) (v verdict) {
	t.Helper()
	document, ok := there[id]
	switch {
	case !ok:
		v.lost++
	case document.text != row.text:
		v.stale++
	default:
		return v
	}
	t.Errorf("%s, %s: note %s of %s differs: got %q, want %q", k.phase, when, keyOf(id), row.stamped.Format(time.RFC3339Nano), document.text, row.text)
	return v
}

// keyOf returns the key of an _id, as far as it is one.
func keyOf(id string) string {
	b, err := base64.RawURLEncoding.DecodeString(id)
	if err != nil {
		return id
	}
	return doc.OID(b).String()
}

// table asks the daemon for the status of the notes. While an index is opened, the daemon
// says so, shows no S, and is asked again.
func (k *clusterChaos) table(t *testing.T) httpapi.TableStatus {
	t.Helper()
	var s httpapi.Status
	eventually(t, restWithin, k.phase+": status", func() error {
		began := time.Now()
		body, err := get(k.daemon.base + "/api/v1/status")
		if k.status = max(k.status, time.Since(began)); k.status > statusWithin {
			t.Fatalf("%s: status took %v, want at most %v", k.phase, k.status, statusWithin)
		}
		if err != nil {
			k.silent = cmp.Or(k.silent, time.Now())
			return errors.Join(err, k.daemon.unbroken())
		}
		return json.Unmarshal(body, &s)
	})
	if table := s.Tables[0]; table.Settled.At != nil && !table.Settled.Unverified && k.marks(t).Rewinds == k.rewinds {
		k.silent = time.Time{}
	}
	return s.Tables[0]
}

// watches reads S, which falls only for a reason that status shows.
func (k *clusterChaos) watches(t *testing.T) {
	t.Helper()
	s := k.table(t).Settled
	if s.At == nil {
		return
	}
	at := time.Time(*s.At)
	if at.Before(k.settled) && (!s.Unverified || s.Reason == "") {
		k.fell++
		t.Errorf("%s: S fell from %v to %v, and status shows no reason", k.phase, k.settled, at)
	}
	k.settled = at
}

// rests ends the writers, and judges everything.
func (k *clusterChaos) rests(t *testing.T) {
	t.Helper()
	k.commits += k.stop()
	k.risen += k.doors.rise()
	began, now := time.Now(), clockOf(t, k.dsn)
	eventually(t, restWithin, k.phase+": S passes the last commit, verified", func() error {
		if err := k.daemon.unbroken(); err != nil {
			t.Fatal(err)
		}
		k.watches(t)
		s := k.table(t)
		switch {
		case s.Settled.At == nil || !time.Time(*s.Settled.At).After(now):
			return fmt.Errorf("settled to %v, the last error is %+v", s.Settled.At, s.LastError)
		case s.Settled.Unverified:
			return fmt.Errorf("unverified: %s, the last error is %+v", s.Settled.Reason, s.LastError)
		case s.Quarantined > 0:
			t.Fatalf("%s: %d rows are in quarantine, and no row is bad", k.phase, s.Quarantined)
		}
		return nil
	})
	k.rested = max(k.rested, time.Since(began))
	k.equal(t, false)
	eventually(t, soon, k.phase+": a sweep", func() error {
		if run := k.daemon.run(t, "note", "deletecheck"); run.State != "done" {
			return fmt.Errorf("%s %s", run.State, cmp.Or(pointed(run.Error), "without an error"))
		}
		return nil
	})
	k.equal(t, true)
	v := verifies(t, 0, k.file, "--content")
	k.found.add(verdict{v.Lost, v.Stale, v.Ghost, v.Torn})
}

func pointed(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// call sends a request to the first node that answers it, as an operator does.
func (k *clusterChaos) call(method, path string, body any) ([]byte, error) {
	var failures []error
	for _, node := range k.nodes() {
		text, err := callNode(node, method, path, body)
		if err == nil {
			return text, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}
