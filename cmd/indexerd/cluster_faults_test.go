package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/pgtest"
)

// A clusterFault begins, and ends when the function that it returns was called.
type clusterFault struct {
	name    string
	begin   func(k *clusterChaos, t *testing.T) (end func())
	alone   bool // no other fault beside it, which would hide or undo this one
	tampers bool // changes the index behind the daemon: S claims nothing until it notices
}

var clusterFaults = []clusterFault{
	{name: "the daemon is killed", begin: (*clusterChaos).daemonKilled},
	{name: "429 for items", begin: atDoors("busy items", 0.8)},
	{name: "a node is killed", begin: (*clusterChaos).nodeKilled},
	{name: "429", begin: atDoors("busy", 0.6)},
	{name: "the index is deleted", begin: (*clusterChaos).deleted, tampers: true},
	{name: "slow answers", begin: atDoors("late", 0.5)},
	{name: "the primary's node is killed", begin: (*clusterChaos).primaryKilled},
	{name: "answers are cut", begin: atDoors("cut", 0.3)},
	{name: "a sweep", begin: requests("/api/v1/tables/note/sweep")},
	{name: "the index is restored", begin: (*clusterChaos).restored, alone: true, tampers: true},
	{name: "no answers", begin: atDoors("unanswered", 0.4)},
	{name: "a node hangs", begin: (*clusterChaos).nodePaused},
	{name: "a reindex", begin: requests("/api/v1/tables/note/reindex")},
	{name: "documents are changed", begin: (*clusterChaos).documentsChanged, alone: true, tampers: true},
	{name: "the database is killed", begin: (*clusterChaos).databaseKilled},
	{name: "bulks are held back", begin: atDoors("zombie", 0.7)},
	{name: "the index is read-only", begin: (*clusterChaos).readOnly},
	{name: "all nodes are killed", begin: (*clusterChaos).nodesKilled, alone: true},
	{name: "documents are deleted", begin: (*clusterChaos).documentsDeleted, alone: true, tampers: true},
	{name: "503", begin: atDoors("unavailable", 0.7)},
	{name: "the index is closed", begin: (*clusterChaos).closed, alone: true},
	{name: "a second daemon", begin: (*clusterChaos).secondDaemon, alone: true, tampers: true},
	{name: "a black hole", begin: atDoors("hole", 0.3)},
	{name: "the alias is moved", begin: (*clusterChaos).aliasMoved, alone: true, tampers: true}, // a read-only index keeps its alias
	{name: "tombstones are forgotten, bulks are held back", begin: (*clusterChaos).forgetful},
	{name: "a client writes to the alias of no index", begin: (*clusterChaos).autoCreated, alone: true, tampers: true},
	{name: "everything is killed", begin: (*clusterChaos).everythingKilled, alone: true},
	{name: "the user is denied", begin: atDoors("denied", 0.8), alone: true},
	{name: "an older index comes back", begin: (*clusterChaos).deletedAndRestored, alone: true, tampers: true},
}

func atDoors(kind string, often float64) func(*clusterChaos, *testing.T) func() {
	return func(k *clusterChaos, _ *testing.T) func() {
		k.doors.suffer(kind, often, k.within(2*time.Second))
		return k.doors.heal
	}
}

// requests asks the daemon for a job, again and again.
func requests(path string) func(*clusterChaos, *testing.T) func() {
	return func(k *clusterChaos, _ *testing.T) func() {
		ctx, end := context.WithCancel(context.Background())
		go func() {
			for ctx.Err() == nil {
				_, _ = post(k.daemon.base + path) // refused while one is under way
				<-time.After(again)
			}
		}()
		return end
	}
}

func (k *clusterChaos) daemonKilled(t *testing.T) func() {
	k.killDaemon(t)
	<-time.After(k.within(time.Second))
	k.start(t)
	return func() {}
}

// index returns the name of the index in use.
func (k *clusterChaos) index(t *testing.T) string {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(k.must(t, http.MethodGet, "/_alias/"+k.alias, nil), &answer); err != nil || len(answer) != 1 {
		t.Fatalf("%s: the alias leads to %v, %v, want one index", k.phase, answer, err)
	}
	for name := range answer {
		return name
	}
	return ""
}

// whole waits until every shard has all of its copies, so that one node can go. A node
// that hangs may be out of the cluster.
func (k *clusterChaos) whole(t *testing.T) {
	t.Helper()
	nodes := url.QueryEscape(fmt.Sprintf(">=%d", len(k.cluster.Nodes)-len(k.hung)))
	k.must(t, http.MethodGet, "/_cluster/health/"+k.alias+"?wait_for_status=green&timeout=15s&wait_for_nodes="+nodes, nil)
}

func (k *clusterChaos) nodeKilled(t *testing.T) func() {
	k.whole(t)
	return k.killNodes(t, k.cluster.Nodes[k.random.IntN(len(k.cluster.Nodes))])
}

func (k *clusterChaos) primaryKilled(t *testing.T) func() {
	k.whole(t)
	var shards []struct{ Prirep, Node string }
	if err := json.Unmarshal(k.must(t, http.MethodGet, "/_cat/shards/"+k.index(t)+"?format=json", nil), &shards); err != nil {
		t.Fatal(err)
	}
	for _, s := range shards {
		for _, n := range k.cluster.Nodes {
			if s.Prirep == "p" && n.Name == s.Node {
				return k.killNodes(t, n)
			}
		}
	}
	t.Fatalf("%s: no node has the primary: %v", k.phase, shards)
	return nil
}

func (k *clusterChaos) nodesKilled(t *testing.T) func() { return k.killNodes(t, k.cluster.Nodes...) }

// killNodes kills nodes, and starts them again at the end.
func (k *clusterChaos) killNodes(t *testing.T, nodes ...*nodetest.Node) func() {
	t.Helper()
	for _, n := range nodes {
		n.Kill()
		k.kills++
	}
	return func() {
		for _, n := range nodes {
			if err := n.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// nodePaused pauses a node. When it goes on, it answers with what it had until it hears
// of the others, as docs/engines.md says: until then no client asks it.
func (k *clusterChaos) nodePaused(t *testing.T) func() {
	n := k.cluster.Nodes[k.random.IntN(len(k.cluster.Nodes))]
	n.Pause()
	k.hung = append(k.hung, n)
	return func() {
		<-time.After(k.within(6 * time.Second))
		n.Resume()
		eventually(t, 2*soon, k.phase+": the node that hung hears of the others", func() error {
			known, err := k.stateOf(n.URL())
			newest := 0
			for _, other := range k.nodes() {
				v, _ := k.stateOf(other) // it may be killed
				newest = max(newest, v)
			}
			if err == nil && known < newest {
				err = fmt.Errorf("it has state %d of %d", known, newest)
			}
			return err
		})
		k.hung = slices.DeleteFunc(k.hung, func(other *nodetest.Node) bool { return other == n })
	}
}

// stateOf returns the version of the cluster's state that a node has.
func (k *clusterChaos) stateOf(node string) (version int, err error) {
	var state struct{ Version int }
	text, err := callNode(node, http.MethodGet, "/_cluster/state/version?local=true", nil)
	if err == nil {
		err = json.Unmarshal(text, &state)
	}
	return state.Version, err
}

func (k *clusterChaos) databaseKilled(t *testing.T) func() {
	first, _, _ := strings.Cut(pgtest.Value[string](t, k.dsn, "SELECT pg_read_file('postmaster.pid')"), "\n")
	var pid int
	if _, err := fmt.Sscan(first, &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	k.kills++
	return func() {
		eventually(t, soon, "the database starts again", func() error {
			if err := k.server.Restart(context.Background()); err != nil {
				return errors.New(lastLine(err.Error()))
			}
			return nil
		})
	}
}

func (k *clusterChaos) everythingKilled(t *testing.T) func() {
	nodes, database := k.nodesKilled(t), k.databaseKilled(t)
	k.killDaemon(t)
	k.start(t)
	return func() { nodes(); database() }
}

func (k *clusterChaos) deleted(t *testing.T) func() {
	name := k.index(t)
	k.must(t, http.MethodPut, "/"+name+"/_settings", map[string]any{"index.blocks.read_only": nil}) // OpenSearch deletes no index with this block
	k.must(t, http.MethodDelete, "/"+name, nil)
	return func() {}
}

// set changes settings of the index.
func (k *clusterChaos) set(t *testing.T, settings map[string]any) {
	t.Helper()
	k.must(t, http.MethodPut, "/"+k.alias+"/_settings", settings)
}

func (k *clusterChaos) readOnly(t *testing.T) func() {
	block := []string{"index.blocks.read_only", "index.blocks.write", "index.blocks.read_only_allow_delete"}[k.random.IntN(3)]
	k.set(t, map[string]any{block: true})
	return func() {
		<-time.After(k.within(4 * time.Second))
		k.set(t, map[string]any{block: nil})
	}
}

func (k *clusterChaos) closed(t *testing.T) func() {
	name := k.index(t)
	k.must(t, http.MethodPost, "/"+name+"/_close", nil)
	return func() {
		<-time.After(k.within(4 * time.Second))
		k.must(t, http.MethodPost, "/"+name+"/_open", nil)
	}
}

// forgetful makes the cluster forget removals at once, and holds bulks back. What
// comes late then stays until a sweep.
func (k *clusterChaos) forgetful(t *testing.T) func() {
	name := k.index(t)
	k.set(t, map[string]any{"index.gc_deletes": "0s"})
	k.doors.suffer("zombie", 0.7, 0)
	return func() {
		k.doors.heal()
		<-time.After(k.within(2 * time.Second))
		_, _ = k.call(http.MethodPut, "/"+name+"/_settings", map[string]any{"index.gc_deletes": "1h"}) // it may be another index now
	}
}

// snapshot makes a snapshot of the index, and returns what restores it.
func (k *clusterChaos) snapshot(t *testing.T) (index string, restore func()) {
	t.Helper()
	index = k.index(t)
	name := fmt.Sprintf("/_snapshot/chaos/s%d", time.Now().UnixNano())
	k.must(t, http.MethodPut, name+"?wait_for_completion=true", map[string]any{"indices": index, "include_global_state": false})
	return index, func() {
		k.must(t, http.MethodPost, name+"/_restore?wait_for_completion=true", map[string]any{"indices": index, "include_aliases": k.random.IntN(2) == 0})
		_, _ = k.call(http.MethodDelete, name, nil)
	}
}

func (k *clusterChaos) restored(t *testing.T) func() {
	index, restore := k.snapshot(t)
	<-time.After(k.within(2 * time.Second))
	k.must(t, http.MethodPost, "/"+index+"/_close", nil)
	restore()
	return func() {}
}

func (k *clusterChaos) deletedAndRestored(t *testing.T) func() {
	index, restore := k.snapshot(t)
	<-time.After(k.within(2 * time.Second))
	k.must(t, http.MethodDelete, "/"+index, nil)
	restore()
	return func() {}
}

// documentsChanged writes documents as a client does that should not, or with versions
// that are newer than those of the daemon.
func (k *clusterChaos) documentsChanged(t *testing.T) func() {
	var answer struct {
		Hits struct {
			Hits []struct {
				ID      string `json:"_id"`
				Version uint64 `json:"_version"`
			}
		}
	}
	if err := json.Unmarshal(k.must(t, http.MethodPost, "/"+k.alias+"/_search", map[string]any{"size": 3, "version": true, "_source": false}), &answer); err != nil {
		t.Fatal(err)
	}
	newer := k.random.IntN(2) == 0
	changed := map[string]any{"body": "changed by a client"}
	for _, d := range answer.Hits.Hits {
		if newer {
			k.must(t, http.MethodPut, fmt.Sprintf("/%s/_doc/%s?version_type=external&version=%d", k.alias, d.ID, d.Version+1_000_000), changed)
		} else {
			k.must(t, http.MethodPost, "/"+k.alias+"/_update/"+d.ID+"?retry_on_conflict=9", map[string]any{"doc": changed, "doc_as_upsert": true})
		}
	}
	return func() {}
}

func (k *clusterChaos) documentsDeleted(t *testing.T) func() {
	k.must(t, http.MethodPost, "/"+k.alias+"/_delete_by_query?conflicts=proceed&max_docs=5", map[string]any{"query": map[string]any{"match_all": map[string]any{}}})
	return func() {}
}

// aliasMoved gives the alias to another index, or to none.
func (k *clusterChaos) aliasMoved(t *testing.T) func() {
	index, other := k.index(t), k.alias+"-others"
	actions := []any{map[string]any{"remove": map[string]any{"index": index, "alias": k.alias}}}
	if k.random.IntN(2) == 0 {
		_, _ = k.call(http.MethodPut, "/"+other, nil) // it may be left of an earlier round
		actions = append(actions, map[string]any{"add": map[string]any{"index": other, "alias": k.alias}})
	}
	k.must(t, http.MethodPost, "/_aliases", map[string]any{"actions": actions})
	return func() {
		<-time.After(k.within(time.Second))
		_, _ = k.call(http.MethodDelete, "/"+other, nil)
	}
}

// autoCreated deletes the index and writes a document to its alias, which makes an index
// of that name. It is removed by the operator who did that.
func (k *clusterChaos) autoCreated(t *testing.T) func() {
	k.must(t, http.MethodDelete, "/"+k.index(t), nil)
	_, err := k.call(http.MethodPut, "/"+k.alias+"/_doc/1", map[string]any{"body": "of a client"})
	return func() {
		if err == nil { // else the daemon was first
			k.must(t, http.MethodDelete, "/"+k.alias, nil)
		}
	}
}

// secondDaemon starts a second daemon on a copy of the data directory: the first one
// ends. Then the second is killed, and the first started again.
func (k *clusterChaos) secondDaemon(t *testing.T) func() {
	k.daemon.stop(t)
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(k.data)); err != nil {
		t.Fatal(err)
	}
	k.start(t)
	file := writeFile(t, readFile(t, k.file))
	rewrite(t, file, "data: "+k.data, "data: "+copied)
	second := start(t, "run", "-c", file)
	<-time.After(k.within(2 * time.Second))
	eventually(t, soon, k.phase+": the first daemon ends", func() error {
		select {
		case <-k.daemon.done:
			return nil
		default:
			return fmt.Errorf("its log: %s", lastLine(k.daemon.log.String()))
		}
	})
	if code := k.daemon.cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("%s: the first daemon: got exit %d, want 2: %s", k.phase, code, lastLine(k.daemon.log.String()))
	}
	return func() {
		second.kill()
		k.kills++
		k.start(t)
	}
}
