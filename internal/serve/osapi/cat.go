package osapi

import (
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/mapping"
)

// The names of the cluster, and of its only node.
const (
	clusterName = "indexerd"
	nodeID      = "indexerd"
)

// build is the time and the commit of the program, if it has them.
var build = sync.OnceValues(func() (at, commit string) {
	at, commit = "unknown", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return at, commit
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.time":
			at = s.Value
		case "vcs.revision":
			commit = s.Value
		}
	}
	return at, commit
})

func (server) info(*call) (any, error) {
	at, commit := build()
	return map[string]any{
		"name": nodeID, "cluster_name": clusterName, "cluster_uuid": clusterName,
		"version": map[string]any{
			"distribution": "opensearch", "number": version, "build_type": "indexerd", "build_flavor": "indexerd", "build_date": at, "build_hash": commit, "build_snapshot": false, "lucene_version": "none",
			"minimum_wire_compatibility_version": version, "minimum_index_compatibility_version": version,
		},
		"tagline": "The OpenSearch Project: https://opensearch.org/",
	}, nil
}

// health answers that all is well: a server that answers has one node, and its indices
// have all their shards.
func (s server) health(c *call) (any, error) {
	t, err := s.targetOf(c, "wait_for_status", "wait_for_nodes", "wait_for_active_shards", "wait_for_no_relocating_shards", "wait_for_no_initializing_shards", "timeout", "level")
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"cluster_name": clusterName, "status": "green", "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1, "discovered_master": true, "discovered_cluster_manager": true,
		"active_primary_shards": len(t.Tables), "active_shards": len(t.Tables), "relocating_shards": 0, "initializing_shards": 0, "unassigned_shards": 0, "delayed_unassigned_shards": 0,
		"number_of_pending_tasks": 0, "number_of_in_flight_fetch": 0, "task_max_waiting_in_queue_millis": 0, "active_shards_percent_as_number": 100.0,
	}, nil
}

// catHealth is health as a list.
func (s server) catHealth(c *call) (any, error) {
	t, err := s.targetOf(c, append([]string{"ts"}, inList...)...)
	if err != nil {
		return nil, err
	}
	shards := strconv.Itoa(len(t.Tables))
	epoch, at := clock()
	return list(c, []string{"epoch", "timestamp", "cluster", "status", "node.total", "node.data", "discovered_cluster_manager", "shards", "pri", "relo", "init", "unassign", "pending_tasks", "max_task_wait_time", "active_shards_percent"},
		[][]string{{epoch, at, clusterName, "green", "1", "1", "true", shards, shards, "0", "0", "0", "0", "-", "100.0%"}})
}

// clock returns the seconds since 1970, and the time of the day.
func clock() (epoch, at string) {
	now := time.Now().UTC()
	return strconv.FormatInt(now.Unix(), 10), now.Format("15:04:05")
}

// catCount counts the documents that the caller may see.
func (s server) catCount(c *call) (any, error) {
	t, err := s.targetOf(c, inList...)
	if err != nil {
		return nil, err
	}
	_, total, err := t.counts(c)
	if err != nil {
		return nil, err
	}
	epoch, at := clock()
	return list(c, []string{"epoch", "timestamp", "count"}, [][]string{{epoch, at, strconv.FormatUint(total, 10)}})
}

// counts returns the numbers of documents of each table that the caller may see, and their
// sum.
func (t *target) counts(c *call) (each []uint64, total uint64, err error) {
	for _, table := range t.Tables {
		all, err := t.engine.Search(c.ctx, table, search.Params{Fresh: new(bool), Caller: c.caller})
		if err != nil {
			return nil, 0, err
		}
		each, total = append(each, all.Total), total+all.Total
	}
	return each, total, nil
}

// ofEach answers with something of each index.
func (s server) ofEach(get func(table string, ix mapping.Index) map[string]any) func(*call) (any, error) {
	return func(c *call) (any, error) {
		t, err := s.targetOf(c, "flat_settings", "include_defaults")
		if err != nil {
			return nil, err
		}
		answer := map[string]any{}
		for table, ix := range t.indices {
			answer[table] = get(table, ix)
		}
		return answer, nil
	}
}

func mappingOf(_ string, ix mapping.Index) map[string]any {
	return map[string]any{"mappings": ix.Properties()}
}

func aliasesOf(string, mapping.Index) map[string]any {
	return map[string]any{"aliases": map[string]any{}}
}

func settingsOf(table string, _ mapping.Index) map[string]any {
	return map[string]any{"settings": map[string]any{"index": map[string]any{"number_of_shards": "1", "number_of_replicas": "0", "provided_name": table, "uuid": table}}}
}

func indexOf(table string, ix mapping.Index) map[string]any {
	all := map[string]any{}
	for _, part := range []map[string]any{aliasesOf(table, ix), mappingOf(table, ix), settingsOf(table, ix)} {
		maps.Copy(all, part)
	}
	return all
}

// noAlias answers that an alias does not exist.
func (server) noAlias(c *call) (any, error) {
	if err := checkURL(c.URL.Query(), nil); err != nil {
		return nil, err
	}
	return httpapi.NotFound{Body: map[string]any{"error": "alias [" + query.Shorten(c.PathValue("name")) + "] missing", "status": http.StatusNotFound}}, nil
}

func (server) catAliases(c *call) (any, error) {
	return list(c, []string{"alias", "index", "filter", "routing.index", "routing.search", "is_write_index"}, nil)
}

// catIndices lists the indices. The number of documents is that of those that the
// caller may see.
func (s server) catIndices(c *call) (any, error) {
	t, err := s.targetOf(c, inList...)
	if err != nil {
		return nil, err
	}
	each, _, err := t.counts(c)
	if err != nil {
		return nil, err
	}
	var rows [][]string
	for i, table := range t.Tables {
		rows = append(rows, []string{"green", "open", table, table, "1", "0", strconv.FormatUint(each[i], 10), "0"})
	}
	return list(c, []string{"health", "status", "index", "uuid", "pri", "rep", "docs.count", "docs.deleted"}, rows)
}

// catShards lists the only shard of each index. One that is still loaded has no documents
// yet. The size of an index is not shown: it would be that of all documents.
func (s server) catShards(c *call) (any, error) {
	t, err := s.targetOf(c, inList...)
	if err != nil {
		return nil, err
	}
	each, _, err := t.counts(c)
	if err != nil {
		return nil, err
	}
	_, ip := reachedAt(c)
	var rows [][]string
	for i, table := range t.Tables {
		rows = append(rows, []string{table, "0", "p", "STARTED", strconv.FormatUint(each[i], 10), "", ip, nodeID})
	}
	for _, table := range t.missing {
		rows = append(rows, []string{table, "0", "p", "INITIALIZING", "", "", ip, nodeID})
	}
	return list(c, []string{"index", "shard", "prirep", "state", "docs", "store", "ip", "node"}, rows)
}
