package osapi

import (
	"net"
	"net/http"
)

// nodes describes the only node. Clients that look for nodes find the address under
// which they have reached this one.
func (server) nodes(c *call) (any, error) {
	if err := checkURL(c.URL.Query(), []string{"timeout", "flat_settings"}); err != nil {
		return nil, err
	}
	address, host := reachedAt(c)
	return map[string]any{
		"_nodes": map[string]int{"total": 1, "successful": 1, "failed": 0}, "cluster_name": clusterName,
		"nodes": map[string]any{nodeID: map[string]any{
			"name": nodeID, "host": host, "ip": host, "version": version, "build_type": "indexerd", "roles": []string{"data"}, "attributes": map[string]string{},
			"http": map[string]any{"bound_address": []string{address}, "publish_address": address, "max_content_length_in_bytes": 64 << 10},
		}},
	}, nil
}

// reachedAt returns the address under which the caller has reached the node, and its host.
func reachedAt(c *call) (address, host string) {
	address = c.Host
	if to, ok := c.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		if _, _, err := net.SplitHostPort(address); err != nil {
			address = to.String()
		}
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	return address, host
}

// resolve lists the indices that a list of names and patterns means.
func (s server) resolve(c *call) (any, error) {
	t, err := s.targetOf(c)
	if err != nil {
		return nil, err
	}
	list := make([]any, len(t.Tables))
	for i, table := range t.Tables {
		list[i] = map[string]any{"name": table, "attributes": []string{"open"}}
	}
	return map[string]any{"indices": list, "aliases": []any{}, "data_streams": []any{}}, nil
}

// stats returns the number of documents that the caller may see.
func (s server) stats(c *call) (any, error) {
	t, err := s.targetOf(c, "level")
	if err != nil {
		return nil, err
	}
	each, total, err := t.counts(c)
	if err != nil {
		return nil, err
	}
	indices := map[string]any{}
	for i, table := range t.Tables {
		one := docs(each[i])
		one["uuid"] = table
		indices[table] = one
	}
	shards := map[string]int{"total": len(t.Tables), "successful": len(t.Tables), "failed": 0}
	return map[string]any{"_shards": shards, "_all": docs(total), "indices": indices}, nil
}

func docs(n uint64) map[string]any {
	count := map[string]any{"docs": map[string]uint64{"count": n, "deleted": 0}}
	return map[string]any{"primaries": count, "total": count}
}
