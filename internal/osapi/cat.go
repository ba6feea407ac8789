package osapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/httpapi"
	"indexerd/internal/search"
)

// nodeID is the id of the only node.
const nodeID = "indexerd"

func (server) info(*call) (any, error) {
	return map[string]any{
		"name": "indexerd", "cluster_name": "indexerd", "cluster_uuid": "indexerd",
		"version": map[string]any{
			"distribution": "opensearch", "number": version, "build_type": "indexerd", "build_flavor": "indexerd",
			"minimum_wire_compatibility_version": version, "minimum_index_compatibility_version": version,
		},
		"tagline": "The OpenSearch Project: https://opensearch.org/",
	}, nil
}

func (server) health(*call) (any, error) {
	return map[string]any{"cluster_name": "indexerd", "status": "green", "timed_out": false, "number_of_nodes": 1, "number_of_data_nodes": 1}, nil
}

func (s server) mapping(c *call) (any, error) {
	t, err := s.targetOf(c)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{}
	for table, ix := range t.indices {
		properties := map[string]any{}
		for _, f := range ix {
			property := map[string]any{"type": f.Type}
			if ix.field(f.Name).both {
				value := ix.field(f.Name + suffix)
				property = map[string]any{"type": Text, "fields": map[string]any{"keyword": map[string]any{"type": value.Type}}}
			}
			properties[f.Name] = property
		}
		answer[table] = map[string]any{"mappings": map[string]any{"properties": properties}}
	}
	return answer, nil
}

// aliases returns that no index has aliases.
func (s server) aliases(c *call) (any, error) {
	t, err := s.targetOf(c)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{}
	for _, table := range t.tables {
		answer[table] = map[string]any{"aliases": map[string]any{}}
	}
	return answer, nil
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
	var rows [][]string
	for _, table := range t.tables {
		all, err := s.engine.Search(c.ctx, table, search.Params{Fresh: new(bool), Caller: c.caller})
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{"green", "open", table, table, "1", "0", strconv.FormatUint(all.Total, 10), "0"})
	}
	return list(c, []string{"health", "status", "index", "uuid", "pri", "rep", "docs.count", "docs.deleted"}, rows)
}

// inList are the parameters of a list in the URL.
var inList = []string{"format", "v", "h"}

// list returns rows as objects or as text, with the columns that the caller names.
func list(c *call, columns []string, rows [][]string) (any, error) {
	v := c.URL.Query()
	if err := checkURL(v, inList); err != nil {
		return nil, err
	}
	shown := columns
	if h := v.Get("h"); h != "" {
		shown = strings.Split(h, ",")
	}
	objects := make([]map[string]string, len(rows))
	var text strings.Builder
	if v.Has("v") && v.Get("v") != "false" {
		fmt.Fprintln(&text, strings.Join(shown, " "))
	}
	for i, row := range rows {
		objects[i] = map[string]string{}
		var cells []string
		for at, name := range columns {
			objects[i][name] = row[at]
		}
		for name := range objects[i] {
			if !slices.Contains(shown, name) {
				delete(objects[i], name)
			}
		}
		for _, name := range shown {
			cells = append(cells, objects[i][name])
		}
		fmt.Fprintln(&text, strings.Join(cells, " "))
	}
	if v.Get("format") == "json" {
		return objects, nil
	}
	return httpapi.PlainText(text.String()), nil
}
